export { EXIT } from './failure.js';
export type { CommandContext } from './commands/context.js';
export { EXAMPLES } from './commands/examples.js';
export { ROLES_FOR_PEOPLE } from './install/people.js';
export { installSamples, sampleLabels } from './local/samples.js';
export { startLocalFleet } from './local/fleet.js';
export type { LocalFleet } from './local/fleet.js';
export { commandPath, createProgram, everyCommand, runProgram } from './program.js';
export { recordingTerminal } from './terminal/terminal.js';
