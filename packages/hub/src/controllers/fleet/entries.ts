import { EVERY_CLUSTER, type RolloutEntry, type RolloutTarget, UNKNOWN_VERSION } from '@outrigger/api';
import { conditionStatus, findCondition, parseTime, toTime } from '@outrigger/core';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { isUnreachable } from '../../resources/clusters.js';
import { type EntryDecision, type EntryState, decideEntry } from '../../rollout/admit.js';
import type { ClusterObservation, Phase } from '../../rollout/phase.js';
import { amountOf, readAmount, readStrategy } from '../../rollout/strategy.js';
import { pinned } from '../addon/steps/target.js';
import type { EntryObservation, FleetState } from './state.js';

/** One entry's part of the record, before and after this step. */
export interface EntryStep {
  readonly entry: RolloutEntry;
  readonly recheckAt: number | undefined;
}

/** Advances the rollout of one entry. `members` are the clusters that belong to it, a later entry's left out. */
export function stepEntry(
  state: FleetState,
  observation: EntryObservation,
  members: ReadonlyMap<string, AddOnRecord | undefined>,
  target: RolloutTarget,
  before: RolloutEntry | undefined,
  now: number,
): EntryStep {
  const isNewTarget = before?.targetRevision !== target.revision;
  const entryState: EntryState = {
    strategy: readStrategy(observation.entry.rolloutStrategy),
    groups: observation.groups.map((group) => ({ ...group, clusters: group.clusters.filter((cluster) => members.has(cluster)) })),
    observations: new Map([...members].map(([cluster, addOn]) => [cluster, observe(state, cluster, addOn, target)])),
    // A new target keeps the slots: whoever is in flight is retargeted, and its time starts again.
    inFlight: new Map(inFlightOf(before).map(({ cluster, admittedAt }) => [cluster, isNewTarget ? now : (parseTime(admittedAt) ?? now)])),
    admittedAllAt: admittedAllAt(before, isNewTarget),
    clustersPerGroup: perGroup(observation, members.size),
    isPaused: state.rollout?.spec.paused === true,
  };
  const decision = decideEntry(entryState, now);
  return { entry: record(observation, target, before, decision, now), recheckAt: decision.recheckAt };
}

function inFlightOf(before: RolloutEntry | undefined): NonNullable<RolloutEntry['inFlight']> {
  return (before?.inFlight ?? []).filter(({ cluster }) => cluster !== EVERY_CLUSTER);
}

/** Only a star of the same target admits everybody; for a new target it must be given again. */
function admittedAllAt(before: RolloutEntry | undefined, isNewTarget: boolean): number | undefined {
  const star = before?.inFlight?.find(({ cluster }) => cluster === EVERY_CLUSTER);
  return isNewTarget ? undefined : parseTime(star?.admittedAt);
}

function perGroup({ clustersPerGroup }: EntryObservation, total: number): number {
  const amount = readAmount(clustersPerGroup);
  return amount ? amountOf(amount, total) : total;
}

/** Reads one add-on against a target; what its status says of another target counts for nothing. */
function observe(state: FleetState, cluster: string, addOn: AddOnRecord | undefined, target: RolloutTarget): ClusterObservation {
  const conditions = addOn?.status.conditions;
  const atTarget = addOn !== undefined && speaksOf(addOn, target);
  const progressing = findCondition(conditions, 'Progressing');
  const available = findCondition(conditions, 'Available');
  const isDone = atTarget && progressing?.reason === 'Succeed' && addOn.status.currentVersion !== UNKNOWN_VERSION && isApplied(addOn);
  const record = state.cluster(cluster);
  return {
    cluster,
    createdAt: addOn?.createdAt,
    atTarget,
    isDone,
    doneAt: isDone ? parseTime(progressing.lastTransitionTime) : undefined,
    availableSince: available?.status === 'True' ? parseTime(available.lastTransitionTime) : undefined,
    isUnhealthyBefore: isHealthSilent(addOn),
    hasFailed: atTarget && progressing?.reason === 'Failed',
    unreachableSince: isUnreachable(record) ? record?.available?.since : undefined,
  };
}

/** Whether the add-on's own status names the target; kinds a person overrides are not compared. */
export function speaksOf(addOn: AddOnRecord, target: RolloutTarget): boolean {
  const desired = new Map((addOn.status.configReferences ?? []).map((ref) => [`${ref.group ?? ''}/${ref.resource}`, ref.desiredConfig]));
  const refs = pinned(target);
  if (refs.length === 0)
    return (addOn.status.configReferences ?? []).length === 0 && findCondition(addOn.status.conditions, 'Configured') !== undefined;
  return refs.every((ref) => {
    const config = desired.get(`${ref.group}/${ref.resource}`);
    return (
      config !== undefined && config.name === ref.name && (config.namespace ?? '') === ref.namespace && config.specHash === ref.specHash
    );
  });
}

function isApplied(addOn: AddOnRecord): boolean {
  return (addOn.status.configReferences ?? []).every(
    ({ desiredConfig, lastAppliedConfig }) => desiredConfig?.specHash === lastAppliedConfig?.specHash,
  );
}

/** Health tells nothing about the move where a required dependency is missing. */
function isHealthSilent(addOn: AddOnRecord | undefined): boolean {
  const degraded = findCondition(addOn?.status.conditions, 'Degraded');
  const isMissing = degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied';
  return isMissing || conditionStatus(addOn?.status.conditions, 'Available') === undefined;
}

function record(
  { entry }: EntryObservation,
  target: RolloutTarget,
  before: RolloutEntry | undefined,
  decision: EntryDecision,
  now: number,
): RolloutEntry {
  const count = (...phases: Phase[]): number => decision.standings.filter(({ phase }) => phases.includes(phase)).length;
  const waiting = count('waiting');
  const moving = count('progressing', 'soaking', 'failing', 'parked');
  const isComplete = waiting === 0 && moving === 0 && count('failed') === 0;
  const revision = target.revision;
  const star = { cluster: EVERY_CLUSTER, revision, admittedAt: admittedAt(before, revision, now) };
  const inFlight = decision.admitsAll
    ? [star]
    : [...decision.inFlight]
        .map(([cluster, at]) => ({ cluster, revision, admittedAt: toTime(at) }))
        .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
  const completedRevision = isComplete ? revision : before?.completedRevision;
  return {
    name: entry.name,
    targetRevision: revision,
    ...(completedRevision === undefined ? {} : { completedRevision }),
    startedAt: before?.targetRevision === revision ? (before.startedAt ?? toTime(now)) : toTime(now),
    ...(inFlight.length > 0 ? { inFlight } : {}),
    selected: decision.standings.length,
    done: count('succeeded'),
    progressing: moving,
    failed: count('failed', 'failing'),
    skipped: count('skipped'),
    state: stateOf(decision, isComplete),
  };
}

function admittedAt(before: RolloutEntry | undefined, revision: number, now: number): string {
  const star = before?.inFlight?.find(({ cluster }) => cluster === EVERY_CLUSTER);
  return star && star.revision === revision ? star.admittedAt : toTime(now);
}

function stateOf(decision: EntryDecision, isComplete: boolean): NonNullable<RolloutEntry['state']> {
  if (decision.hold === 'Paused') return 'Paused';
  if (decision.hold === 'TooManyFailures') return 'Halted';
  return isComplete ? 'Completed' : 'Progressing';
}
