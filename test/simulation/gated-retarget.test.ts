import { beforeAll, describe, expect, it } from 'vitest';
import { type History, type PreparedWorld, type Step, type TimedStep, examine, prepareWorld, story } from '@outrigger/simulator';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

type Rollout = Extract<Step, { readonly do: 'declare' }>['strategy']['rollout'];
type PolicyStep = Extract<Step, { readonly do: 'policy' }>;

const ROLLOUT = { maxConcurrency: 3, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' } as const;
const TYPES = ['All', 'Progressive', 'ProgressivePerGroup'] as const;

function declare(type: Rollout['type']): Step {
  const strategy = { type: 'Placements', rollout: { type, ...ROLLOUT }, hasCanary: false, defaultVersion: 'v1' } as const;
  return { do: 'declare', addOn: 'alpha', strategy };
}

const gates: readonly (readonly [string, Partial<PolicyStep['shape']>])[] = [
  ['a freeze', { freeze: { afterMs: 0, forMs: 20_000 } }],
  ['an approval', { approval: { place: 'before Rollout', required: 1 } }],
];
/** Every combination of a strategy change and a gate. */
const changes = (['All', 'Progressive'] as const).flatMap((from) =>
  TYPES.flatMap((to) => gates.map(([title, shape]) => ({ from, to, title, shape }))),
);

/**
 * While clusters move to a revision, one edit changes both content and strategy, and a gate is closed. The new target must wait for the
 * gate, whether the clusters were admitted to the earlier target by name or by a wildcard admission.
 */
describe('a gate holds clusters that are in flight to an earlier target', () => {
  it.each(changes)('from $from to $to with $title', async ({ from, to, shape }) => {
    const now = (step: Step): TimedStep => ({ afterMs: 0, step });
    const steps: readonly TimedStep[] = [
      now(declare(from)),
      { afterMs: 20_000, step: { do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-1' } },
      { afterMs: 1_200, step: { do: 'policy', policy: 'guard', shape: { addOns: ['alpha'], operations: ['Upgrade'], ...shape } } },
      { afterMs: 300, step: declare(to) },
      now({ do: 'edit template', addOn: 'alpha', version: 'v1', content: 'good-2' }),
      { afterMs: 10_000, step: { do: 'pause', addOn: 'alpha', paused: false } },
    ];
    const history: History = { seed: 1, hasReplica: false, steps };
    const { result, violations } = await examine(history, prepared);
    if (violations.length > 0) expect.fail(story(result, violations));
    const moved = result.log.slice(0, result.healedAt).filter(({ kind, after }) => {
      return kind.plural === 'manifestworks' && JSON.stringify(after ?? {}).includes('alpha-v1:good-2');
    });
    expect(moved).toEqual([]);
  });
});
