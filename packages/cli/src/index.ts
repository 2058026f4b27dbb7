export { CommandError, EXIT } from './failure.js';
export type { ExitCode } from './failure.js';
export type { CommandContext } from './commands/context.js';
export { startLocalFleet } from './local/fleet.js';
export type { LocalFleet, LocalFleetOptions } from './local/fleet.js';
export { createProgram, everyCommand, runProgram } from './program.js';
export { recordingTerminal } from './terminal/terminal.js';
export type { Style, Terminal } from './terminal/terminal.js';
