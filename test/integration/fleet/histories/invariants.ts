import {
  type AddOnRolloutStatus,
  type ClusterManagementAddOn,
  EVERY_CLUSTER,
  type InFlightCluster,
  type ManagedClusterAddOn,
  type RolloutEntry,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
} from '@outrigger/api';
import { type KubeObject, findCondition, parseTime } from '@outrigger/core';
import { hasWildcard } from '@outrigger/rules/revisions';
import { amountOf, type EntryMembers, membersOf, readAmount, readStrategy } from '@outrigger/rules/strategy';
import type { FleetState } from '../../../../packages/hub/src/controllers/fleet/state.js';
import type { World } from '../../../../packages/hub/testing/fleet/world.js';

/**
 * Checks every accepted write, and throws if one violates an invariant of addons.md §5: a record must keep to the budget, and an add-on may
 * only move to content that the record names for its cluster. Records are checked in the order in which they were written, so a cluster
 * that moves back is also detected.
 */
export function guard(world: World): void {
  const patience = new Patience(world);
  /** The state observed by the pass that last wrote the record. */
  let recordedBy: FleetState | undefined;
  world.hub.onChange = (kind, before, after) => {
    if (kind === managedClusterAddOns.plural && before && after)
      checkMove(world, before as ManagedClusterAddOn, after as ManagedClusterAddOn);
    if (kind === clusterManagementAddOns.plural && before && after)
      checkObserved(world, recordedBy, before as ClusterManagementAddOn, after as ClusterManagementAddOn);
    if (kind !== addOnRollouts.plural || !after || !world.lastSeen) return;
    recordedBy = world.lastSeen;
    const [was, is] = [statusOf(before), statusOf(after)];
    for (const entry of is.entries ?? []) {
      const earlier = was.entries?.find(({ name }) => name === entry.name);
      const others = was.entries?.filter(({ name }) => name !== entry.name) ?? [];
      checkEntry(world.lastSeen, earlier, others, entry);
      checkGates(world, world.lastSeen, { before: earlier, others }, entry);
      checkRollBack(world.lastSeen, was, earlier, entry);
      patience.check(world.lastSeen, earlier, entry);
    }
  };
}

/**
 * Checks attack case AT-48 (docs/security-cases.md): while the process that admitted a cluster is still the leader, soak and deadline are
 * measured with a monotonic clock. A new leader has only the recorded times, so the admissions of an earlier leader are not checked.
 */
class Patience {
  readonly #world: World;
  readonly #admissions = new Map<string, { readonly at: number; readonly by: object | undefined }>();

  constructor(world: World) {
    this.#world = world;
  }

