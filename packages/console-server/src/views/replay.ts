import { type TargetChange, controllerRevisions } from '@outrigger/api';
import type { LanePhase, RecordedCluster, ReplayPage } from '@outrigger/console-contract';
import { isApiError, parseTime, toTime, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { readTargetRecord, TARGET_RECORD_LABEL, type TargetRecord } from '@outrigger/rules/rollout';
import { ViewFailure } from '../http/messages.js';
import type { FleetState } from '../state/state.js';
import { versionOf } from './cells.js';
import type { Sight } from './sight.js';
import { standingsOf } from './standings.js';

/** Maps the outcome of a cluster to the phase that a lane shows for it. */
const PHASES: Readonly<Record<TargetRecord['clusters'][number]['outcome'], LanePhase>> = {
  Succeeded: 'done',
  Failed: 'failed',
  Moving: 'inFlight',
  Parked: 'parked',
  Skipped: 'skipped',
  Waiting: 'waiting',
  Left: 'skipped',
};

const LEFT = 'no longer belonged to the entry';

/** Returns the change in a timeline that names this record; undefined if no timeline of the add-on's rollout contains such a change. */
export function recordedChange(state: FleetState, addOn: string, record: string): TargetChange | undefined {
  const entries = state.rollouts.get(addOn)?.status?.entries ?? [];
  return entries.flatMap(({ timeline = [] }) => timeline).find((change) => change.record === record);
}

/** Reads the record with the user's own token. Rejects with a `ViewFailure` if the record does not exist or the user may not read it. */
export async function readRecord(client: Client, addOn: string, record: string): Promise<TargetRecord> {
  const selection = { labelSelector: TARGET_RECORD_LABEL, fieldSelector: `metadata.name=${record}` };
  try {
    const [stored] = await collect(client.listAll(controllerRevisions, selection));
    const read = stored && readTargetRecord(stored);
    if (read?.addOn === addOn) return read;
  } catch (error) {
    if (!isApiError(error, 'Forbidden')) throw error;
    throw new ViewFailure('forbidden', 'this needs the right to list controllerrevisions: ask an administrator of the hub');
  }
  throw new ViewFailure('not-found', `the record ${record} is gone: the hub keeps it as long as the timeline of the rollout`);
}

/** Returns the record without the clusters that the user may not see. */
export function replayPage(state: FleetState, sight: Sight, record: TargetRecord, now: number): ReplayPage {
  const { addOn, entry, revision, startedAt, endedAt, outcome, omitted } = record;
  const groups = new Map<string, RecordedCluster[]>();
  const standing = standingsOf(state, addOn, now).find((one) => one.entry.name === entry);
  const groupOf = new Map(standing?.groups.flatMap(({ name, members }) => members.map(({ cluster }) => [cluster, name] as const)));
  // Add the groups before their clusters, to keep the order of the groups in the rollout.
  for (const { name } of standing?.groups ?? []) groups.set(name, []);
  for (const move of record.clusters) {
    if (!sight.seesAddOns(move.cluster)) continue;
    const group = groupOf.get(move.cluster) ?? '';
    const members = groups.get(group) ?? [];
    members.push(recordedCluster(move));
    groups.set(group, members);
  }
  const rollout = state.rollouts.get(addOn);
  const seesAll = record.clusters.every(({ cluster }) => sight.seesAddOns(cluster));
  return {
    addOn,
    entry,
    revision,
    version: (rollout && versionOf(rollout, revision)) ?? '',
    startedAt,
    endedAt,
    outcome,
    groups: [...groups].flatMap(([name, clusters]) => (clusters.length === 0 ? [] : [{ name, clusters }])),
    omitted: seesAll ? omitted : 0,
  };
}

function recordedCluster({ cluster, outcome, admittedAt, seconds }: TargetRecord['clusters'][number]): RecordedCluster {
  const admitted = parseTime(admittedAt);
  const isOver = outcome !== 'Moving' && outcome !== 'Parked' && outcome !== 'Waiting';
  return {
    name: cluster,
    phase: PHASES[outcome],
    reason: outcome === 'Left' ? LEFT : '',
    ...(admittedAt === undefined ? {} : { admittedAt }),
    ...(admitted === undefined || !isOver ? {} : { endedAt: toTime(admitted + (seconds ?? 0) * 1000) }),
  };
}
