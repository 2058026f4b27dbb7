import { type AddOnRollout, type TargetChange, controllerRevisions } from '@outrigger/api';
import { shell, collect } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { readTargetRecord, TARGET_RECORD_LABEL, type TargetRecord } from '@outrigger/rules/rollout';
import { CommandError, EXIT } from '../../failure.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { namedRevision } from '../../fleet/revisions.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { clean } from '../../terminal/clean.js';
import { formatValue } from '../../terminal/format.js';
import type { OutputFormat } from '../../terminal/output-formats.js';
import { type TableColumn, table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import type { CommandContext } from '../context.js';

interface Request extends ConnectionOptions {
  readonly addOn: string;
  readonly revision: number;
  readonly output: OutputFormat;
}

/** Prints how each cluster moved to a revision: when it was admitted, its outcome, and how long it took. */
export async function clusterHistory(context: CommandContext, request: Request): Promise<void> {
  const { terminal } = context;
  await withHub(context, request, async (hub) => {
    const rollout = await requireRollout(hub, request.addOn);
    namedRevision(rollout, request.revision);
    const records = await recordsOf(hub, rollout, request.revision);
    if (request.output === 'json' || request.output === 'yaml') {
      terminal.out(formatValue(records, request.output));
      return;
    }
    if (records.length === 0) throw noRecord(request);
    terminal.out(records.map((record) => recordText(record, { style: terminal.style, width: tableWidth(terminal) })).join('\n'));
  });
}

/** Returns the stored records of the entries' past rollouts to one revision, newest first. */
async function recordsOf(hub: Client, rollout: AddOnRollout, revision: number): Promise<readonly TargetRecord[]> {
  const changes = (rollout.status?.entries ?? []).flatMap(({ timeline = [] }) => timeline).filter(({ to }) => to === revision);
  const names = new Set(changes.flatMap(({ record }: TargetChange) => record ?? []));
  if (names.size === 0) return [];
  const stored = await collect(hub.listAll(controllerRevisions, { labelSelector: TARGET_RECORD_LABEL }));
  const records = stored.filter(({ metadata }) => names.has(metadata.name ?? '')).flatMap((object) => readTargetRecord(object) ?? []);
  return records.sort((a, b) => (a.startedAt > b.startedAt ? -1 : 1));
}

function noRecord({ addOn, revision }: Request): CommandError {
  return new CommandError(
    `no record of the clusters of ${addOn} at revision ${revision}: the manager stores one when a target ends while a RolloutPolicy governs the add-on; \`${shell`outrigger rollout history ${addOn}`}\` lists the revisions`,
    EXIT.failed,
  );
}

const COLUMNS: readonly TableColumn<TargetRecord['clusters'][number]>[] = [
  { title: 'CLUSTER', cell: ({ cluster }) => cluster, isShortened: true },
  { title: 'OUTCOME', cell: ({ outcome }) => (outcome === 'Failed' ? { text: outcome, as: 'bad' } : outcome) },
  { title: 'ADMITTED', cell: ({ admittedAt }) => admittedAt ?? '-' },
  { title: 'TOOK', cell: ({ seconds }) => (seconds === undefined ? '-' : `${seconds}s`) },
];

function recordText(record: TargetRecord, options: Parameters<typeof table>[2]): string {
  const { entry, revision, outcome, startedAt, endedAt, clusters, omitted } = record;
  const head = `${clean(entry)}: revision ${revision}, ${outcome}, ${startedAt} to ${endedAt}\n`;
  // Clusters are listed in the order in which they moved; those that did not move come last.
  const moved = [...clusters].sort((a, b) => ((a.admittedAt ?? '~') < (b.admittedAt ?? '~') ? -1 : 1));
  const rest = omitted > 0 ? `${omitted} more clusters are not part of the record, whose size is limited\n` : '';
  return `${head}${table(COLUMNS, moved, options)}${rest}`;
}