  check(seen: FleetState, before: RolloutEntry | undefined, after: RolloutEntry): void {
    const { monotonic: now, lastProcess: by } = this.#world;
    // A cluster that moves to another entry is admitted again there.
    const keyOf = ({ cluster, revision, admittedAt }: InFlightCluster): string => `${after.name} ${cluster} ${revision} ${admittedAt}`;
    const named = new Set((after.inFlight ?? []).map(keyOf));
    const members = membersOf(seen).entries.find(({ observation }) => observation.entry.name === after.name);
    for (const one of after.inFlight ?? []) {
      const key = keyOf(one);
      if (this.#admissions.has(key)) continue;
      // A cluster that a wildcard admission admitted, and that the record now lists by name, has been in flight since the wildcard
      // admission. If a cluster was already done with the target when the record listed it, its soak began when the cluster was done.
      const byWildcard = this.#admissions.get(keyOf({ ...one, cluster: EVERY_CLUSTER }));
      const at = isAtRest(seen, members, one.cluster, one.revision) ? Number.NEGATIVE_INFINITY : now;
      this.#admissions.set(key, byWildcard ?? { at, by });
    }
    for (const one of before?.inFlight ?? []) {
      const key = keyOf(one);
      if (named.has(key)) continue;
      const admission = this.#admissions.get(key);
      this.#admissions.delete(key);
      const isSameTarget = before?.targetRevision === after.targetRevision && one.revision === after.targetRevision;
      const patience = isSameTarget ? patienceWith(seen, one, after) : 0;
      if (admission?.by === by && admission && now - admission.at < patience) {
        throw new Error(`${after.name}: ${one.cluster} left after ${now - admission.at} ms instead of ${patience}`);
      }
    }
  }
}

/**
 * Returns the minimum time that a cluster must stay in flight. Returns 0 if the cluster has failed, the record names it again, it has left
 * the entry, or an automatic rollback moves it without a soak.
 */
function patienceWith(seen: FleetState, { cluster }: InFlightCluster, { name, inFlight = [], rolledBack }: RolloutEntry): number {
  if (rolledBack) return 0;
  const members = membersOf(seen).entries.find(({ observation }) => observation.entry.name === name);
  const group = members?.groups.find(({ clusters }) => clusters.includes(cluster));
  const report = group?.addOns[group.clusters.indexOf(cluster)]?.report;
  const isNamedAgain = inFlight.some((one) => one.cluster === cluster || one.cluster === EVERY_CLUSTER);
  if (!members || !report || isNamedAgain || report.progressing === 'Failed') return 0;
  const { minSuccessMs, progressDeadlineMs = Number.POSITIVE_INFINITY } = readStrategy(members.observation.entry.rolloutStrategy);
  return Math.min(minSuccessMs, progressDeadlineMs);
}

/**
 * Checks that a declaration that reports its generation as observed has a record with the targets of that generation, so that a client that
 * reads both never mistakes a record of an earlier generation for the result. A replica that has not yet observed another replica's record
 * is not checked, because leader election prevents its writes.
 */
function checkObserved(
  world: World,
  recordedBy: FleetState | undefined,
  before: ClusterManagementAddOn,
  after: ClusterManagementAddOn,
): void {
  const isLatest = world.lastSeen?.rollout?.resourceVersion === world.rollout()?.metadata.resourceVersion;
  if (recordedBy !== world.lastSeen && !isLatest) return;
  const observed = ({ status }: ClusterManagementAddOn): number =>
    findCondition(status?.conditions, 'TargetsResolved')?.observedGeneration ?? 0;
  if (observed(before) === observed(after)) return;
  const { entries = [], history = [] } = world.rollout()?.status ?? {};
  for (const { name, namespace, configReferences = [] } of after.status?.installProgressions ?? []) {
    const declared = configReferences.find(({ resource }) => resource === 'addontemplates')?.desiredConfig?.specHash;
    const entry = entries.find((one) => one.name === `${namespace}/${name}`);
    if (declared === undefined || declared === '' || !entry) continue;
    if (!hasContent(history, entry.targetRevision, declared))
      throw new Error(`${entry.name}: generation ${observed(after)} is observed, and the record has the target of another one`);
  }
}

function statusOf(object: KubeObject | undefined): AddOnRolloutStatus {
  return (object as { status?: AddOnRolloutStatus } | undefined)?.status ?? {};
}

/**
 * Checks one entry of a record against the strategy, the members and the add-ons that the writer of the record had observed, because the
 * writer cannot know newer ones. A cluster that the earlier record names for another revision is retargeted if it is still moving to that
 * revision. If the writer had observed that the cluster is done, naming the cluster for the target starts a new move and is treated as an
 * admission (AT-61). A cluster that was in flight to the same revision in another entry keeps that admission. Only strategy All makes a
 * wildcard admission.
 */
function checkEntry(seen: FleetState, before: RolloutEntry | undefined, others: readonly RolloutEntry[], after: RolloutEntry): void {
  const wasNamed = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one.revision]));
  const named = (after.inFlight ?? []).filter(({ cluster }) => cluster !== EVERY_CLUSTER);
  const members = membersOf(seen).entries.find(({ observation }) => observation.entry.name === after.name);
  const startsMove = ({ cluster, revision }: InFlightCluster): boolean => {
    const earlier = wasNamed.get(cluster) ?? wasNamed.get(EVERY_CLUSTER);
    if (earlier === undefined) return !others.some((other) => isInFlight(other, cluster, revision));
    return earlier !== revision && isAtRest(seen, members, cluster, earlier);
  };
  const admitted = named.filter((one) => one.revision === after.targetRevision && startsMove(one));
  const declared = readStrategy(members?.observation.entry.rolloutStrategy);
  const hadWildcard = before !== undefined && hasWildcard(before) && before.targetRevision === after.targetRevision;
  if (hasWildcard(after) && !hadWildcard && declared.type !== 'All')
    throw new Error(`${after.name}: a wildcard admission to ${after.targetRevision} under strategy ${declared.type}`);
  if (admitted.length === 0) return;
  const groups = members?.groups ?? [];
  if (declared.type === 'All') return;
  // An automatic rollback ignores groups.
  const strategy = after.rolledBack ? { ...declared, type: 'Progressive' as const } : declared;
  const size = members?.count ?? 0;
  const onTheWay = named.filter(({ parkedSince }) => parkedSince === undefined).length;
  // A group does not wait for the failed clusters of the group before it, although these stay in flight until their deadline.
  const taken = strategy.type === 'Progressive' ? onTheWay : onTheWay - Math.min(onTheWay, after.failed ?? 0);
  const perGroup = amountOf(readAmount(members?.observation.clustersPerGroup) ?? { percent: 100 }, size);
  const budget =
    strategy.type === 'Progressive'
      ? amountOf(strategy.maxConcurrency ?? { count: perGroup }, size)
      : Math.max(0, ...groups.map(({ clusters }) => clusters.length));
  const names = admitted.map(({ cluster }) => cluster).join();
  if (taken > budget) throw new Error(`${after.name}: admitting ${names} brings ${taken} in flight, the budget is ${budget}`);
  const tolerated =
    strategy.type === 'Progressive'
      ? amountOf(strategy.maxFailures, size)
      : groups.reduce((sum, { clusters }) => sum + amountOf(strategy.maxFailures, clusters.length), 0);
  if ((after.failed ?? 0) > tolerated) {
    throw new Error(`${after.name}: admitting ${names} with ${after.failed} failures, ${tolerated} are tolerated`);
  }
  if (seen.rollout?.spec.paused && after.completedRevision !== after.targetRevision) {
    throw new Error(`${after.name}: admitting ${names} while paused`);
  }
}

