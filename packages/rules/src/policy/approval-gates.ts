import type { OpenedGate, RolloutWait } from '@outrigger/api';
import { TIME_ROUNDING_MS, countText, defined, earliest, parseTime, roundUpToSecond, toTime } from '@outrigger/core';
import { isRejection } from '../decisions/index.js';
import type { ApprovalGate, CompiledPolicy } from './compile.js';
import type { GateDecisions } from './decisions.js';
import { type GateGroup, type Hold, type RecordedGates, groupKey, waitingIn } from './hold.js';

/**
 * A new approval is needed if the number of clusters behind the gate has grown by more than this share since the approval, and by more than
 * one cluster.
 */
const GROWTH = 0.2;

/** A gate at one position in the rollout of an entry. */
interface Place {
  readonly policy: string;
  readonly gate: ApprovalGate;
  readonly group: string | undefined;
  /** The groups that the gate holds. */
  readonly behind: readonly GateGroup[];
  /** The number of clusters that the approval covers. */
  readonly clusters: number;
  readonly isReached: boolean;
  readonly holdsCompletion: boolean;
}

export interface ApprovalInput {
  readonly policies: readonly CompiledPolicy[];
  /** The decisions; undefined if they are ignored, because no API server checks who writes RolloutApprovals. */
  readonly decisions: GateDecisions | undefined;
  readonly revision: number;
  readonly groups: readonly GateGroup[];
  readonly before: RecordedGates | undefined;
  readonly now: number;
}

export interface ApprovalOutcome {
  readonly holds: readonly Hold[];
  readonly opened: readonly OpenedGate[];
  /** The earliest time at which a gate opens without user action. */
  readonly changesAt: number | undefined;
}

/**
 * Returns the approval gates that hold clusters, and those that have approvals for this revision. The second list includes closed gates,
 * because the record must keep the number of clusters for which the approvals were given, even while no cluster waits and before the
 * rollout has reached the gate.
 */
export function approvalGates(input: ApprovalInput): ApprovalOutcome {
  const holds: Hold[] = [];
  const opened: OpenedGate[] = [];
  let changesAt: number | undefined;
  for (const { name: policy, approvals } of input.policies) {
    for (const gate of approvals) {
      for (const place of placesOf(policy, gate, input.groups)) {
        const outcome = judge(place, input);
        if (outcome.opened) opened.push(outcome.opened);
        if (!outcome.hold) continue;
        holds.push(outcome.hold);
        changesAt = earliest(changesAt, outcome.opensAt);
      }
    }
  }
  return { holds, opened, changesAt };
}

function placesOf(policy: string, gate: ApprovalGate, groups: readonly GateGroup[]): readonly Place[] {
  const sizeOf = (some: readonly GateGroup[]): number => some.reduce((sum, { size }) => sum + size, 0);
  const isDone = groups.every((group) => group.isDone);
  const rollout = { policy, gate, group: undefined, clusters: sizeOf(groups) };
  if (gate.place === 'BeforeRollout') return [{ ...rollout, behind: groups, isReached: true, holdsCompletion: false }];
  if (gate.place === 'AfterRollout') return [{ ...rollout, behind: [], isReached: isDone, holdsCompletion: true }];
  return groups.flatMap((group, i): readonly Place[] => {
    if (!concerns(gate, group)) return [];
    const behind = gate.place === 'BeforeGroup' ? [group] : groups.slice(i + 1);
    const isLast = gate.place === 'AfterGroup' && behind.length === 0;
    return [
      {
        policy,
        gate,
        group: groupKey(group),
        behind,
        clusters: sizeOf(isLast ? [group] : behind),
        isReached: gate.place === 'BeforeGroup' ? group.isReached : group.isReached && group.isDone,
        holdsCompletion: isLast,
      },
    ];
  });
}

/** Whether the gate applies to this group. */
export function concerns({ groups }: Pick<ApprovalGate, 'groups'>, { name, index }: Pick<GateGroup, 'name' | 'index'>): boolean {
  return (
    groups.length === 0 || groups.some(({ groupName, groupIndex }) => (groupName === undefined ? groupIndex === index : groupName === name))
  );
}

type Outcome =
  | { readonly opened: OpenedGate; readonly hold?: undefined }
  | { readonly opened: OpenedGate | undefined; readonly hold: Hold; readonly opensAt: number | undefined };

