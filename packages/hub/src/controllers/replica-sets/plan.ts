import { compareText } from '@outrigger/core';
import type { Action, Now } from '@outrigger/kube';
import { decideStep, type ObservedCluster } from '@outrigger/rules/rollout';
import { decisionGroupSize, readStrategy } from '@outrigger/rules/strategy';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';
import { createWork, deleteWork, labelWork, updateWork } from './actions.js';
import { setLabel } from './names.js';
import { ownLabels } from './own-labels.js';
import { type WorkProgress, progressOf, reportsProgress } from './progress.js';
import { withSoak } from './soak.js';
import type { ObservedPlacement, ReplicaSetState } from './state.js';
import { templateTest } from './template.js';

/** A work that the set keeps, and its state. */
export interface PlannedWork {
  readonly work: ReplicaSetWorkProjection;
  readonly hasTemplate: boolean;
  readonly progress: WorkProgress;
}

/** The works of one Placement, and the writes they need. */
export interface PlacementPlan {
  readonly placement: ObservedPlacement;
  readonly works: readonly PlannedWork[];
  readonly actions: readonly Action[];
  readonly hasTooManyFailures: boolean;
  readonly recheckAt: number | undefined;
}

/** Plans the works of every referenced Placement. Deletes works of a Placement that is no longer referenced. */
export function planPlacements(state: ReplicaSetState, now: Now): readonly PlacementPlan[] {
  const hasTemplate = templateTest(state.set);
  const needsProgressing = reportsProgress(state.set.template);
  const plan = (work: ReplicaSetWorkProjection): PlannedWork => ({
    work,
    hasTemplate: hasTemplate(work),
    progress: withSoak(work, progressOf(work, needsProgressing), state.seen, now),
  });
  return state.placements.map((placement) => {
    const works = state.works.filter((work) => work.placement === placement.name).map(plan);
    return placement.unknown
      ? { placement, works, actions: [], hasTooManyFailures: false, recheckAt: undefined }
      : planKnown(state, placement, works, now);
  });
}

export function deleteUnreferenced({ placements, works }: ReplicaSetState): readonly Action[] {
  const names = new Set(placements.map(({ name }) => name));
  return works.filter(({ placement, isDeleting }) => !names.has(placement) && !isDeleting).map(deleteWork);
}

function planKnown({ set }: ReplicaSetState, placement: ObservedPlacement, works: readonly PlannedWork[], now: Now): PlacementPlan {
  const { decided } = placement;
  const kept = keptWorks(works, decided.positions);
  const groups = decided.groups.map((group) => ({
    ...group,
    clusters: group.clusters.map((cluster) => observationOf(cluster, kept.get(cluster))),
  }));
  const decision = decideStep(
    {
      strategy: readStrategy(placement.strategy),
      groups,
      wildcard: undefined,
      hasCompleted: false,
      clustersPerGroup: decisionGroupSize(placement.clustersPerGroup, decided.positions.size),
      isPaused: false,
      keepsFailed: false,
    },
    now,
  );
  const admitted = decision.admitsAll ? decision.groups.flatMap(({ waiting }) => waiting.filter(({ mayMove }) => mayMove)) : undefined;
  const writes = (admitted?.map(({ cluster }) => cluster) ?? decision.admitted).map((cluster) => {
    const planned = kept.get(cluster);
    return planned ? updateWork(set, planned.work, now) : createWork(set, placement.name, cluster, now);
  });
  const labels = ownLabels(set.labels, setLabel(set.key), placement.name);
  const relabels = [...kept.values()].filter(({ work, hasTemplate }) => hasTemplate && lacks(work, labels) && !work.isDeleting);
  const surplus = placement.isFirstDecision
    ? []
    : works.filter((planned) => !planned.work.isDeleting && kept.get(planned.work.key.namespace ?? '') !== planned);
  return {
    placement,
    works: [...kept.values()],
    actions: [...writes, ...relabels.map(({ work }) => labelWork(work, labels)), ...surplus.map(({ work }) => deleteWork(work))],
    hasTooManyFailures: decision.hasTooManyFailures,
    recheckAt: decision.recheckAt,
  };
}

/** Keeps one work for each selected cluster, because another controller may have created several. */
function keptWorks(works: readonly PlannedWork[], selected: ReadonlyMap<string, number>): ReadonlyMap<string, PlannedWork> {
  const kept = new Map<string, PlannedWork>();
  const inOrder = [...works].sort(
    (a, b) => Number(a.work.isDeleting) - Number(b.work.isDeleting) || compareText(a.work.key.name, b.work.key.name),
  );
  for (const planned of inOrder) {
    const cluster = planned.work.key.namespace ?? '';
    if (selected.has(cluster) && !kept.has(cluster)) kept.set(cluster, planned);
  }
  return kept;
}

/**
 * A ManifestWorkReplicaSet has no rollout record. A work that has the template was admitted when the hub wrote the template to the work.
 */
function observationOf(cluster: string, planned: PlannedWork | undefined): ObservedCluster {
  const { phase, since } = planned?.progress ?? { phase: 'applying', since: 0 };
  const atTarget = planned?.hasTemplate ?? false;
  const admission = { revision: 0, admittedAt: '', since, unhealthyBefore: false, parkedSince: undefined };
  return {
    cluster,
    targetRevision: 0,
    mayMove: !planned?.work.isDeleting,
    report: {
      isFresh: !planned,
      atTarget,
      isDone: phase === 'succeeded',
      isAvailable: true,
      isHealthSilent: false,
      hasFailed: phase === 'failed',
    },
    isUnreachable: false,
    admission: atTarget ? admission : undefined,
    isElsewhere: false,
    isReturning: false,
    isNew: !planned,
    soakingSince: since,
    doneSince: since,
    movingSince: since,
    unreachableSince: 0,
    hasMissedWildcard: false,
  };
}

function lacks({ labels }: ReplicaSetWorkProjection, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).some(([name, value]) => labels[name] !== value);
}
