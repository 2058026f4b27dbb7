import { timeOf } from './adapters/time.js';
import type { LogEntry, LoggedPass, ObjectHistory, Stored, Violation } from './log.js';
import {
  KIND,
  type Membership,
  type PolicySpec,
  type RecordStatus,
  type RecordedEntry,
  type Revision,
  type Wait,
  decisionsOf,
  governingPolicies,
  isDoneWith,
  limitsOf,
  membershipOf,
  revisionOf,
  statusOf,
} from './reading.js';

const EVERY = '*';
const REST = 'rest';

/** One entry in one write of the record, with the policies and decisions that the pass had read. */
interface Gated {
  readonly history: ObjectHistory;
  readonly pass: LoggedPass;
  readonly addOn: string;
  readonly before: RecordedEntry | undefined;
  /** Whether the record before the write lists policies. */
  readonly wasGoverned: boolean;
  readonly after: RecordedEntry;
  /** The other entries of the record before the write. */
  readonly others: readonly RecordedEntry[];
  readonly revisions: readonly Revision[];
  readonly members: Membership;
  readonly policies: readonly { readonly name: string; readonly spec: PolicySpec }[];
  readonly decisions: ReturnType<typeof decisionsOf>;
}

/**
 * rollout-policy.md: no cluster is admitted while a gate holds it. Gates do not apply to a move to the way back. The check compares stored
 * times with the simulator's own clock, so it is valid only for histories in which no clock jumps.
 */
export function judgeGates(history: ObjectHistory, entry: LogEntry): readonly Violation[] {
  const { pass, before, after, id, index } = entry;
  if (entry.kind !== KIND.rollouts || pass?.controller !== 'fleet' || !after) return [];
  const declaration = history.get(KIND.declarations, id, pass.seen[KIND.declarations]);
  if (!declaration) return [];
  const was = statusOf<RecordStatus>(before);
  const is = statusOf<RecordStatus>(after);
  const policies = governingPolicies(history, id, pass.seen[KIND.policies]);
  const decisions = decisionsOf(history, id, pass.seen[KIND.approvals]);
  const members = membershipOf(history, declaration, (kind) => pass.seen[kind] ?? 0);
  return (is.entries ?? []).flatMap((recorded) => {
    const own = members.find(({ name }) => name === recorded.name);
    if (!own) return [];
    const gated: Gated = {
      history,
      pass,
      addOn: id,
      before: was.entries?.find(({ name }) => name === recorded.name),
      wasGoverned: (was.policies ?? []).length > 0,
      after: recorded,
      others: was.entries?.filter(({ name }) => name !== recorded.name) ?? [],
      revisions: is.history ?? [],
      members: own,
      policies,
      decisions,
    };
    const found = isWayBack(recorded) ? heldWayBack(gated) : passedGates(gated);
    return found.map((violation) => ({ ...violation, index }));
  });
}

/** Whether the target completed in this entry before. A target that is set because a pin ended is not a way back. */
function isWayBack({ timeline = [], targetRevision }: RecordedEntry): boolean {
  const [current, ...earlier] = timeline;
  if (current?.to !== targetRevision || (current?.cause === 'Pin' && current.pinned === undefined)) return false;
  return earlier.some(({ to, outcome }) => to === targetRevision && outcome === 'Completed');
}

/**
 * Returns a violation if a gate holds a way back. A gate that was removed stays in the list until it opens, but it must hold no cluster.
 */
function heldWayBack({ addOn, after }: Gated): readonly Violation[] {
  const wait = after.waitingFor?.find(({ operation, loosened, clusters }) => operation !== 'Remove' && !(loosened && clusters === 0));
  if (!wait) return [];
  const message = `${addOn} ${after.name}: ${wait.name} holds the way back to revision ${after.targetRevision ?? 0}`;
  return [{ rule: 'way back held', message }];
}

function passedGates(gated: Gated): readonly Violation[] {
  const { addOn, after } = gated;
  const admitted = gated.members.clusters.filter((cluster) => isNewlyAdmitted(gated, cluster));
  if (admitted.length === 0) return [];
  const found: Violation[] = [];
  const fail = (message: string): void => void found.push({ rule: 'gate', message: `${addOn} ${after.name}: ${message}` });
  // addons.md §5: a cluster that joins while the rollout is paused or halted gets the revision that completed.
  const moved = admitted.filter((cluster) => !isJoining(gated, cluster));
  const isStopped = after.state === 'Paused' || after.state === 'Halted';
  const loosened = moved.length > 0 && (gated.before?.waitingFor ?? []).find((wait) => isStillHolding(gated, wait));
  if (loosened) fail(`${moved.join(', ')} admitted although ${loosened.name} was removed while it held clusters`);
  for (const policy of gated.policies) {
    const rejection = moved.length > 0 && standingRejection(gated, policy.name);
    if (rejection) fail(`${moved.join(', ')} admitted although ${rejection.by} rejected revision ${after.targetRevision ?? 0}`);
    for (const cluster of admitted) {
      // While the rollout is paused or halted, only windows for Install hold a cluster that joins.
      const isInstalled = isStopped && !moved.includes(cluster);
      const closed =
        closedWindow(gated, policy, cluster) ??
        (isInstalled ? undefined : (closedApproval(gated, policy, cluster) ?? closedAnalysis(gated, policy, cluster)));
      if (closed !== undefined) fail(`${cluster} admitted although ${policy.name}/${closed}`);
    }
  }
  return found;
}

