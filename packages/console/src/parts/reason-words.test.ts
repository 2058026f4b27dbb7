import { expect, it } from 'vitest';
import { reasonWords } from './reason-words.js';

it.each([
  ['RolloutHalted', 'Rollout halted'],
  ['Installed', 'Installed'],
  ['OOMKilled', 'OOMKilled'],
  ['<b>x</b>', '<b>x</b>'],
  ['', ''],
])('the reason %j is shown as %j', (reason, words) => {
  expect(reasonWords(reason)).toBe(words);
});
