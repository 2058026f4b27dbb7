import { timeOf } from './adapters/time.js';
import type { LogEntry, LoggedPass, ObjectHistory, Stored, Violation } from './log.js';
import {
  type InFlight,
  KIND,
  type Limits,
  MARK,
  type Membership,
  type RecordStatus,
  type RecordedEntry,
  type Revision,
  type RolloutSpec,
  amount,
  conditionOf,
  governingPolicies,
  hasFailedAt,
  isDoneWith,
  isUserOwned,
  limitsOf,
  membershipOf,
  reports,
  revisionOf,
  specOf,
  statusOf,
} from './reading.js';

/** The cluster name in a wildcard admission. */
export const EVERY = '*';

/** The data of one entry in one write of the record. */
interface Admission {
  readonly history: ObjectHistory;
  readonly pass: LoggedPass;
  readonly addOn: string;
  readonly before: RecordedEntry | undefined;
  /** The other entries of the record before the write. */
  readonly others: readonly RecordedEntry[];
  readonly after: RecordedEntry;
  readonly revisions: readonly Revision[];
  readonly members: Membership | undefined;
  readonly limits: Limits;
  /** Whether the rollout is paused, or halted by an unknown pin. If so, clusters may be admitted only to a target that has completed. */
  readonly isStopped: boolean;
  /** The number of clusters that an automatic rollback may move at the same time, if a policy sets it. */
  readonly backConcurrency: number | undefined;
}

/**
 * addons.md §5: no cluster is admitted above the budget, while more clusters have failed than maxFailures, while the rollout is paused, or
 * out of the order of groups. The check uses the state that the pass had read.
 */
export function judgeRecord(history: ObjectHistory, entry: LogEntry): readonly Violation[] {
  const { pass, before, after, id } = entry;
  if (entry.kind !== KIND.rollouts || pass?.controller !== 'fleet' || !after) return [];
  const was = statusOf<RecordStatus>(before);
  const is = statusOf<RecordStatus>(after);
  const declaration = history.get(KIND.declarations, id, pass.seen[KIND.declarations]);
  if (!declaration) return [];
  const members = membershipOf(history, declaration, (kind) => pass.seen[kind] ?? 0);
  const spec = specOf<RolloutSpec>(history.get(KIND.rollouts, id, pass.seen[KIND.rollouts])) ?? {};
  const policies = governingPolicies(history, id, pass.seen[KIND.policies]);
  const backConcurrency = policies.find((policy) => policy.spec.onFailure)?.spec.onFailure?.maxConcurrency;
  const found = (is.entries ?? []).flatMap((recorded) => {
    const own = members.find(({ name }) => name === recorded.name);
    const admission: Admission = {
      history,
      pass,
      addOn: id,
      before: was.entries?.find(({ name }) => name === recorded.name),
      others: was.entries?.filter(({ name }) => name !== recorded.name) ?? [],
      after: recorded,
      revisions: is.history ?? [],
      members: own,
      limits: limitsOf(own?.entry.rolloutStrategy),
      isStopped: spec.paused === true || hasUnknownPin(spec, recorded.name, was),
      backConcurrency,
    };
    return [...judgeEntry(admission), ...judgeCompletion(admission)];
  });
  return [...found, ...twice(is), ...reused(was, is)].map((message) => ({ ...message, index: entry.index }));
}

/** Whether a pin names a revision that is not stored. The rollout is then halted, and the entry keeps its target. */
function hasUnknownPin({ pinnedEntries = [], pinnedRevision }: RolloutSpec, entry: string, { history = [] }: RecordStatus): boolean {
  const pin = pinnedEntries.find(({ name }) => name === entry)?.revision ?? pinnedRevision;
  return pin !== undefined && !history.some(({ revision }) => revision === pin);
}

/**
 * addons.md §5: a cluster that joins while the rollout is paused or halted gets the last revision that completed. A target that no cluster
 * has cannot have completed.
 */
