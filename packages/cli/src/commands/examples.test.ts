import { expect, test } from 'vitest';
import { commandPath, createProgram, everyCommand } from '../program.js';
import { recordingTerminal } from '../terminal/terminal.js';
import { EXAMPLES } from './examples.js';

test('every command has examples, and every row of examples names a command', () => {
  const program = createProgram({
    terminal: recordingTerminal(),
    env: {},
    signal: new AbortController().signal,
    runtime: () => Promise.reject(new Error('no command runs here')),
    stdin: async () => '',
  });
  const commands = everyCommand(program).filter((command) => command.name() !== 'help');
  expect(Object.keys(EXAMPLES).sort()).toEqual(commands.map(commandPath).sort());
});
