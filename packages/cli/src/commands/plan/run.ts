import { managedClusters } from '@outrigger/api';
import { parseTime, nameOf } from '@outrigger/core';
import type { PlannedChange } from '@outrigger/hub/planner';
import { CommandError, EXIT, usageError } from '../../failure.js';
import { requireClusters } from '../../fleet/clusters.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { readObjects } from '../../fleet/files.js';
import { fileChange, revisionChange, versionChange } from '../../plan/changes.js';
import { planText } from '../../plan/text.js';
import { redacted } from '../../plan/redacted.js';
import { requireStorable } from '../../preview/preview.js';
import { formatValue } from '../../terminal/format.js';
import { tableWidth } from '../../terminal/terminal.js';
import type { CommandContext } from '../context.js';
import type { PlanOptions } from './command.js';

type Request = ConnectionOptions & PlanOptions & { readonly addOn: string };

export async function plan(context: CommandContext, request: Request): Promise<void> {
  const { title, change, clusters = [] } = await requestedChange(context, request);
  const { fail } = request;
  if (typeof fail === 'object') {
    const named = fail.filter((name) => !clusters.includes(name));
    await withHub(context, request, (hub) => requireClusters(hub, named));
  }
  await printPlan(context, { ...request, title, change });
}

interface RequestedChange {
  readonly title: string;
  readonly change: PlannedChange;
  /** The clusters that the files contain. */
  readonly clusters?: readonly string[];
}

async function requestedChange(context: CommandContext, request: Request): Promise<RequestedChange> {
  const { addOn, to, revision, filename } = request;
  if (to !== undefined) return { title: `to ${to}`, change: versionChange(addOn, to, undefined) };
  if (revision !== undefined) return { title: `back to revision ${revision}`, change: revisionChange(addOn, revision) };
  const files = await readObjects(filename ?? [], context);
  requireStorable(files);
  const objects = files.map(({ object }) => object);
  const clusters = objects.filter(({ kind }) => kind === managedClusters.kind).map(nameOf);
  return { title: `with ${(filename ?? []).join(', ')}`, change: fileChange(objects), clusters };
}

/** The inputs that all commands with `--plan` have in common. */
export interface PrintedPlan extends ConnectionOptions {
  readonly addOn: string;
  readonly title: string;
  readonly change: PlannedChange;
  /** The clusters on which the change takes effect immediately, outside of the rollout. */
  readonly direct?: readonly string[];
  readonly fail?: number | readonly string[];
  readonly offline?: number;
  readonly seed?: number;
  readonly from?: string;
  readonly output?: 'text' | 'json' | 'yaml';
}

/** Prints a plan. Fails with exit code 5 if there are obstacles. */
export async function printPlan(context: CommandContext, request: PrintedPlan): Promise<void> {
  const { terminal } = context;
  const { clock } = await context.runtime();
  const from = request.from === undefined ? clock.now() : parseTime(request.from);
  if (from === undefined) throw usageError(`--from ${request.from}: want a time such as 2026-12-01T08:00:00Z`);
  const { fail, seed = 1, offline, addOn, title, change, direct, output = 'text' } = request;
  const { planChange } = await import('@outrigger/hub/planner');
  const made = await withHub(context, request, (hub) =>
    planChange(hub, {
      addOn,
      title,
      change,
      from,
      seed,
      ...(direct ? { direct } : {}),
      ...(fail === undefined ? {} : { fail: typeof fail === 'number' ? fail : new Set(fail) }),
      ...(offline === undefined ? {} : { offline }),
    }),
  );
  const shown = redacted(made);
  terminal.out(output === 'text' ? planText(shown, { style: terminal.style, width: tableWidth(terminal) }) : formatValue(shown, output));
  const count = made.inTheWay.length;
  if (count > 0) throw new CommandError(count === 1 ? 'one thing stands in the way' : `${count} things stand in the way`, EXIT.no);
}