function judgeCompletion(admission: Admission): readonly Violation[] {
  const { before, after, members, addOn } = admission;
  const { completedRevision, targetRevision = 0 } = after;
  if (!members || completedRevision !== targetRevision || before?.completedRevision === completedRevision) return [];
  if (members.clusters.some((cluster) => isDoneWith(addOnOf(admission, cluster), ownTargetOf(admission, cluster)))) return [];
  return [{ rule: 'completed', message: `${addOn} ${after.name}: revision ${targetRevision} completed, but no cluster has it` }];
}

function judgeEntry(admission: Admission): readonly Violation[] {
  const { after, members, limits } = admission;
  const admitted = newlyAdmitted(admission);
  const isWildcard = isNewWildcard(admission);
  if (!members || (admitted.length === 0 && !isWildcard)) return [];
  const names = admitted.map(({ cluster }) => cluster).join(', ');
  const found: Violation[] = [];
  const fail = (rule: string, message: string): void => void found.push({ rule, message: `${admission.addOn} ${after.name}: ${message}` });
  if (isWildcard && limits.type !== 'All') fail('wildcard', `every cluster is admitted, but the strategy is ${limits.type}`);
  if (admission.isStopped && after.completedRevision !== after.targetRevision)
    fail('paused', `${names || 'every cluster'} admitted while paused`);
  if (limits.type === 'All') return found;
  // rollout-policy.md: an automatic rollback ignores groups. Its budget comes from the policy, otherwise from the entry.
  const isBack = after.rolledBack !== undefined;
  const failures = members.clusters.filter((cluster) => hasFailed(admission, cluster)).length;
  if (limits.type === 'Progressive' || isBack) {
    const taken = (after.inFlight ?? []).filter(({ cluster, parkedSince }) => cluster !== EVERY && parkedSince === undefined).length;
    const size = members.clusters.length;
    const perGroup = Math.max(0, ...members.groups.map((group) => group.length));
    const ruled = isBack ? admission.backConcurrency : undefined;
    const concurrency = ruled ?? limits.maxConcurrency;
    const budget = concurrency === undefined ? perGroup : amount(concurrency, size);
    if (taken > budget) fail('budget', `admitting ${names} brings ${taken} clusters in flight, the budget is ${budget}`);
    const tolerated = amount(limits.maxFailures, size);
    if (failures > tolerated) fail('maxFailures', `admitting ${names} with ${failures} failures, ${tolerated} are tolerated`);
  } else judgeGroups(admission, admitted, fail);
  return found;
}

/** Groups move one after the other, so no cluster of another group may be moving, and no cluster of an earlier group may be waiting. */
function judgeGroups(admission: Admission, admitted: readonly InFlight[], fail: (rule: string, message: string) => void): void {
  const { after, members, limits } = admission;
  if (!members) return;
  const groupOf = (cluster: string): number => members.groups.findIndex((group) => group.includes(cluster));
  const groups = [...new Set(admitted.map(({ cluster }) => groupOf(cluster)))];
  const names = admitted.map(({ cluster }) => cluster).join(', ');
  // addons.md §5: a cluster that joins while the rollout is paused or halted gets the revision that completed; its group does not matter.
  const isJoining = admission.isStopped && after.completedRevision === after.targetRevision;
  if (groups.length > 1 && !isJoining) fail('groups', `${names} of ${groups.length} groups admitted at once`);
  const [own = 0] = groups;
  const away = (after.inFlight ?? []).filter(({ cluster, parkedSince }) => {
    const isOther = cluster !== EVERY && parkedSince === undefined && groupOf(cluster) !== own && groupOf(cluster) >= 0;
    return isOther && !hasFailedAt(addOnOf(admission, cluster), ownTargetOf(admission, cluster));
  });
  if (away.length > 0 && !isJoining)
    fail('groups', `${names} admitted while ${away.map(({ cluster }) => cluster).join(', ')} of another group is on its way`);
  const earlier = isJoining ? [] : members.groups.slice(0, own).flat();
  const waiting = earlier.filter((cluster) => isWaiting(admission, cluster));
  if (waiting.length > 0) fail('groups', `${names} admitted while ${waiting.join(', ')} of an earlier group is waiting`);
  for (const group of members.groups) {
    const failures = group.filter((cluster) => hasFailed(admission, cluster)).length;
    const tolerated = amount(limits.maxFailures, group.length);
    if (failures > tolerated) fail('maxFailures', `admitting ${names} with ${failures} failures in a group, ${tolerated} are tolerated`);
  }
}

