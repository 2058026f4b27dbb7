import { expect, test } from 'vitest';
import { search } from './search.js';

const addOns = [
  { name: 'hello', isPaused: true },
  { name: 'metrics', isPaused: false },
];
const clusters = ['cluster1', 'cluster2', 'eu-metrics'];

test.each([
  ['', 'Fleet'],
  ['metr', 'metrics'],
  ['METRICS R', 'metrics rollout'],
  ['cluster2', 'cluster2'],
  ['metrics cluster2', 'metrics on cluster2'],
  ['acti', 'Activity'],
  ['pause m', 'Pause metrics'],
  ['resume h', 'Resume hello'],
  ['stop', 'Stop all rollouts'],
])('%j finds %j first', (text, first) => {
  expect(search(text, addOns, clusters, true)[0]?.text).toBe(first);
});

test('names that start with the text come before names that contain it', () => {
  expect(search('metrics', addOns, clusters, true).map(({ text }) => text)).toEqual([
    'metrics',
    'metrics rollout',
    'Pause metrics',
    'eu-metrics',
  ]);
});

test('a name is part of an address only in its encoded form', () => {
  expect(search('x', [{ name: 'x/../y?z', isPaused: false }], [], true)[0]?.address).toBe('/addons/x%2F..%2Fy%3Fz');
});

test('a user who may not change rollouts is offered no commands', () => {
  const notes = ['pause', 'stop', 'resume', 'metrics'].flatMap((text) => search(text, addOns, clusters, false)).map(({ note }) => note);
  expect(notes).not.toContain('command');
});
