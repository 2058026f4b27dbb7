export { judge, judgeSystem } from './judge.js';
export type { Evidence, LogEntry, Stored, Violation } from './log.js';