/**
 * Whether a cluster still has to move to the target. It has the add-on and is available, and it has neither an admission, nor a report, nor
 * a user's override that would explain why it does not move.
 */
function isWaiting(admission: Admission, cluster: string): boolean {
  const { history, pass, after } = admission;
  const addOn = addOnOf(admission, cluster);
  const managedCluster = history.get(KIND.clusters, cluster, pass.seen[KIND.clusters]);
  const isAvailable = conditionOf(managedCluster, 'ManagedClusterConditionAvailable')?.status === 'True';
  // A cluster that is being deleted leaves the entry, so no group waits for it.
  const isStaying = isAvailable && managedCluster?.metadata.deletionTimestamp === undefined;
  if (!addOn || addOn.metadata.deletionTimestamp !== undefined || !isStaying || isPersonal(addOn)) return false;
  if (after.inFlight?.some((one) => one.cluster === cluster || one.cluster === EVERY)) return false;
  // The cluster was admitted to the target earlier, and its move missed the deadline.
  if (revisionOf(addOn) === after.targetRevision || hasExpiredElsewhere(admission, cluster)) return false;
  const target = targetOf(admission);
  return !isDoneWith(addOn, target) && !hasFailedAt(addOn, target);
}

/**
 * Whether the report of the cluster counts as a failure of this rollout. addons.md §5: the status of an earlier target never counts for this
 * one, and a cluster whose entry changes has yet to move in the new entry (ToApply). So the report does not count if the cluster is on its way
 * to another revision, in this entry or in another one.
 */
function hasFailed(admission: Admission, cluster: string): boolean {
  const { before, others } = admission;
  const addOn = addOnOf(admission, cluster);
  const target = ownTargetOf(admission, cluster);
  if (!hasFailedAt(addOn, target)) return false;
  const own = admissionIn(before, cluster);
  if (own) return [own.revision, revisionOf(addOn)].includes(target?.revision);
  const elsewhere = others.flatMap((other) => admissionIn(other, cluster) ?? []);
  return elsewhere.length === 0 || elsewhere.some(({ revision }) => revision === target?.revision);
}

/** The admission of a cluster in an entry of the record, by name or by a wildcard. */
function admissionIn(entry: RecordedEntry | undefined, cluster: string): InFlight | undefined {
  const { inFlight = [], members = [] } = entry ?? {};
  const named = inFlight.find((one) => one.cluster === cluster);
  return named ?? (members.includes(cluster) ? inFlight.find((one) => one.cluster === EVERY) : undefined);
}

/**
 * Whether the cluster came from another entry with its admission to the target, and the deadline of this entry has passed since that
 * admission. addons.md §5: the cluster has then failed, so later groups do not wait for it.
 */
function hasExpiredElsewhere(admission: Admission, cluster: string): boolean {
  const { after, others, limits, pass } = admission;
  const { deadlineMs } = limits;
  if (deadlineMs === undefined || !comesOnItsWay(admission, cluster, after.targetRevision ?? 0)) return false;
  return others.some((other) => {
    const { revision, admittedAt } = admissionIn(other, cluster) ?? {};
    return revision === after.targetRevision && pass.at - timeOf(admittedAt) >= deadlineMs;
  });
}

