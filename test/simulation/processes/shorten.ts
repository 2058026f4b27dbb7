import type { History, Step, TimedStep } from '@outrigger/simulator';

/** The longest pause between two steps. */
const LONGEST_PAUSE_MS = 1_200;
/** Maps the durations in strategies to shorter ones, so that they have the same effect in a run of seconds. */
const SHORTER: Readonly<Record<string, string>> = { '5s': '1s', '20s': '2s', '15s': '4s', '60s': '8s' };

/**
 * Steps that this layer leaves out. Like the second layer, it leaves out steps about policies, whose waits take minutes, steps of users of
 * clusters, and pins of single entries. It also leaves out edits of Placements and of parts of declarations.
 */
const LEFT_OUT: ReadonlySet<Step['do']> = new Set<Step['do']>([
  'policy',
  'delete policy',
  'decide',
  'metrics',
  'on cluster',
  'pin entry',
  'edit entries',
  'edit dependencies',
  'create placement',
  'delete placement',
  'later manager',
]);

/** Returns the history with pauses and times that fit into a run of seconds, without the steps that this layer leaves out. */
export function shortened(history: History): History {
  const steps = history.steps.filter(({ step }) => !LEFT_OUT.has(step.do));
  return {
    ...history,
    steps: steps.map(({ afterMs, step }): TimedStep => ({ afterMs: Math.min(afterMs, LONGEST_PAUSE_MS), step: shorterStep(step) })),
  };
}

function shorterStep(step: Step): Step {
  if (step.do !== 'declare' && step.do !== 'edit everything') return step;
  const { rollout } = step.strategy;
  const shorter = (time: string): string => SHORTER[time] ?? time;
  const times = { progressDeadline: shorter(rollout.progressDeadline), minSuccessTime: shorter(rollout.minSuccessTime) };
  return { ...step, strategy: { ...step.strategy, rollout: { ...rollout, ...times } } };
}
