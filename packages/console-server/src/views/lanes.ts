import type { AddOnRollout, ClusterManagementAddOn, RolloutEntry } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import {
  type EntrySummary,
  LANE_PHASES,
  type LaneCluster,
  type LaneGroup,
  type LanePhase,
  type RolloutLane,
  compareNames,
} from '@outrigger/console-contract';
import { slip } from '@outrigger/rules/prediction';
import type { Phase } from '@outrigger/rules/rollout';
import { entriesOf } from '@outrigger/rules/strategy';
import { remarkOf } from '@outrigger/rules/why';
import { lastChange } from '../state/projections.js';
import type { FleetState } from '../state/state.js';
import { cellOf, versionOf } from './cells.js';
import { gatesOf } from './gates.js';
import { moveTimes } from './move-times.js';
import type { Sight } from './sight.js';
import type { EntryStanding, GroupStanding, MemberStanding } from './standings.js';

/** Maximum number of clusters that are listed per phase. Further clusters are only counted. */
const MOST_PER_PHASE = 200;

/** Maps the phases of the rules to the phases that a lane shows. Failing and recovering clusters count as failed, as in the record. */
const LANES: Readonly<Record<Phase, LanePhase>> = {
  waiting: 'waiting',
  progressing: 'inFlight',
  soaking: 'soaking',
  succeeded: 'done',
  failing: 'failed',
  failed: 'failed',
  recovering: 'failed',
  skipped: 'skipped',
  parked: 'parked',
};

/** The entry as the rollout's record describes it. All numbers come from the hub. */
export function entrySummary(
  rollout: AddOnRollout,
  entry: RolloutEntry,
  managementAddOn: ClusterManagementAddOn | undefined,
): EntrySummary {
  const { selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0, parked = 0 } = entry;
  return {
    name: entry.name,
    targetVersion: versionOf(rollout, entry.targetRevision) ?? '',
    state: entry.state ?? 'None',
    message: remarkOf(entry),
    strategy: strategyName(managementAddOn, entry.name),
    selected,
    waiting: Math.max(0, selected - done - progressing - failed - skipped),
    inFlight: Math.max(0, progressing - parked),
    soaking: 0,
    done,
    failed,
    skipped,
    parked,
    ...(entry.targetRevision === undefined ? {} : { targetRevision: entry.targetRevision }),
    ...(entry.startedAt === undefined ? {} : { startedAt: entry.startedAt }),
  };
}

function strategyName(managementAddOn: ClusterManagementAddOn | undefined, entry: string): string {
  return entriesOf(managementAddOn?.spec ?? {}).find(({ name }) => name === entry)?.rolloutStrategy?.type ?? 'All';
}

/** Returns the entry with its clusters by phase, limited to the clusters that the user may see. */
export function laneOf(state: FleetState, sight: Sight, addOn: string, standing: EntryStanding, now: number): RolloutLane {
  const rollout = state.rollouts.get(addOn) as AddOnRollout;
  const { entry, slots, failureBudget, soakMs } = standing;
  const summary = entrySummary(rollout, entry, state.declarations.get(addOn));
  const [change] = entry.timeline ?? [];
  const record = change?.to === entry.targetRevision ? change?.record : undefined;
  const soaking = standing.groups.reduce(
    (sum, { members }) => sum + members.filter(({ cluster, phase }) => phase === 'soaking' && sight.seesAddOns(cluster)).length,
    0,
  );
  return {
    ...summary,
    soaking: Math.min(soaking, summary.inFlight),
    inFlight: Math.max(0, summary.inFlight - soaking),
    soakMs,
    gates: gatesOf(sight, addOn, entry),
    groups: standing.groups.map((group) => laneGroup(state, sight, addOn, group, standing)),
    ...(record === undefined ? {} : { record }),
    ...slipOf(entry, now),
    ...(slots === undefined ? {} : { slots }),
    ...(failureBudget === undefined ? {} : { failureBudget }),
  };
}

/** Returns the slip of the entry, as `outrigger rollout status` computes it. */
export function slipOf(entry: RolloutEntry, now: number): Pick<RolloutLane, 'slip'> {
  const found = slip(entry.prediction, now, entry);
  if (entry.prediction === undefined || found === undefined) return {};
  const { p50, p90 } = entry.prediction;
  const { lateMs, waitedMs, endedAt } = found;
  return { slip: { p50, p90, lateMs, ...(waitedMs > 0 ? { waitedMs } : {}), ...(endedAt === undefined ? {} : { endedAt }) } };
}

function laneGroup(state: FleetState, sight: Sight, addOn: string, group: GroupStanding, { entry }: EntryStanding): LaneGroup {
  const visible = group.members.filter(({ cluster }) => sight.seesAddOns(cluster));
  const counts = Object.fromEntries(LANE_PHASES.map((phase) => [phase, 0])) as Record<LanePhase, number>;
  const clusters: LaneCluster[] = [];
  // Sort the members before the list is cut, so that it contains the first names without gaps.
  for (const member of visible.sort((a, b) => compareNames(a.cluster, b.cluster))) {
    const phase = LANES[member.phase];
    if (counts[phase]++ < MOST_PER_PHASE) clusters.push(laneCluster(state, addOn, member, phase, entry));
  }
  return {
    name: group.name,
    selected: visible.length,
    ...counts,
    clusters,
    ...(group.failureBudget === undefined ? {} : { failureBudget: group.failureBudget }),
  };
}

function laneCluster(state: FleetState, addOn: string, member: MemberStanding, phase: LanePhase, entry: RolloutEntry): LaneCluster {
  const { cluster, changesAt } = member;
  const reported = state.addOns.get(cluster)?.get(addOn);
  const cell = cellOf(state, cluster, addOn);
  const since = reported === undefined ? 0 : lastChange(reported);
  const moved = moveTimes(entry, cluster, reported);
  const admittedAt = moved.admittedAt === undefined ? member.admittedAt : toTime(moved.admittedAt);
  const endedAt = phase === 'done' || phase === 'failed' ? moved.endedAt : 0;
  const isTimed = phase === 'soaking' || member.phase === 'failing' || member.phase === 'recovering';
  return {
    name: cluster,
    phase,
    version: cell.version,
    reason: cell.reason,
    ...(since === 0 ? {} : { since: toTime(since) }),
    ...(isTimed && changesAt !== undefined ? { until: toTime(changesAt) } : {}),
    ...(admittedAt === undefined ? {} : { admittedAt }),
    ...(endedAt === 0 ? {} : { endedAt: toTime(endedAt) }),
  };
}
