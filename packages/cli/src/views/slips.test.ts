import type { AddOnRollout, RolloutEntry, RolloutPrediction } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { statusText } from '../commands/rollout/status.js';
import { formatObjects } from '../terminal/format.js';
import { withSlips } from './slips.js';

const PREDICTION: RolloutPrediction = {
  at: '2026-11-16T12:00:00Z',
  p50: '2026-11-16T14:20:00Z',
  p90: '2026-11-16T15:05:00Z',
  runs: 200,
  basis: 'Recorded',
  moves: 40,
};

const running = (more: Partial<RolloutEntry> = {}): RolloutEntry => ({
  name: 'default/all',
  targetRevision: 2,
  state: 'Progressing',
  selected: 4,
  done: 1,
  progressing: 3,
  prediction: PREDICTION,
  ...more,
});

const ended = (endedAt: string): RolloutEntry =>
  running({
    state: 'Completed',
    done: 4,
    progressing: 0,
    timeline: [{ at: '2026-11-16T12:00:00Z', to: 2, outcome: 'Completed', endedAt }],
  });

const unpredicted = (): RolloutEntry => {
  const { prediction: _, ...entry } = running({ name: 'default/other' });
  return entry;
};

const rolloutOf = (...entries: readonly RolloutEntry[]): AddOnRollout => ({
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'AddOnRollout',
  metadata: { name: 'hello' },
  status: { entries },
});

interface Case {
  readonly name: string;
  readonly entry: RolloutEntry;
  readonly now: string;
  readonly slip: { readonly standing: string; readonly lateSeconds: number; readonly text: string };
}

const CASES: readonly Case[] = [
  {
    name: 'before p50',
    entry: running(),
    now: '2026-11-16T13:00:00Z',
    slip: { standing: 'OnTime', lateSeconds: 0, text: 'expected 14:20 (p90 15:05) UTC, now 13:00: on time' },
  },
  {
    name: 'at p90',
    entry: running(),
    now: '2026-11-16T15:05:00Z',
    slip: { standing: 'OnTime', lateSeconds: 0, text: 'expected 14:20 (p90 15:05) UTC, now 15:05: on time' },
  },
  {
    name: 'after p90',
    entry: running(),
    now: '2026-11-16T15:40:00.900Z',
    slip: { standing: 'Late', lateSeconds: 2100, text: 'expected 14:20 (p90 15:05) UTC, now 15:40: 35m late' },
  },
  {
    name: 'halted after p90',
    entry: running({ state: 'Halted' }),
    now: '2026-11-16T15:40:00Z',
    slip: { standing: 'Late', lateSeconds: 2100, text: 'expected 14:20 (p90 15:05) UTC, halted, now 15:40: 35m late' },
  },
  {
    name: 'ended on time, however long ago',
    entry: ended('2026-11-16T14:30:00Z'),
    now: '2026-11-20T00:00:00Z',
    slip: { standing: 'OnTime', lateSeconds: 0, text: 'expected 14:20 (p90 15:05) UTC, ended 14:30: on time' },
  },
  {
    name: 'ended late',
    entry: ended('2026-11-16T17:15:00Z'),
    now: '2026-11-20T00:00:00Z',
    slip: { standing: 'Late', lateSeconds: 7800, text: 'expected 14:20 (p90 15:05) UTC, ended 17:15: 2h 10m late' },
  },
];

describe.each(CASES)('rollout status of a rollout with a prediction, $name', ({ entry, now, slip }) => {
  const nowMs = parseTime(now) ?? Number.NaN;
  const rollout = rolloutOf(entry, unpredicted());

  it('prints the slip as one line of its entry', () => {
    const lines = statusText(rollout, nowMs).split('\n');
    expect(lines.filter((line) => line.includes('expected '))).toEqual([`default/all: ${slip.text}`]);
  });

  it.each(['json', 'yaml'] as const)('-o %s has it in entries[].slip, and only for entries with a prediction', (format) => {
    const text = formatObjects([withSlips(rollout, nowMs)], format, true);
    const parsed = (format === 'json' ? JSON.parse(text) : parseYamlDocument(text)) as {
      readonly status: { readonly entries: readonly unknown[] };
    };
    expect(parsed.status.entries).toEqual([{ ...entry, slip }, unpredicted()]);
  });
});

it('a rollout without a prediction is printed as it is stored', () => {
  const rollout = rolloutOf(unpredicted());
  expect(withSlips(rollout, 0)).toBe(rollout);
  expect(statusText(rollout, 0)).not.toContain('expected');
});
