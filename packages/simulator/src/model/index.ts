export { judgeCertificates } from './certificates.js';
export { judge, judgeSystem } from './judge.js';
export { judgeObserved } from './observed.js';
export type { Evidence, LogEntry, Stored, Violation } from './log.js';