function judge(place: Place, { decisions, revision, before, now }: ApprovalInput): Outcome {
  const { policy, gate, group, clusters } = place;
  const name = `${policy}/${gate.name}`;
  const isIt = (one: { readonly name: string; readonly group?: string }): boolean => one.name === name && one.group === group;
  const recorded = before?.openedGates?.find((one) => isIt(one) && one.revision === revision);
  const waited = before?.waitingFor?.find((one) => isIt(one) && one.kind === 'Approval' && one.loosened !== true && !isRejection(one));
  const base = defined({ name, group, revision });
  // A policy that was edited and no longer lets the gate open by itself applies to the clusters that are not admitted yet.
  if (recorded?.byTime && gate.waitMs !== undefined) return { opened: recorded };
  const asked = recorded?.approvalsSince ?? waited?.approvalsSince;
  const given = decisions?.approvers(name, group, parseTime(asked)) ?? [];
  const approvedFor = recorded?.clusters ?? clusters;
  const hasGrown = given.length > 0 && clusters > approvedFor + Math.max(1, GROWTH * approvedFor);
  const approvers = hasGrown ? [] : given;
  if (approvers.length >= gate.required) {
    const held = recorded && !recorded.closed ? recorded : heldUntil(waited, now);
    const times = { approvalsSince: asked, heldSince: held?.heldSince, openedAt: held?.openedAt };
    return { opened: defined({ ...base, clusters: approvedFor, ...times }) };
  }
  const opensAt = place.isReached ? opensByItselfAt(gate, waited, now) : undefined;
  if (opensAt !== undefined && opensAt <= now) return { opened: { ...base, clusters, byTime: true } };
  const approvalsSince = hasGrown ? toTime(now) : asked;
  const wait: Hold['wait'] = defined({
    kind: 'Approval' as const,
    name,
    group,
    until: opensAt === undefined ? undefined : toTime(opensAt),
    message: messageOf(place, approvers, { isAskedAgain: approvalsSince !== undefined, isCounted: decisions !== undefined }),
    digest: gate.digest,
    approvalsSince,
  });
  const hold = { wait, held: waitingIn(place.behind), isReached: place.isReached, holdsCompletion: place.holdsCompletion };
  // While approvals do not count, as in the first pass of a new leader, keep the number of clusters for which they were given.
  if (decisions === undefined && recorded) return { opened: defined({ ...recorded, closed: true, approvalsSince }), hold, opensAt };
  const isKept = approvers.length > 0 || approvalsSince !== undefined;
  const covered = approvers.length > 0 ? approvedFor : clusters;
  return { opened: isKept ? defined({ ...base, clusters: covered, closed: true, approvalsSince }) : undefined, hold, opensAt };
}

/**
 * Returns the time at which a gate with a `wait` opens without approvals. Times in the record are in whole seconds, so the result is
 * rounded up and the wait is never shorter than the policy requests.
 */
function opensByItselfAt({ waitMs, digest }: ApprovalGate, waited: RolloutWait | undefined, now: number): number | undefined {
  if (waitMs === undefined) return undefined;
  const since = parseTime(waited?.since);
  // If no start is recorded, the wait begins now. A recorded end is ignored, because it belongs to the wait for an earlier target.
  if (since === undefined) return roundUpToSecond(now + waitMs);
  const recorded = waited?.digest === digest ? parseTime(waited.until) : undefined;
  return recorded ?? roundUpToSecond(since + TIME_ROUNDING_MS + waitMs);
}

/**
 * Returns the start and the end of the period in which the gate held clusters for an approval. Undefined for a gate that opens by itself,
 * because predictions already include that period.
 */
function heldUntil(waited: RolloutWait | undefined, now: number): Pick<OpenedGate, 'heldSince' | 'openedAt'> | undefined {
  const openedAt = toTime(now);
  if (waited?.since === undefined || waited.since === openedAt || waited.until !== undefined) return undefined;
  return { heldSince: waited.since, openedAt };
}

function messageOf(
  { gate, group }: Place,
  approvers: readonly string[],
  { isAskedAgain, isCounted }: { readonly isAskedAgain: boolean; readonly isCounted: boolean },
): string {
  const missing = gate.required - approvers.length;
  const where = PLACES[gate.place];
  const needed = `needs ${countText(missing, 'approval')} ${where}${group === undefined ? '' : ` ${group}`}`;
  const given = approvers.length > 0 ? `; ${approvers.join(', ')} approved` : '';
  const again = isAskedAgain ? '; more clusters are behind the gate than were approved' : '';
  const uncounted = isCounted ? '' : '; approvals do not count, because no admission policy checks who writes them: see `outrigger doctor`';
  return `${needed}${given}${again}${uncounted}`;
}

const PLACES: Readonly<Record<ApprovalGate['place'], string>> = {
  BeforeRollout: 'before the rollout',
  BeforeGroup: 'before group',
  AfterGroup: 'after group',
  AfterRollout: 'after the rollout',
};
