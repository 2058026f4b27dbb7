import type { RolloutEntry } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { outcomesText } from './waits.js';

const entry = (rest: Partial<RolloutEntry>): RolloutEntry => ({ name: 'default/all', targetRevision: 2, ...rest });
const measured = {
  name: 'p/errors',
  group: 'canary',
  revision: 2,
  passed: 1,
  failed: 0,
  inconclusive: 1,
  result: 'Pass',
  message: '0.01',
} as const;

describe('the outcomes of an entry', () => {
  it.each<[string, Partial<RolloutEntry>, string]>([
    ['nothing', {}, ''],
    [
      'measurements of the target',
      { analysis: [measured, { ...measured, revision: 1 }, { name: 'p/later', revision: 2 }] },
      'default/all: analysis p/errors of group canary: 1 passed, 0 failed, 1 inconclusive; the last: 0.01\n',
    ],
    [
      'rejected content with the command that lifts the rejection',
      { rejected: [{ digest: 'd', revision: 3, gate: 'p/onFailure', reason: '2 clusters failed', at: '2026-11-16T08:00:00Z' }] },
      'default/all: rejects revision 3: 2 clusters failed; `outrigger rollout retry hello --gate p/onFailure`\n',
    ],
  ])('%s', (_, rest, text) => {
    expect(outcomesText('hello', entry(rest))).toBe(text);
  });
});
