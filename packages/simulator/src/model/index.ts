export { judge } from './judge.js';
export type { Evidence, LogEntry, Stored, Violation } from './log.js';