/** Checks that content is rejected only if a policy asks to roll back, and never if a pin names it. */
function checkRejected(seen: FleetState, was: AddOnRolloutStatus, { name, rejected = [] }: RolloutEntry): void {
  const known = new Set((was.entries ?? []).flatMap((entry) => (entry.rejected ?? []).map(({ digest, at }) => `${digest} ${at}`)));
  const fresh = rejected.find(({ digest, at }) => !known.has(`${digest} ${at}`));
  if (!fresh) return;
  if (!seen.policies.some(({ onFailure }) => onFailure?.action === 'RollBack'))
    throw new Error(`${name}: revision ${fresh.revision} is rejected although no policy asks to roll back`);
  if (seen.rollout?.spec.pinnedRevision !== undefined)
    throw new Error(`${name}: revision ${fresh.revision} is rejected although it is pinned`);
}

/**
 * Checks automatic rollbacks. A rollback goes from rejected content to a target that completed, no gate holds the rollback, and no second
 * rollback follows. An entry never goes to rejected content, unless a pin names this content.
 */
function checkRollBack(seen: FleetState, was: AddOnRolloutStatus, before: RolloutEntry | undefined, after: RolloutEntry): void {
  const { rolledBack, rejected = [], targetRevision, waitingFor = [], timeline = [] } = after;
  checkRejected(seen, was, after);
  if (rolledBack && waitingFor.length > 0) throw new Error(`${after.name}: ${waitingFor[0]?.name} holds a way back`);
  if (before?.rolledBack && rejected.length > (before.rejected ?? []).length && before.targetRevision === targetRevision) {
    const isOwn = rejected.some(({ revision }) => revision === targetRevision);
    if (isOwn) throw new Error(`${after.name}: an automatic way back rejects its own target ${targetRevision}`);
  }
  if (before?.targetRevision === undefined || before.targetRevision === targetRevision) return;
  const hasPin = seen.rollout?.spec.pinnedRevision !== undefined;
  if (!hasPin && (before.rejected ?? []).some(({ revision }) => revision === targetRevision)) {
    throw new Error(`${after.name}: goes to revision ${targetRevision}, which is rejected`);
  }
  if (!rolledBack || before.rolledBack?.at === rolledBack.at) return;
  const hasCompleted = timeline.slice(1).some(({ to, outcome }) => to === targetRevision && outcome === 'Completed');
  if (!hasCompleted && before.completedRevision !== targetRevision) {
    throw new Error(`${after.name}: goes back to revision ${targetRevision}, which never completed`);
  }
}

/**
 * Checks that the record admits no cluster that a gate in the writer's policies holds, unless the target completed earlier in the entry.
 * Only clusters with content are checked, because the record alone does not determine whether a cluster without content is installed or
 * upgraded.
 */
