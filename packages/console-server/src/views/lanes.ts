import { type AddOnRollout, type ClusterManagementAddOn, EVERY_CLUSTER, type RolloutEntry, rolloutEntryName } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import { amountOf, readStrategy } from '@outrigger/rules/rollout';
import type { EntrySummary, LaneCluster, LanePhase, RolloutLane } from '@outrigger/console-contract';
import type { AddOnRecord } from '../state/records.js';
import type { FleetState } from '../state/state.js';
import { cellOfRecord, questionOf, versionOf } from './cells.js';
import { entryOfCluster, heldRevision } from '../state/targets.js';
import type { Sight } from './sight.js';

/** More clusters of one phase are counted, not listed. */
const MOST_PER_PHASE = 200;

/** The entry as the record of the rollout describes it. The numbers are the hub's own. */
export function entrySummary(rollout: AddOnRollout, entry: RolloutEntry, declaration: ClusterManagementAddOn | undefined): EntrySummary {
  const { selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0, parked = 0 } = entry;
  return {
    name: entry.name,
    targetVersion: versionOf(rollout, entry.targetRevision) ?? '',
    state: entry.state ?? 'None',
    message: entry.message ?? '',
    strategy: strategyOf(declaration, entry.name)?.type ?? 'All',
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

type RolloutStrategy = NonNullable<
  NonNullable<NonNullable<ClusterManagementAddOn['spec']['installStrategy']>['placements']>[number]['rolloutStrategy']
>;

function strategyOf(declaration: ClusterManagementAddOn | undefined, entry: string): RolloutStrategy | undefined {
  return declaration?.spec.installStrategy?.placements?.find((one) => rolloutEntryName(one) === entry)?.rolloutStrategy;
}

/** The entry with its clusters by phase, as far as the user sees them. */
export function laneOf(state: FleetState, sight: Sight, addOn: string, entry: RolloutEntry): RolloutLane {
  const rollout = state.rollouts.get(addOn) as AddOnRollout;
  const summary = entrySummary(rollout, entry, state.declarations.get(addOn));
  const clusters: LaneCluster[] = [];
  const listed = new Map<LanePhase, number>();
  const found = new Map<LanePhase, number>();
  for (const [cluster, here] of state.addOns) {
    const record = here.get(addOn);
    if (record === undefined || !sight.seesAddOns(cluster) || entryOfCluster(rollout, cluster)?.name !== entry.name) continue;
    const phase = phaseOf(state, record, { entry, cluster, addOn });
    found.set(phase, (found.get(phase) ?? 0) + 1);
    if ((listed.get(phase) ?? 0) >= MOST_PER_PHASE) continue;
    listed.set(phase, (listed.get(phase) ?? 0) + 1);
    const cell = cellOfRecord(state, record, cluster, addOn);
    clusters.push({
      name: cluster,
      phase,
      version: cell.version,
      reason: cell.reason,
      ...(record.since === 0 ? {} : { since: toTime(record.since) }),
    });
  }
  clusters.sort((a, b) => (a.name < b.name ? -1 : 1));
  const soaking = found.get('soaking') ?? 0;
  const counts = { ...summary, soaking, inFlight: Math.max(0, summary.inFlight - soaking) };
  const slots = slotsOf(strategyOf(state.declarations.get(addOn), entry.name), summary.selected);
  return { ...counts, ...(slots === undefined ? {} : { slots }), groups: [{ ...counts, name: '', clusters }] };
}

interface Place {
  readonly entry: RolloutEntry;
  readonly cluster: string;
  readonly addOn: string;
}

/** Where the record of the rollout and the add-on's report put the cluster. */
function phaseOf(state: FleetState, record: AddOnRecord, { entry, cluster, addOn }: Place): LanePhase {
  const { report } = record;
  const cell = cellOfRecord(state, record, cluster, addOn);
  const flight = (entry.inFlight ?? []).find((one) => one.cluster === cluster || one.cluster === EVERY_CLUSTER);
  const isAtTarget = heldRevision(questionOf(state, record, cluster, addOn)) === entry.targetRevision;
  if (flight?.parkedSince !== undefined) return 'parked';
  if (cell.state === 'failed') return 'failed';
  const isSettled = report.progressing?.status === 'False' && isAtTarget;
  if (flight !== undefined && flight.cluster !== EVERY_CLUSTER) return isSettled ? 'soaking' : 'inFlight';
  if (isSettled) return 'done';
  if (cell.state === 'unreachable') return 'skipped';
  return flight === undefined && cell.state === 'waiting' ? 'waiting' : flight === undefined && !isAtTarget ? 'waiting' : 'inFlight';
}

/** How many clusters may be in flight at a time; undefined without a limit of its own. */
function slotsOf(strategy: RolloutStrategy | undefined, selected: number): number | undefined {
  const { maxConcurrency } = readStrategy(strategy);
  return maxConcurrency && amountOf(maxConcurrency, selected);
}
