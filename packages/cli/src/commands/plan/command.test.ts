import { expect, it } from 'vitest';
import { recordingTerminal } from '../../terminal/terminal.js';
import { planCommand } from './command.js';

const failOf = (...words: readonly string[]): unknown => {
  const command = planCommand({
    terminal: recordingTerminal(),
    env: {},
    signal: new AbortController().signal,
    runtime: () => Promise.reject(new Error('no command runs here')),
    stdin: async () => '',
  }).exitOverride();
  command.configureOutput({ writeErr: () => undefined }).parseOptions([...words]);
  return command.opts()['fail'];
};

it.each([
  ['a share', ['--fail', '5%'], 0.05],
  ['clusters with commas', ['--fail', 'c1,c2'], ['c1', 'c2']],
  ['clusters, several times', ['--fail', 'c1', '--fail', 'c2,c3'], ['c1', 'c2', 'c3']],
])('--fail takes %s', (_, words, want) => expect(failOf(...words)).toEqual(want));
it.each([[['5%', 'c1']], [['c1', '5%']]])('--fail refuses a share beside clusters: %j', ([first = '', second = '']) =>
  expect(() => failOf('--fail', first, '--fail', second)).toThrow('not both'),
);