/** Whether a user created the add-on or set one of its fields. */
function isPersonal(addOn: Stored): boolean {
  if (addOn.metadata.annotations?.[MARK] === undefined) return true;
  return ['f:installVersion', 'f:configs'].some((field) => isUserOwned(addOn, field));
}

/**
 * Clusters that are newly admitted to the target. Not included are clusters that are retargeted from an earlier target, and clusters that
 * come from another entry in flight to the same revision, because both keep their admission.
 */
function newlyAdmitted(admission: Admission): readonly InFlight[] {
  const { before, after, revisions } = admission;
  const was = new Map((before?.inFlight ?? []).map((one) => [one.cluster, one.revision]));
  return (after.inFlight ?? []).filter(({ cluster, revision }) => {
    if (cluster === EVERY || revision !== after.targetRevision) return false;
    const named = was.get(cluster);
    const wildcard = was.get(EVERY);
    const earlier = named ?? wildcard;
    if (earlier === undefined) return !comesOnItsWay(admission, cluster, revision);
    if (earlier === revision) return false;
    return isDoneWith(
      addOnOf(admission, cluster),
      revisions.find((one) => one.revision === earlier),
    );
  });
}

/**
 * Whether another entry had the cluster in flight to this revision, and the cluster reports that it has started. A cluster that is done still
 * soaks, and keeps its slot, if the other entry names it; a wildcard admission also covers clusters whose moves have ended.
 */
function comesOnItsWay(admission: Admission, cluster: string, revision: number): boolean {
  const target = admission.revisions.find((one) => one.revision === revision);
  const addOn = addOnOf(admission, cluster);
  if (!addOn || !reports(addOn, target, 'desiredConfig')) return false;
  const isDone = isDoneWith(addOn, target);
  return admission.others.some(({ inFlight = [] }) =>
    inFlight.some((one) => one.revision === revision && (one.cluster === cluster || (one.cluster === EVERY && !isDone))),
  );
}

function isNewWildcard({ before, after }: Admission): boolean {
  const is = after.inFlight?.find(({ cluster }) => cluster === EVERY);
  const was = before?.inFlight?.find(({ cluster }) => cluster === EVERY);
  return is !== undefined && is.revision !== was?.revision;
}

function addOnOf({ history, pass, addOn }: Admission, cluster: string): Stored | undefined {
  return history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
}

function targetOf({ after, revisions }: Admission): Revision | undefined {
  return revisions.find(({ revision }) => revision === after.targetRevision);
}

/**
 * The revision that the entry gives to a cluster. The entry has separate targets for add-ons that a user created or configured. The cluster
 * goes to such a target if its admission or annotation names that target, or if a wildcard admission covers the cluster. Every other
 * cluster goes to the target of the entry.
 */
function ownTargetOf(admission: Admission, cluster: string): Revision | undefined {
  const { after, revisions } = admission;
  const addOn = addOnOf(admission, cluster);
  const own = addOn && personalRevision(after, addOn);
  const named = after.inFlight?.find((one) => one.cluster === cluster)?.revision;
  // A wildcard admission gives each add-on its own target, and writes no annotation.
  const isCovered = after.inFlight?.some((one) => one.cluster === EVERY && one.revision === after.targetRevision);
  const given = named ?? (isCovered ? own : revisionOf(addOn));
  return own !== undefined && own === given ? revisions.find(({ revision }) => revision === own) : targetOf(admission);
}

/** The separate target of the entry for this add-on, if a user created the add-on or chose its configs. */
function personalRevision({ handMadeRevision, ownConfigsRevision }: Admission['after'], addOn: Stored): number | undefined {
  if (addOn.metadata.annotations?.[MARK] === undefined) return handMadeRevision;
  return isUserOwned(addOn, 'f:configs') ? ownConfigsRevision : undefined;
}

