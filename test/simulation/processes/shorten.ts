import type { History, Rollout, Step, TimedStep } from '@outrigger/simulator';

/** The longest pause between two steps. */
const LONGEST_PAUSE_MS = 1_200;
/** Maps the durations in strategies to shorter ones, so that they have the same effect in a run of seconds. */
const SHORTER: Readonly<Record<string, string>> = { '5s': '1s', '20s': '2s', '15s': '4s', '60s': '8s' };

/**
 * Steps that this layer leaves out. Like the second layer, it leaves out steps about policies, whose waits take minutes, steps of users of
 * clusters, pins of single entries, and managers of later versions.
 */
const LEFT_OUT: ReadonlySet<Step['do']> = new Set<Step['do']>([
  'policy',
  'delete policy',
  'decide',
  'metrics',
  'on cluster',
  'pin entry',
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
  if (step.do === 'edit entries')
    return { ...step, entries: step.entries.map((entry) => ({ ...entry, rollout: shorterRollout(entry.rollout) })) };
  if (step.do !== 'declare' && step.do !== 'edit everything') return step;
  return { ...step, strategy: { ...step.strategy, rollout: shorterRollout(step.strategy.rollout) } };
}

function shorterRollout(rollout: Rollout): Rollout {
  const shorter = (time: string): string => SHORTER[time] ?? time;
  return { ...rollout, progressDeadline: shorter(rollout.progressDeadline), minSuccessTime: shorter(rollout.minSuccessTime) };
}
