import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ask } from './ask.js';

function prompt(signal = new AbortController().signal): {
  readonly keys: PassThrough;
  readonly screen: () => string;
  readonly answer: Promise<boolean>;
} {
  const keys = new PassThrough();
  const output = new PassThrough();
  const answer = ask('Remove it?', { input: keys, output, terminal: true }, signal);
  return { keys, screen: () => String(output.read() ?? ''), answer };
}

it.each([
  ['y\n', true],
  ['yes\n', true],
  ['Y\n', true],
  ['\n', false],
  ['no\n', false],
  ['yellow\n', false],
])('the answer %j is %s', async (typed, answer) => {
  const asked = prompt();
  asked.keys.write(typed);
  expect(await asked.answer).toBe(answer);
});

it('Ctrl-C at a prompt changes nothing, ends the line and exits with 130', async () => {
  const asked = prompt();
  asked.keys.write('ye\u0003');
  await expect(asked.answer).rejects.toMatchObject({ message: 'nothing was changed', exitCode: 130 });
  expect(asked.screen()).toMatch(/^[^\n]*Remove it\? \[y\/N\][^\n]*\r?\n$/);
});

it('a signal at a prompt does the same', async () => {
  const stop = new AbortController();
  const asked = prompt(stop.signal);
  stop.abort();
  await expect(asked.answer).rejects.toMatchObject({ exitCode: 130 });
});