/** Whether the entry admits the cluster to the revision. Under a policy, a wildcard admission covers only the clusters that the entry lists. */
function covers(entry: RecordedEntry | undefined, cluster: string, revision: number | undefined): boolean {
  const { inFlight = [], members } = entry ?? {};
  const isListed = members === undefined || members.includes(cluster);
  return inFlight.some(
    (one) =>
      one.revision === revision && (one.cluster === cluster || (one.cluster === EVERY && isListed && !one.except?.includes(cluster))),
  );
}

/**
 * Whether the wildcard admission of a record without gates covered the add-on. Such a record admits every cluster of the entry, listed or
 * not, and is written at most once a second. It covers an add-on that the hub created before the hub had read a policy; after that, the hub
 * creates no add-on that only such a record admits. An add-on that a user created is covered as long as the record states no gates.
 */
function wasCoveredUngated({ history, pass, addOn, before, wasGoverned }: Gated, cluster: string, revision: number | undefined): boolean {
  if (!before || wasGoverned || (before.waitingFor ?? []).length > 0 || (before.openedGates ?? []).length > 0) return false;
  if (!covers({ ...before, members: [cluster] }, cluster, revision)) return false;
  const creation = history.creation(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
  if (!creation) return false;
  return !creation.pass || governingPolicies(history, addOn, creation.pass.seen[KIND.policies]).length === 0;
}

/** Whether the cluster is newly admitted. A cluster that comes from another entry in flight to the same revision keeps its admission. */
function isNewlyAdmitted(gated: Gated, cluster: string): boolean {
  const { history, pass, addOn, before, after, others, revisions } = gated;
  const { targetRevision } = after;
  if (others.some((other) => covers(other, cluster, targetRevision))) return false;
  if (!covers(after, cluster, targetRevision) || covers(before, cluster, targetRevision)) return false;
  if (wasCoveredUngated(gated, cluster, targetRevision)) return false;
  const object = history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
  const target = revisions.find(({ revision }) => revision === targetRevision);
  return revisionOf(object) !== targetRevision && !isDoneWith(object, target);
}

/** Whether a gate that was removed while it held clusters is not open yet. Such a gate opens five minutes after it was removed. */
function isStillHolding({ policies, pass }: Gated, { name, operation, digest, clusters = 0, loosened, until }: Wait): boolean {
  if (operation === 'Remove') return false;
  if (loosened) return until !== undefined && timeOf(until) > pass.at;
  return digest !== undefined && clusters > 0 && !policies.some((policy) => name.startsWith(`${policy.name}/`));
}

function standingRejection({ decisions, after }: Gated, policy: string): { readonly by: string } | undefined {
  const own = decisions.filter(
    ({ entry, revision, gate }) => entry === after.name && revision === after.targetRevision && gate.startsWith(`${policy}/`),
  );
  return own.find(
    ({ decision, gate, at }) =>
      decision === 'Rejected' && !own.some((other) => other.decision === 'Retried' && other.gate === gate && other.at >= at),
  );
}

type Policy = Gated['policies'][number];

function isOverridden({ decisions, after, pass }: Gated, gate: string): boolean {
  return decisions.some(
    (one) =>
      one.decision === 'Overridden' &&
      one.gate === gate &&
      one.entry === after.name &&
      one.revision === after.targetRevision &&
      timeOf(one.expires) > pass.at,
  );
}

/** Whether the cluster has no content of the add-on yet and gets a revision that completed in the entry. */
function isJoining({ history, pass, addOn, before, after }: Gated, cluster: string): boolean {
  const object = history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
  return before?.completedRevision === after.targetRevision && revisionOf(object) === undefined;
}

/**
 * Returns the operation, Install or Upgrade. Undefined if it is uncertain whether the cluster has content; windows are then not checked.
 */
function operationOf({ history, pass, addOn, before }: Gated, cluster: string): string | undefined {
  const object: Stored | undefined = history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]);
  const isCovered = before?.members?.includes(cluster) === true && covers(before, cluster, before.targetRevision);
  const isOnItsWay = before?.inFlight?.some((one) => one.cluster === cluster) === true;
  if (revisionOf(object) !== undefined || isOnItsWay || (object?.status !== undefined && isCovered)) return 'Upgrade';
  return object?.status === undefined ? 'Install' : undefined;
}

