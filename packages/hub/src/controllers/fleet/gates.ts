import type { RolloutEntry, RolloutWait } from '@outrigger/api';
import {
  GateDecisions,
  evaluateGates,
  type GateCluster,
  type GateGroup,
  type RecordedGates,
  type RemovalGate,
  removalGates,
} from '@outrigger/rules/policy';
import { hasGates } from '@outrigger/rules/revisions';
import { admissionTimes, type GateAnswer, type Gates } from '@outrigger/rules/rollout';
import type { FleetState } from './state.js';

/** Returns the gates of one entry for a target, or undefined if no gates must be evaluated. */
export function entryGates(
  state: FleetState,
  now: number,
  entry: string,
  before: RolloutEntry | undefined,
  { target, isWayBack }: { readonly target: number; readonly isWayBack: boolean },
): Gates | undefined {
  if (!hasGates(state, before)) return undefined;
  const { key } = state.managementAddOn;
  const input = {
    policies: state.policies,
    decisions: state.decisions,
    areDecisionsEnforced: state.decisionsEnforcedSince !== undefined,
    isClockTrusted: state.isClockTrusted,
    rollout: {
      addOn: key.name,
      entry,
      revision: target,
      createdAt: Math.max(state.rollout?.createdAt ?? 0, state.decisionsEnforcedSince ?? 0),
    },
    isWayBack,
    before: before && recordedGates(before, target),
    taken: state.measurements.taken.filter((one) => one.entry === entry),
    admittedAt: admissionTimes(before, target),
    now,
  };
  return (groups) => answerOf(state, evaluateGates({ ...input, groups: gateGroups(state, groups) }));
}

function answerOf(state: FleetState, verdict: ReturnType<typeof evaluateGates>): GateAnswer {
  const { held, holdsCompletion, mayInstall, waitingFor, openedGates, analysis, failure, measurements, recheckAt } = verdict;
  return {
    held,
    holdsEnd: holdsCompletion,
    mayInstall: (cluster) => mayInstall(gateCluster(state, cluster, 'Install')),
    waitingFor,
    openedGates,
    analysis,
    failure,
    measurements,
    recheckAt,
  };
}

/**
 * Returns the recorded state of the gates for a target. If the target has changed, the waits start anew, and measurements from an earlier
 * rollout to the same target do not count.
 */
function recordedGates({ waitingFor, openedGates, analysis, targetRevision }: RolloutEntry, target: number): RecordedGates {
  const isSame = targetRevision === target;
  const waits = isSame ? waitingFor : waitingFor?.map(withoutTimes);
  const measured = isSame ? analysis : analysis?.filter(({ revision }) => revision !== target);
  return { ...(waits ? { waitingFor: waits } : {}), ...(openedGates ? { openedGates } : {}), ...(measured ? { analysis: measured } : {}) };
}

function withoutTimes({ since: _, approvalsSince: __, ...wait }: RolloutWait): RolloutWait {
  return wait;
}

function gateGroups(state: FleetState, groups: Parameters<Gates>[0]): readonly GateGroup[] {
  const isMeasured = state.policies.some(({ analyses }) => analyses.length > 0);
  let isReached = true;
  return groups.map(({ name, index, size, clusters, isFinished, admittedAt, moved }) => {
    const group = {
      name,
      index,
      size,
      waiting: clusters.map(({ cluster, operation }) => gateCluster(state, cluster, operation)),
      isReached,
      isDone: isFinished,
      ...(isMeasured ? { admittedAt: admittedAt(), moved: moved() } : {}),
    };
    isReached &&= isFinished;
    return group;
  });
}

function gateCluster({ cluster }: FleetState, name: string, operation: GateCluster['operation']): GateCluster {
  const record = cluster(name);
  return { name, labels: record?.labels ?? {}, annotations: record?.timeZones ?? {}, operation };
}

/** Returns a function that determines when the add-on may be removed from a cluster, and the gates that hold the removal. */
export function removalGate(state: FleetState, recorded: readonly RolloutWait[], now: number): (cluster: string) => RemovalGate {
  const { policies, isClockTrusted } = state;
  const gateOf = removalGates({ policies, overrides: removalOverrides(state), isClockTrusted, recorded, now });
  return (name) => {
    const { operation: _, ...cluster } = gateCluster(state, name, 'Upgrade');
    return gateOf(cluster);
  };
}

/**
 * The gate overrides of windows that apply to removals. A removal has no revision, so a gate override applies while the revision that it
 * names is the target of an entry.
 */
function removalOverrides({
  managementAddOn,
  rollout,
  decisions,
  decisionsEnforcedSince,
}: FleetState): Pick<GateDecisions, 'override'> | undefined {
  if (decisionsEnforcedSince === undefined) return undefined;
  const addOn = managementAddOn.key.name;
  const createdAt = Math.max(rollout?.createdAt ?? 0, decisionsEnforcedSince);
  const ofEntries = (rollout?.status.entries ?? []).flatMap(({ name, targetRevision }) =>
    targetRevision === undefined ? [] : [new GateDecisions(decisions, { addOn, entry: name, revision: targetRevision, createdAt })],
  );
  return { override: (gate, now) => ofEntries.map((one) => one.override(gate, now)).find((decision) => decision !== undefined) };
}