/**
 * An entry must name a cluster only once, because an API server rejects a list with two items of the same key. An entry that is being
 * replaced may still name clusters that have moved to the new entry.
 */
function twice({ entries = [] }: RecordStatus): readonly Violation[] {
  return entries.flatMap(({ name, inFlight = [] }) => {
    const names = inFlight.map(({ cluster }) => cluster);
    const repeated = names.filter((cluster, i) => names.indexOf(cluster) !== i);
    return repeated.map((cluster) => ({ rule: 'admitted twice', message: `${name} names ${cluster} twice` }));
  });
}

/** A revision number must always refer to the same content. */
function reused({ history: was = [] }: RecordStatus, { history: is = [] }: RecordStatus): readonly Violation[] {
  const digests = new Map(was.map(({ revision, digest }) => [revision, digest]));
  return is
    .filter(({ revision, digest }) => (digests.get(revision) ?? digest) !== digest)
    .map(({ revision }) => ({ rule: 'revision reused', message: `revision ${revision} has other content than before` }));
}

/**
 * addons.md §5: a done cluster stays in flight for minSuccessTime of true time, whichever process leads. A process that takes over knows
 * the start of the soak only in whole seconds, and must not shorten the soak because of that.
 */
export function judgeSoak(history: ObjectHistory, entry: LogEntry): readonly Violation[] {
  const { pass, before, after, id } = entry;
  if (entry.kind !== KIND.rollouts || pass?.controller !== 'fleet' || !after || !before) return [];
  const was = statusOf<RecordStatus>(before);
  const is = statusOf<RecordStatus>(after);
  const declaration = history.get(KIND.declarations, id, pass.seen[KIND.declarations]);
  if (!declaration) return [];
  const found: Violation[] = [];
  for (const members of membershipOf(history, declaration, (kind) => pass.seen[kind] ?? 0)) {
    const recorded = was.entries?.find(({ name }) => name === members.name);
    const next = is.entries?.find(({ name }) => name === members.name);
    const { minSuccessMs } = limitsOf(members.entry.rolloutStrategy);
    if (!recorded || !next || recorded.targetRevision !== next.targetRevision || minSuccessMs === 0 || next.rolledBack) continue;
    const target = is.history?.find(({ revision }) => revision === next.targetRevision);
    for (const { cluster, revision } of recorded.inFlight ?? []) {
      const isGone = !next.inFlight?.some((one) => one.cluster === cluster || one.cluster === EVERY);
      const isGoing = history.get(KIND.clusters, cluster)?.metadata.deletionTimestamp !== undefined;
      if (cluster === EVERY || !isGone || isGoing || revision !== next.targetRevision || !members.clusters.includes(cluster)) continue;
      const since = doneSince(history, `${cluster}/${id}`, target, pass.seen[KIND.addOns] ?? 0);
      if (since === undefined || pass.at - since >= minSuccessMs) continue;
      const message = `${id} ${members.name}: ${cluster} left the record ${pass.at - since} ms after it was done, minSuccessTime is ${minSuccessMs}`;
      found.push({ rule: 'soak', message, index: entry.index });
    }
  }
  return found;
}

/**
 * Returns the time, by the simulator's own clock, at which the add-on became done at the revision, or undefined if the pass read a state in
 * which the add-on was not done. This is the time at which a pass of the hub read the agent's report; the hub may write its result seconds
 * later.
 */
function doneSince(history: ObjectHistory, id: string, revision: Revision | undefined, count: number): number | undefined {
  let since: number | undefined;
  for (const { from, decidedAt, object } of history.versions(KIND.addOns, id)) {
    if (from >= count) break;
    if (!isDoneWith(object, revision)) since = undefined;
    else since ??= decidedAt;
  }
  const isAvailable = conditionOf(history.get(KIND.addOns, id, count), 'Available')?.status === 'True';
  return isAvailable ? since : undefined;
}
