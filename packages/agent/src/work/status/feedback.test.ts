import type { FeedbackRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { object } from '../fixtures.js';
import { readFeedback } from './feedback.js';

const plain = { isRawJsonAllowed: false, maxJsonLength: 1024 };
const raw = { isRawJsonAllowed: true, maxJsonLength: 40 };
const paths = (...jsonPaths: { name: string; path: string; version?: string }[]): readonly FeedbackRule[] => [
  { type: 'JSONPaths', jsonPaths },
];

describe('well-known values', () => {
  const cases: readonly { name: string; object: KubeObject; want: readonly string[] }[] = [
    {
      name: 'Deployment',
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: {},
        status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 },
      } as never,
      want: ['ReadyReplicas=1', 'Replicas=3', 'AvailableReplicas=2'],
    },
    {
      name: 'DaemonSet',
      object: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: {},
        status: { numberReady: 1, desiredNumberScheduled: 2, numberAvailable: 3 },
      } as never,
      want: ['NumberReady=1', 'DesiredNumberScheduled=2', 'NumberAvailable=3'],
    },
    {
      name: 'Job',
      object: {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {},
        status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] },
      } as never,
      want: ['JobComplete=True', 'JobSucceeded=1'],
    },
    {
      name: 'Pod',
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {},
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
      } as never,
      want: ['PodReady=False', 'PodPhase=Running'],
    },
    { name: 'a Deployment that reports nothing', object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} }, want: [] },
  ];
  it.each(cases)('$name', ({ object: it_, want }) => {
    const { values, errors } = readFeedback(it_, [{ type: 'WellKnownStatus' }], plain);
    expect(values.map(({ name, fieldValue }) => `${name}=${fieldValue.integer ?? fieldValue.string}`)).toEqual(want);
    expect(errors).toEqual([]);
  });
  it('do not exist for other kinds', () => {
    expect(readFeedback(object('a'), [{ type: 'WellKnownStatus' }], plain).errors).toEqual([
      'cannot find the wellknown statuses for v1 ConfigMap',
    ]);
  });
});

describe('values by path', () => {
  const it_ = object('a', {
    data: { text: 'x', yes: true, n: 3, half: 1.5, list: [{ b: 1, a: '<&>' }], huge: 1e300, long: 'x'.repeat(20_000), nothing: null },
  });
  it.each([
    ['.data.text', { type: 'String', string: 'x' }],
    ['.data.yes', { type: 'Boolean', boolean: true }],
    ['.data.n', { type: 'Integer', integer: 3 }],
    ['.metadata.name', { type: 'String', string: 'a' }],
  ])('%s', (path, want) =>
    expect(readFeedback(it_, paths({ name: 'v', path }), plain)).toEqual({ values: [{ name: 'v', fieldValue: want }], errors: [] }),
  );

  it.each(['.data.missing', '.data.nothing', '.missing.deep'])('%s is left out', (path) =>
    expect(readFeedback(it_, paths({ name: 'v', path }), plain)).toEqual({ values: [], errors: [] }),
  );

  it.each([
    ['.data.half', 'the type of v is not integer, string or boolean'],
    ['.data.list', 'the type of v is not integer, string or boolean'],
    ['.data.huge', 'the type of v is not integer, string or boolean'],
    ['.data.long', 'the value of v has 20000 characters, at most 16384 are reported'],
    ['.data[', 'JSONPath .data[: unterminated array'],
  ])('%s is an error', (path, message) =>
    expect(readFeedback(it_, paths({ name: 'v', path }), plain)).toEqual({ values: [], errors: [message] }),
  );

  it('for another version is an error', () => {
    expect(readFeedback(it_, paths({ name: 'v', path: '.data.n', version: 'v2' }), plain).errors).toHaveLength(1);
    expect(readFeedback(it_, paths({ name: 'v', path: '.data.n', version: 'v1' }), plain).errors).toEqual([]);
  });

  it('are reported beside errors', () => {
    const { values, errors } = readFeedback(it_, paths({ name: 'a', path: '.data.list' }, { name: 'b', path: '.data.n' }), plain);
    expect([values.length, errors.length]).toEqual([1, 1]);
  });

  it('are reported once each, because the server would refuse the whole status otherwise', () => {
    const same = readFeedback(it_, paths({ name: 'v', path: '.data.n' }, { name: 'v', path: '.data.n' }), plain);
    expect([same.values.length, same.errors]).toEqual([1, []]);
    const different = readFeedback(it_, paths({ name: 'v', path: '.data.n' }, { name: 'v', path: '.data.text' }), plain);
    expect([different.values.length, different.errors]).toEqual([1, ['the name v is used by two rules']]);
  });

  it('may be JSON if that is allowed, as Go writes it and not too long', () => {
    const read = (path: string): unknown => readFeedback(it_, paths({ name: 'v', path }), raw);
    expect(read('.data.list')).toEqual({
      values: [{ name: 'v', fieldValue: { type: 'JsonRaw', jsonRaw: '[{"a":"\\u003c\\u0026\\u003e","b":1}]' } }],
      errors: [],
    });
    expect(read('.data.half')).toMatchObject({ values: [{ fieldValue: { type: 'JsonRaw', jsonRaw: '1.5' } }] });
    expect(read('.data')).toMatchObject({ errors: [expect.stringContaining('at most 40 are reported') as string] });
  });
});

describe('the cost of paths', () => {
  const wide = object('a', { data: { list: Array.from({ length: 2000 }, (_, i) => ({ a: { b: [i, { c: 'x'.repeat(100) }] } })) } });
  it.each(['{..*..*..*}', '{..*}', '{.data.list[*]..c}{..*..*}', '{range ..*}{..*}{end}', '.data.list[?(@..*)]..*..*..*'])(
    '%s is an error of its own, and values read before it are reported',
    (path) => {
      const { values, errors } = readFeedback(wide, paths({ name: 'n', path: '.metadata.name' }, { name: 'v', path }), {
        ...raw,
        maxJsonLength: 1_000_000_000,
      });
      expect(values.map(({ name }) => name)).toEqual(['n']);
      expect(errors).toHaveLength(1);
    },
  );
});
