import { PLACEMENT_MESSAGES, type PlacementCondition, SATISFIED_MESSAGES } from '@outrigger/api';
import type { Misconfiguration } from './misconfigured.js';
import type { Schedule } from './schedule.js';

type Satisfied = Extract<PlacementCondition, { type: 'PlacementSatisfied' }>;
type UnsatisfiedReason = Extract<Satisfied, { status: 'False' }>['reason'];

/** The cluster sets that the clusters come from, used to explain why no cluster is selected. */
export interface Sources {
  /** The number of existing sets that are bound to the namespace. */
  readonly bound: number;
  /** The names of the bound cluster sets that the Placement requests. */
  readonly eligible: readonly string[];
  readonly clusters: number;
}

export function satisfiedCondition(
  sources: Sources,
  clusterSets: readonly string[],
  { count, unscheduled }: Pick<Schedule, 'count' | 'unscheduled'>,
): Satisfied {
  const { bound, eligible, clusters } = sources;
  if (bound === 0) return unsatisfied('NoManagedClusterSetBindings', SATISFIED_MESSAGES.noBindings);
  if (eligible.length === 0) return unsatisfied('NoIntersection', SATISFIED_MESSAGES.noIntersection(clusterSets));
  if (clusters === 0) return unsatisfied('AllManagedClusterSetsEmpty', SATISFIED_MESSAGES.setsEmpty(eligible));
  if (count === 0) return unsatisfied('NoManagedClusterMatched', SATISFIED_MESSAGES.noneMatched);
  if (unscheduled > 0) return unsatisfied('NotAllDecisionsScheduled', PLACEMENT_MESSAGES.unscheduled(unscheduled));
  return { type: 'PlacementSatisfied', status: 'True', reason: 'AllDecisionsScheduled', message: SATISFIED_MESSAGES.allScheduled };
}

/** The condition to report if the clusters could not be selected or the PlacementDecisions could not be written. */
export function failedCondition(message: string): Satisfied {
  return unsatisfied('NotAllDecisionsScheduled', message);
}

function unsatisfied(reason: UnsatisfiedReason, message: string): Satisfied {
  return { type: 'PlacementSatisfied', status: 'False', reason, message };
}

export function misconfiguredCondition(misconfigured: Misconfiguration | undefined): PlacementCondition {
  if (!misconfigured) {
    return { type: 'PlacementMisconfigured', status: 'False', reason: 'Succeedconfigured', message: PLACEMENT_MESSAGES.wellConfigured };
  }
  const { plugin, problem } = misconfigured;
  const message = PLACEMENT_MESSAGES.misconfigured(plugin, problem);
  return { type: 'PlacementMisconfigured', status: 'True', reason: 'Misconfigured', message };
}
