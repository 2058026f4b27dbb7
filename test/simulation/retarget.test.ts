import { beforeAll, describe, expect, it } from 'vitest';
import { type History, type PreparedWorld, type Step, type TimedStep, examine, prepareWorld, story } from '@outrigger/simulator';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

type Strategy = Extract<Step, { readonly do: 'declare' }>['strategy'];
type Rollout = Strategy['rollout'];

const WIDE: Rollout = { type: 'Progressive', maxConcurrency: 3, maxFailures: 9, progressDeadline: 'None', minSuccessTime: '0s' };
const NARROW: Rollout = { ...WIDE, maxConcurrency: 1, maxFailures: 0 };

function declare(rollout: Rollout, changes: Partial<Strategy> = {}): Step {
  const strategy: Strategy = {
    type: 'Placements',
    rollout,
    hasCanary: false,
    defaultVersion: 'v1',
    ...changes,
  };
  return { do: 'declare', addOn: 'alpha', strategy };
}

function edit(content: string): Step {
  return { do: 'edit template', addOn: 'alpha', version: 'v1', content };
}

function pause(paused: boolean): Step {
  return { do: 'pause', addOn: 'alpha', paused };
}

function pin(back: number | undefined): Step {
  return { do: 'pin', addOn: 'alpha', back };
}

/**
 * The ways in which users narrow the strategy and change the content, at the moment at which a rollout to many clusters at once ends. The
 * record still lists these clusters as in flight, but they are done with the old target, so each needs a new admission under the new
 * budget.
 */
const changes: readonly { readonly title: string; readonly steps: readonly Step[] }[] = [
  { title: 'narrows the strategy', steps: [declare(NARROW), edit('good-2')] },
  { title: 'pauses, changes and resumes', steps: [pause(true), declare(NARROW), edit('good-2'), pause(false)] },
  { title: 'pins the revision before and clears the pin', steps: [declare(NARROW), pin(1), edit('good-2'), pin(undefined)] },
  { title: 'pins the revision before', steps: [declare(NARROW), pin(1)] },
  { title: 'changes the type to ProgressivePerGroup', steps: [declare({ ...NARROW, type: 'ProgressivePerGroup' }), edit('good-2')] },
  { title: 'changes the type from All', steps: [declare({ ...WIDE, type: 'All' }), edit('good-2'), declare(NARROW), edit('good-3')] },
  { title: 'moves a cluster to another entry', steps: [declare(NARROW, { hasCanary: true }), edit('good-2')] },
  { title: 'moves to a label selector', steps: [declare(NARROW, { type: 'ClusterLabelSelector' }), edit('good-2')] },
  { title: 'lowers maxFailures with content that fails', steps: [edit('bad-1'), declare(NARROW), edit('good-2')] },
  {
    title: 'regroups the clusters',
    steps: [{ do: 'group size', size: 2 }, declare({ ...NARROW, type: 'ProgressivePerGroup' }), edit('good-2')],
  },
];
/**
 * The times of the change, in milliseconds after the previous edit: just before and just after the clusters are done with the target (2 s
 * after they started), and after the record is written.
 */
const INSTANTS = [2_040, 2_060, 3_060] as const;

describe('clusters that have arrived need a new admission', () => {
  it.each(changes)('if a person $title', async ({ steps }) => {
    for (const instant of INSTANTS) {
      const now = (step: Step): TimedStep => ({ afterMs: 0, step });
      const [first, ...rest] = steps as [Step, ...Step[]];
      const wide = [now(declare(WIDE)), { afterMs: 10_000, step: edit('good-1') }];
      const history: History = { seed: instant, hasReplica: false, steps: [...wide, { afterMs: instant, step: first }, ...rest.map(now)] };
      const { result, violations } = await examine(history, prepared);
      if (violations.length > 0) expect.fail(`${instant} ms\n${story(result, violations)}`);
    }
  });
});