function checkGates(
  world: World,
  seen: FleetState,
  { before, others }: { readonly before: RolloutEntry | undefined; readonly others: readonly RolloutEntry[] },
  after: RolloutEntry,
): void {
  const target = after.targetRevision ?? 0;
  if (isWayBack(after)) return checkHeldWayBack(after);
  const isGoverned = seen.policies.length > 0 || (before?.waitingFor ?? []).length > 0;
  if (!isGoverned) return;
  const addOns = new Map(seen.addOns.map((clusterAddOn) => [clusterAddOn.key.namespace ?? '', clusterAddOn]));
  const members = membersOf(seen).entries.find(({ observation }) => observation.entry.name === after.name);
  for (const cluster of after.members ?? []) {
    if (others.some((other) => other.members?.includes(cluster) && isInFlight(other, cluster, target))) continue;
    if (!isAdmitted(after, cluster) || isInFlight(before, cluster, target)) continue;
    // The line above skips clusters that the record still names for an earlier target, because they are not admitted to this target.
    const clusterAddOn = addOns.get(cluster);
    const record = seen.cluster(cluster);
    if (!clusterAddOn || !record || clusterAddOn.revision === target || isPersonal(world.addOn(cluster))) continue;
    // Only the record contains the revision of a cluster under a wildcard admission.
    const isCovered = before?.members?.includes(cluster) === true && isAdmitted(before, cluster) && hasReported(members, cluster);
    const hasContent = clusterAddOn.revision !== undefined || isCovered;
    if (!hasContent || isAtRest(seen, members, cluster, target)) continue;
    const isHeld = seen.policies.some(({ windows }) =>
      windows.some(({ times, clusters }) => {
        const isOpen = times.type === 'Once' && isWithin(times, world.wall);
        return isOpen && (clusters === undefined || clusters.matches(record.labels));
      }),
    );
    const why = isHeld ? 'a window holds it' : closedFor(world, seen, before, after);
    if (why !== undefined) throw new Error(`${after.name}: ${cluster} is admitted to ${target} although ${why}`);
  }
}

/** Whether the target completed earlier in the entry. A target that is set because a pin ended is no way back. */
function isWayBack({ timeline = [], targetRevision }: RolloutEntry): boolean {
  const [current, ...earlier] = timeline;
  if (current?.to !== targetRevision || (current?.cause === 'Pin' && !current.pinned)) return false;
  return earlier.some(({ to, outcome }) => to === targetRevision && outcome === 'Completed');
}

/** Checks that no gate holds a way back. A gate that was removed stays in the list until it opens, but it must hold no cluster. */
function checkHeldWayBack({ name, targetRevision, waitingFor = [] }: RolloutEntry): void {
  const wait = waitingFor.find(({ operation, loosened, clusters }) => operation !== 'Remove' && !(loosened && clusters === 0));
  if (wait) throw new Error(`${name}: ${wait.name} holds the way back to revision ${targetRevision}`);
}

/** Returns why no cluster with content may be admitted to the target: a missing approval, a rejection, or a loosened gate. */
function closedFor(world: World, seen: FleetState, before: RolloutEntry | undefined, after: RolloutEntry): string | undefined {
  const madeAt = parseTime(world.rollout()?.metadata.creationTimestamp) ?? 0;
  const own = seen.decisions.filter((one) => one.entry === after.name && one.revision === after.targetRevision && one.createdAt >= madeAt);
  for (const { name, approvals } of seen.policies) {
    const isApproved = (gate: string): boolean => own.some((one) => one.decision === 'Approved' && one.gate === `${name}/${gate}`);
    const missing = approvals.find((approval) => approval.place === 'BeforeRollout' && !isApproved(approval.name));
    if (missing) return `${missing.name} has no approval of this revision`;
    const of = (decision: string): readonly number[] =>
      own.filter((one) => one.decision === decision && one.gate.startsWith(`${name}/`)).map(({ createdAt }) => createdAt);
    if (Math.max(-1, ...of('Rejected')) > Math.max(-1, ...of('Retried'))) return 'a person rejected this revision';
  }
  const digests = new Map(
    seen.policies.flatMap(({ name, windows, approvals }) =>
      [...windows, ...approvals].map((gate): [string, string] => [`${name}/${gate.name}`, gate.digest]),
    ),
  );
  const removed = before?.waitingFor?.find(({ name, digest, clusters = 0, loosened, until }) => {
    if (loosened) return (parseTime(until) ?? 0) > world.wall;
    return digest !== undefined && clusters > 0 && digests.get(name) !== digest;
  });
  return removed && `${removed.name} was removed or changed while it held clusters`;
}

function isWithin({ from, until }: { readonly from: object; readonly until: object }, now: number): boolean {
  const instant = (moment: object): number => ('instant' in moment ? (moment.instant as number) : Number.NaN);
  return instant(from) <= now && now < instant(until);
}

function isAdmitted(entry: RolloutEntry | undefined, cluster: string): boolean {
  return isInFlight(entry, cluster, entry?.targetRevision);
}

function isInFlight(entry: RolloutEntry | undefined, cluster: string, to: number | undefined): boolean {
  return (entry?.inFlight ?? []).some(
    ({ cluster: name, revision, except = [] }) =>
      revision === to && (name === cluster || (name === EVERY_CLUSTER && !except.includes(cluster))),
  );
}