function closedWindow(gated: Gated, { name: policy, spec }: Policy, cluster: string): string | undefined {
  const operation = operationOf(gated, cluster);
  const { at } = gated.pass;
  const isIn = ({ from, until }: { readonly from?: string; readonly until?: string }): boolean => timeOf(from) <= at && at < timeOf(until);
  const own = (spec.windows ?? []).filter((window) => operation !== undefined && (window.for ?? ['Upgrade']).includes(operation));
  const denied = own.find((window) => window.effect === 'Deny' && isIn(window) && !isOverridden(gated, `${policy}/${window.name}`));
  if (denied) return `${denied.name} denies it`;
  const allows = own.filter(({ effect }) => effect === 'Allow');
  if (allows.length === 0 || allows.some((window) => isIn(window) || isOverridden(gated, `${policy}/${window.name}`))) return undefined;
  return `${allows[0]?.name ?? ''} does not allow it`;
}

/** Returns the position of the cluster's group, and the keys of all groups. Without groups all clusters are in `rest`. */
function groupsOf(gated: Gated, cluster: string): { readonly own: number; readonly keys: readonly string[] } {
  const { members, after } = gated;
  const isGrouped = limitsOf(members.entry.rolloutStrategy).type === 'ProgressivePerGroup' && !after.rolledBack;
  if (!isGrouped) return { own: 0, keys: [REST] };
  const groups = members.groups
    .map((group, i) => ({ key: String(i), group }))
    .filter(({ group }) => group.some((one) => !isLeftOut(gated, one)));
  return { own: groups.findIndex(({ group }) => group.includes(cluster)), keys: groups.map(({ key }) => key) };
}

/**
 * Whether the cluster is being deleted and has no add-on. Such a cluster never gets the add-on, so it belongs to no group of the rollout.
 */
function isLeftOut({ history, pass, addOn }: Gated, cluster: string): boolean {
  const isStaying = (object: Stored | undefined): boolean => object !== undefined && object.metadata.deletionTimestamp === undefined;
  return (
    !isStaying(history.get(KIND.clusters, cluster, pass.seen[KIND.clusters])) &&
    !isStaying(history.get(KIND.addOns, `${cluster}/${addOn}`, pass.seen[KIND.addOns]))
  );
}

function closedApproval(gated: Gated, { name: policy, spec }: Policy, cluster: string): string | undefined {
  const { own, keys } = groupsOf(gated, cluster);
  for (const { name, before, after, required = 1, wait } of spec.approvals ?? []) {
    const gate = `${policy}/${name}`;
    const groups =
      before === 'Rollout' ? [undefined] : before === 'Group' ? keys.slice(own, own + 1) : after === 'Group' ? keys.slice(0, own) : [];
    for (const group of groups) {
      const approvers = new Set(
        gated.decisions
          .filter((one) => one.decision === 'Approved' && one.gate === gate && one.group === group)
          .filter((one) => one.entry === gated.after.name && one.revision === gated.after.targetRevision)
          .map(({ by }) => by),
      );
      if (approvers.size < required && !hasWaited(gated, gate, group, wait))
        return `${name} has ${approvers.size} of ${required} approvals`;
    }
  }
  return undefined;
}

/**
 * Whether a gate may be open because its `wait` is over: the record says so, or at least `wait` has passed since the rollout to the target
 * started.
 */
function hasWaited({ before, after, pass }: Gated, gate: string, group: string | undefined, wait: string | undefined): boolean {
  const isOpened = (one: {
    readonly name: string;
    readonly group?: string;
    readonly revision: number;
    readonly byTime?: boolean;
  }): boolean => one.byTime === true && one.name === gate && one.group === group && one.revision === after.targetRevision;
  if (before?.openedGates?.some(isOpened)) return true;
  return wait !== undefined && pass.at - timeOf(after.startedAt) >= Number(wait.slice(0, -1)) * 1000;
}

/**
 * Returns the reason why an analysis still holds the group of the cluster; undefined if no analysis does. An analysis holds the group until
 * the earlier groups have as many measurements as the analysis requires and not too many of them have failed.
 */
function closedAnalysis(gated: Gated, { name: policy, spec }: Policy, cluster: string): string | undefined {
  const { own, keys } = groupsOf(gated, cluster);
  for (const { name, count, failureLimit = 0, mode } of spec.analysis ?? []) {
    const gate = `${policy}/${name}`;
    if (mode === 'Observe' || isOverridden(gated, gate)) continue;
    const states = (gated.after.analysis ?? []).filter((one) => one.name === gate && one.revision === gated.after.targetRevision);
    for (const group of keys.slice(0, Math.max(0, own))) {
      const state = states.find((one) => one.group === group);
      // The record drops the oldest states, so this group may have none. It has passed, because a later group has a state.
      if (!state && states.length > 0) continue;
      const { passed = 0, failed = 0 } = state ?? {};
      if (passed + failed < count || failed > failureLimit)
        return `${name} has ${passed} passed and ${failed} failed of ${count} for group ${group}`;
    }
  }
  return undefined;
}
