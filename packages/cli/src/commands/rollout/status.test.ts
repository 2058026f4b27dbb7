import type { RolloutEntry } from '@outrigger/api';
import { expect, it } from 'vitest';
import { rollout } from '../../../../rules/src/why/fixtures.js';
import { requireDone, requireReached } from './status.js';

const entry = (name: string, more: Partial<RolloutEntry>): RolloutEntry => ({ name, selected: 3, ...more });
const INCONCLUSIVE = { state: 'Halted', message: '2 measurements were inconclusive' } as const;

it.each<[string, readonly RolloutEntry[], number, string]>([
  ['failures', [entry('a', { state: 'Halted', failed: 2 })], 2, '2 clusters failed'],
  [
    'an analysis, while clusters of another entry failed',
    [entry('a', { state: 'Progressing', failed: 2 }), entry('b', INCONCLUSIVE)],
    2,
    '2 measurements were inconclusive',
  ],
  [
    'failures, while clusters of another entry failed',
    [entry('a', { state: 'Progressing', failed: 2 }), entry('b', { state: 'Halted', failed: 1 })],
    3,
    '1 cluster failed',
  ],
  [
    'failures in two entries',
    [entry('a', { state: 'Halted', failed: 2 }), entry('b', { state: 'Halted', failed: 1 })],
    3,
    '3 clusters failed',
  ],
  ['an analysis in two entries', [entry('a', INCONCLUSIVE), entry('b', INCONCLUSIVE)], 0, '2 measurements were inconclusive'],
])('a rollout that is halted by %s is reported with the cause', (_, entries, failed, cause) => {
  const halted = rollout('hello', {}, { state: 'Halted', failed, entries });
  expect(() => requireDone({ rollout: halted, isCurrent: true, unresolved: undefined }, { timeout: 1 })).toThrow(
    `the rollout of hello is halted: ${cause}: \`outrigger why hello\` names the cause`,
  );
});

it.each<[string, 'Completed' | 'Progressing', string]>([
  ['completed', 'Completed', 'hello is through, but 1 cluster away did not get it: `outrigger get clusters`'],
  ['in progress', 'Progressing', 'hello: 1 cluster away did not get it: `outrigger get clusters`'],
])('a rollout that is %s without a cluster that is away did not reach all', (_, state, message) => {
  const without = (skipped: number) => rollout('hello', {}, { state, entries: [entry('a', { state, skipped })] });
  expect(() => requireReached(without(1))).toThrow(message);
  expect(() => requireReached(without(0))).not.toThrow();
});