/** Whether the add-on of the cluster has reported content. */
function hasReported(members: EntryMembers | undefined, cluster: string): boolean {
  const group = members?.groups.find(({ clusters }) => clusters.includes(cluster));
  return (group?.addOns[group.clusters.indexOf(cluster)]?.report.configReferences.length ?? 0) > 0;
}

/** Whether the writer had observed that an add-on is done with a revision. */
function isAtRest(seen: FleetState, members: EntryMembers | undefined, cluster: string, revision: number): boolean {
  const group = members?.groups.find(({ clusters }) => clusters.includes(cluster));
  const report = group?.addOns[group.clusters.indexOf(cluster)]?.report;
  const template = seen.rollout?.status.history?.find((target) => target.revision === revision)?.configs?.[0];
  const reported = report?.configReferences[0]?.lastAppliedConfig;
  return (
    report?.progressing === 'Succeed' && report.isApplied && reported?.name === template?.name && reported?.specHash === template?.specHash
  );
}

/** Checks that an add-on moves only to content that the record names for its cluster, or that its annotation already names. */
function checkMove(world: World, before: ManagedClusterAddOn, after: ManagedClusterAddOn): void {
  checkAnnotation(world, before, after);
  const content = (clusterAddOn: ManagedClusterAddOn): string => clusterAddOn.status?.configReferences?.[0]?.desiredConfig?.specHash ?? '';
  const isOwn = after.spec.installVersion !== undefined && after.metadata.managedFields?.some(({ manager }) => manager === 'person');
  if (content(before) === content(after) || isOwn) return;
  const status = world.rolloutSeenByAddOns()?.status ?? {};
  const { entries = [], history = [] } = status;
  const allowed = [...revisionsFor(status, after.metadata.namespace ?? ''), annotated(before)];
  // When a user removes an override, the add-on returns to the fleet's content.
  const isGivenBack = entries.some(({ targetRevision }) => hasContent(history, targetRevision, content(after)));
  if (allowed.some((revision) => hasContent(history, revision, content(after)))) return;
  if (isGivenBack && before.status?.installVersion !== undefined && wasOwn(before)) return;
  throw new Error(`${after.metadata.namespace} moved to content the record does not name for it: ${JSON.stringify(entries)}`);
}

/**
 * Checks that the annotation names only a revision that a record gives the cluster: the record that the add-on pass observed, the one that
 * the fleet pass observed, or the current one.
 */
function checkAnnotation(world: World, before: ManagedClusterAddOn, after: ManagedClusterAddOn): void {
  const revision = annotated(after);
  if (revision === undefined || revision === annotated(before)) return;
  const cluster = after.metadata.namespace ?? '';
  const records = [world.rolloutSeenByAddOns()?.status ?? {}, world.rollout()?.status ?? {}, world.lastSeen?.rollout?.status ?? {}];
  if (records.some((status) => revisionsFor(status, cluster).includes(revision))) return;
  throw new Error(`${cluster} is annotated with revision ${revision}, which no record gives it: ${JSON.stringify(records[1]?.entries)}`);
}

function annotated({ metadata }: ManagedClusterAddOn): number | undefined {
  const text = metadata.annotations?.['outrigger.dev/revision'];
  return text === undefined ? undefined : Number(text);
}

/** Returns the revisions that a record gives a cluster, by name or by a wildcard admission. */
function revisionsFor({ entries = [] }: AddOnRolloutStatus, cluster: string): readonly (number | undefined)[] {
  return entries.flatMap(({ inFlight = [], targetRevision, handMadeRevision, ownConfigsRevision }) =>
    inFlight.flatMap((admitted) => {
      const isCovered = admitted.cluster === EVERY_CLUSTER && !(admitted.except ?? []).includes(cluster);
      if (isCovered) return [targetRevision, handMadeRevision, ownConfigsRevision];
      return admitted.cluster === cluster ? [admitted.revision] : [];
    }),
  );
}

/** Whether a user has set the version of the add-on, now or before. Its content is not that of the target. */
function isPersonal(clusterAddOn: ManagedClusterAddOn | undefined): boolean {
  if (!clusterAddOn) return false;
  return wasOwn(clusterAddOn) || clusterAddOn.metadata.managedFields?.some(({ manager }) => manager === 'person') === true;
}

function wasOwn({ metadata }: ManagedClusterAddOn): boolean {
  return metadata.annotations?.['test/was-own'] === 'true';
}

function hasContent(history: NonNullable<AddOnRolloutStatus['history']>, revision: number | undefined, specHash: string): boolean {
  return history.some((target) => target.revision === revision && target.configs?.some((config) => config.specHash === specHash));
}
