import { beforeAll, describe, expect, it } from 'vitest';
import { type History, type PreparedWorld, type Step, type TimedStep, examine, prepareWorld, story } from '@outrigger/simulator';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

type Strategy = Extract<Step, { readonly do: 'declare' }>['strategy'];
type Rollout = Strategy['rollout'];

const ONE_BY_ONE: Rollout = { type: 'Progressive', maxConcurrency: 1, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' };
const BY_GROUP: Rollout = { ...ONE_BY_ONE, type: 'ProgressivePerGroup' };
const AT_ONCE: Rollout = { ...ONE_BY_ONE, type: 'All' };

function declare(rollout: Rollout, changes: Partial<Strategy> = {}): Step {
  return { do: 'declare', addOn: 'alpha', strategy: { type: 'Placements', rollout, hasCanary: false, defaultVersion: 'v1', ...changes } };
}

const BY_LABEL: Partial<Strategy> = { type: 'ClusterLabelSelector' };
const WITH_CANARY: Partial<Strategy> = { hasCanary: true };

/**
 * Changes to the strategy that move clusters to another entry with the same target, while the clusters move to content that takes 40
 * seconds to become available.
 */
const changes: readonly { readonly title: string; readonly before: Step; readonly after: Step }[] = [
  { title: 'a label selector becomes a Placement', before: declare(ONE_BY_ONE, BY_LABEL), after: declare(ONE_BY_ONE) },
  { title: 'a label selector becomes groups', before: declare(ONE_BY_ONE, BY_LABEL), after: declare(BY_GROUP) },
  { title: 'a Placement becomes a label selector', before: declare(ONE_BY_ONE), after: declare(ONE_BY_ONE, BY_LABEL) },
  { title: 'a canary entry takes a cluster', before: declare(ONE_BY_ONE), after: declare(ONE_BY_ONE, WITH_CANARY) },
  { title: 'a canary entry ends', before: declare(ONE_BY_ONE, WITH_CANARY), after: declare(ONE_BY_ONE) },
  { title: 'all at once becomes one by one', before: declare(AT_ONCE, BY_LABEL), after: declare(ONE_BY_ONE) },
  { title: 'groups become one by one', before: declare(BY_GROUP), after: declare(ONE_BY_ONE, BY_LABEL) },
];

interface Entry {
  readonly inFlight?: readonly { readonly cluster: string }[];
  readonly failed?: number;
}

describe('clusters on their way keep their slots if they change entry', () => {
  it.each(changes)('when $title', async ({ before, after }) => {
    const slow: Step = { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'slow-1' };
    const at = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });
    const steps = [at(0, before), at(60_000, slow), at(5_000, after), at(10_000, { do: 'group size', size: 1 })];
    const history: History = { seed: 1, hasReplica: false, steps };
    const { result, violations } = await examine(history, prepared);
    if (violations.length > 0) expect.fail(story(result, violations));
    const records = result.log.slice(0, result.marks[3]).filter(({ kind, id }) => kind.plural === 'addonrollouts' && id === 'alpha');
    const { status } = (records.at(-1)?.after ?? {}) as { status?: { entries?: readonly Entry[] } };
    const entries = status?.entries ?? [];
    expect(entries.reduce((sum, { failed = 0 }) => sum + failed, 0)).toBe(0);
    expect(entries.flatMap(({ inFlight = [] }) => inFlight).length).toBeGreaterThan(0);
  });
});
