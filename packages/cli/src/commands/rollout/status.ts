import { countText, shell, nameOf, collect } from '@outrigger/core';
import {
  type AddOnRollout,
  type RolloutEntry,
  addOnRollouts,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
} from '@outrigger/api';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../../failure.js';
import { requireRollout } from '../../fleet/rollouts.js';
import { type ConnectionOptions, withHub } from '../../fleet/connect.js';
import { isObserved } from '../../fleet/observed.js';
import { ifAllowed } from '../../fleet/readable.js';
import { type Source, askingSource } from '../../fleet/source.js';
import { clean } from '../../terminal/clean.js';
import { formatObjects, nextDocument } from '../../terminal/format.js';
import { liveBlock } from '../../terminal/live.js';
import { type TableOptions, table } from '../../terminal/table.js';
import { tableWidth } from '../../terminal/terminal.js';
import { isHalted } from '@outrigger/rules/rollout';
import { haltedText, remarkOf, resumeCommand, rollbackCommand } from '@outrigger/rules/why';
import { overriddenClusters } from '../../views/overridden.js';
import { UNRESOLVED, awayClusters, failedClusters, removalText, rolloutState, unresolvedText } from '../../views/rollout-state.js';
import { entryColumns } from '../../views/rollouts.js';
import { slipText, withSlips } from '../../views/slips.js';
import { outcomesText, waitsText } from '../../views/waits.js';
import type { CommandContext } from '../context.js';
import { follow } from '../watch.js';
import type { StatusOptions } from './command.js';

interface Request extends ConnectionOptions, StatusOptions {
  readonly addOn: string;
}

/**
 * The time in milliseconds for which the rollout must stay unchanged after it has completed, halted or paused. The command waits because no
 * field shows whether the manager has observed a change of an object other than the declaration.
 */
const SETTLED_MS = 1_000;

interface Standing {
  readonly rollout: AddOnRollout;
  /** Whether the manager has observed the latest declaration, so that the rollout's status reflects it. */
  readonly isCurrent: boolean;
  /** The reason why the clusters of an entry are not known; undefined if they are known. */
  readonly unresolved?: string | undefined;
  /** The names of the clusters that are not available, and of those on which the target failed, by entry. */
  readonly away: ReadonlyMap<string, readonly string[]>;
  readonly failed: ReadonlyMap<string, readonly string[]>;
  /** The clusters that an override keeps at another version, by entry. */
  readonly overridden: ReadonlyMap<string, readonly string[]>;
}

export async function status(context: CommandContext, request: Request): Promise<void> {
  const { terminal } = context;
  const { clock } = await context.runtime();
  await withHub(context, request, async (hub) => {
    const look = (source: Source): Promise<Standing> => readStanding(hub, source, request);
    const text = (standing: Standing): string =>
      request.output === 'text'
        ? statusText(standing.rollout, clock.now(), { style: terminal.style, width: tableWidth(terminal), ...standing })
        : formatObjects([withSlips(standing.rollout, clock.now())], request.output, true);
    let last = await look(askingSource(hub));
    if (!request.watch) {
      if (!last.isCurrent) terminal.note('the manager has not looked at the latest change yet; this is how it was before\n');
      terminal.out(text(last));
      requireUnhalted(last.rollout);
      requireResolved(last);
      if (request.strict) requireReached(last.rollout);
      return;
    }
    const block = liveBlock(terminal);
    let shown = '';
    const show = (standing: Standing): number | void => {
      last = standing;
      const next = text(standing);
      // Ages change constantly, so without a terminal only changes to the rollout are printed.
      const content = JSON.stringify([standing.rollout, [...standing.away], [...standing.failed], [...standing.overridden]]);
      if (terminal.isLive && request.output === 'text') block.show(next);
      else if (content !== shown) terminal.out(nextDocument(next, request.output, shown === ''));
      shown = content;
      return hasEnded(standing) ? SETTLED_MS : undefined;
    };
    const endAt = clock.monotonic() + (request.timeout > 0 ? request.timeout * 1000 : Infinity);
    for (;;) {
      const limitMs = endAt - clock.monotonic();
      const isDone = await follow(context, hub, { look, show, ...(Number.isFinite(limitMs) ? { limitMs } : {}) });
      if (!isDone) break;
      // The watches of declarations and rollouts may deliver changes at different times, so the command reads both kinds again to confirm
      // that the rollout has ended.
      last = await look(askingSource(hub));
      if (hasEnded(last)) break;
    }
    block.end();
    if (!context.signal.aborted) requireDone(last, request);
  });
}

async function readStanding(hub: Client, source: Source, { addOn, watch }: Request): Promise<Standing> {
  // The declaration must be read first, because the manager writes the record before it reports the declaration as observed.
  const managementAddOn = (await source.list(clusterManagementAddOns)).find((one) => nameOf(one) === addOn);
  const rollout = (await source.list(addOnRollouts)).find((one) => nameOf(one) === addOn) ?? (await requireRollout(hub, addOn));
  return {
    rollout,
    isCurrent: managementAddOn === undefined || isObserved(managementAddOn),
    unresolved: managementAddOn && unresolvedText(managementAddOn),
    ...(await namedClusters(source, rollout)),
    // A watch lists add-ons only when the rollout is completed, halted or paused, because listing those of a large fleet at each change is
    // expensive.
    overridden: watch && !isSettled(rollout) ? new Map() : await overriddenIn(hub, rollout),
  };
}

/**
 * Returns the unavailable and the failed clusters, by entry. Clusters and add-ons are read only if the rollout counts unavailable or failed
 * clusters, because a fleet can have thousands of clusters.
 */
async function namedClusters(source: Source, rollout: AddOnRollout): Promise<Pick<Standing, 'away' | 'failed'>> {
  const entries = rollout.status?.entries ?? [];
  const { away, failed } = rolloutState(rollout);
  if (away === 0 && failed === 0) return { away: new Map(), failed: new Map() };
  const [clusters, all] = (await ifAllowed(Promise.all([source.list(managedClusters), source.list(managedClusterAddOns)]))) ?? [[], []];
  const installed = all.filter((clusterAddOn) => nameOf(clusterAddOn) === nameOf(rollout));
  return {
    away: new Map(entries.map((entry) => [entry.name, awayClusters(entry, clusters, installed)])),
    failed: new Map(entries.map((entry) => [entry.name, failedClusters(entry, installed)])),
  };
}

/** Returns the clusters that an override keeps at another version, by entry. Empty if the user may not read the add-ons of all clusters. */
async function overriddenIn(hub: Client, rollout: AddOnRollout): Promise<Standing['overridden']> {
  const { entries = [], history = [] } = rollout.status ?? {};
  const selection = { fieldSelector: `metadata.name=${nameOf(rollout)}` };
  const installed = (await ifAllowed(collect(hub.listAll(managedClusterAddOns, selection)))) ?? [];
  return new Map(entries.map((entry) => [entry.name, overriddenClusters(entry, history, installed)]));
}

interface TextOptions extends Pick<TableOptions, 'style' | 'width'> {
  readonly away?: Standing['away'];
  readonly failed?: Standing['failed'];
  readonly overridden?: Standing['overridden'];
  readonly unresolved?: Standing['unresolved'];
}

export function statusText(
  rollout: AddOnRollout,
  nowMs: number,
  { away = new Map(), failed = new Map(), overridden = new Map(), unresolved, ...look }: TextOptions = {},
): string {
  const { status: current, spec, metadata } = rollout;
  const { text } = rolloutState(rollout);
  const pinned = [
    ...(spec?.pinnedRevision === undefined ? [] : [`, pinned at revision ${spec.pinnedRevision}`]),
    ...(spec?.pinnedEntries ?? []).map(({ name, revision }) => `, ${name} pinned at revision ${revision}`),
  ].join('');
  const kept = [...overridden.values()].reduce((sum, names) => sum + names.length, 0);
  const head = `${metadata.name}: ${text.replace(', pinned', '')}${kept > 0 ? `, ${kept} overridden` : ''}${unresolved === undefined ? '' : `, ${UNRESOLVED}`}${current?.target ? `, target ${clean(current.target)}` : ''}${pinned}\n`;
  const entries = current?.entries ?? [];
  const remarks = entries.map(
    (entry) =>
      `${remark(entry)}${waitsText(nameOf(rollout), entry)}${outcomesText(nameOf(rollout), entry)}${slipText(entry, nowMs)}${namesText(entry.name, 'failed', failed.get(entry.name))}${namesText(entry.name, 'away, and without the target', away.get(entry.name))}${namesText(entry.name, 'done, but kept at another version by an override', overridden.get(entry.name))}`,
  );
  return `${head}${table(entryColumns(nowMs), entries, look)}${remarks.join('')}${removalText(rollout)}`;
}

const MOST_NAMED = 10;

function namesText(entry: string, what: string, names: readonly string[] = []): string {
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return `${clean(entry)}: ${what}: ${names.slice(0, MOST_NAMED).map(clean).join(', ')}${more}\n`;
}

/** Returns an entry's message without the numbers of clusters, which are printed separately. */
function remark(entry: RolloutEntry): string {
  const { name, waitingFor = [] } = entry;
  const text = remarkOf(entry);
  // Gates are printed on separate lines, so a message about gates is omitted here.
  return text === '' || (waitingFor.length > 0 && text.startsWith('waits for ')) ? '' : `${clean(name)}: ${clean(text)}\n`;
}

/** Whether the manager has observed the latest spec of the rollout, and the rollout is completed, halted or paused. */
export function isSettled(rollout: AddOnRollout): boolean {
  const isCurrent = (rollout.status?.observedGeneration ?? 0) >= (rollout.metadata.generation ?? 0);
  return isCurrent && ['Completed', 'Halted', 'Paused'].includes(rolloutState(rollout).word);
}

/**
 * Whether a watch of the rollout has nothing left to wait for. A completed rollout continues if the clusters of an entry are not known yet,
 * for example because the PlacementDecisions of a new Placement are incomplete.
 */
export function hasEnded({ rollout, isCurrent, unresolved }: Pick<Standing, 'rollout' | 'isCurrent' | 'unresolved'>): boolean {
  return isCurrent && isSettled(rollout) && (unresolved === undefined || rolloutState(rollout).word !== 'Completed');
}

function requireUnhalted(rollout: AddOnRollout): void {
  const { hasHalted, failed } = rolloutState(rollout);
  const name = nameOf(rollout);
  if (!hasHalted) return;
  const back = rollbackCommand(rollout);
  // Count only the failed clusters of halted entries, because failures in other entries did not cause the halt.
  const stopped = (rollout.status?.entries ?? []).filter(isHalted);
  const count = stopped.length === 0 ? failed : stopped.reduce((sum, entry) => sum + (entry.failed ?? 0), 0);
  const [first, second] = stopped;
  const halted = first && (!second || count === 0) ? haltedText(first) : `is halted: ${countText(count, 'cluster')} failed`;
  throw new CommandError(
    `the rollout of ${name} ${halted}: \`${shell`outrigger why ${name}`}\` names the cause${back === undefined ? '' : `, \`${back}\` goes back`}`,
    EXIT.no,
  );
}

/** Fails if the clusters of an entry are not known, because the rollout cannot reach unknown clusters. */
function requireResolved({ rollout, unresolved }: Pick<Standing, 'rollout' | 'unresolved'>): void {
  const name = nameOf(rollout);
  if (unresolved !== undefined)
    throw new CommandError(`not all clusters of ${name} are known: ${unresolved}: \`${shell`outrigger why ${name}`}\``, EXIT.no);
}

/** Fails if clusters are away and did not get the target. */
export function requireReached(rollout: AddOnRollout): void {
  const { word, away } = rolloutState(rollout);
  const state = word === 'Completed' ? `${nameOf(rollout)} is through, but` : `${nameOf(rollout)}:`;
  if (away > 0) throw new CommandError(`${state} ${countText(away, 'cluster')} away did not get it: \`outrigger get clusters\``, EXIT.no);
}

interface DoneOptions {
  readonly timeout: number;
  readonly strict?: true;
}

/** Fails unless the rollout has completed. With `strict`, unavailable clusters count as not completed. */
export function requireDone(
  { rollout, isCurrent, unresolved }: Pick<Standing, 'rollout' | 'isCurrent' | 'unresolved'>,
  { timeout, strict }: DoneOptions,
): void {
  const { word, failed } = rolloutState(rollout);
  const name = nameOf(rollout);
  if (!isCurrent)
    throw new CommandError(`the manager did not look at the latest change of ${name} within ${timeout} s: \`outrigger doctor\``, EXIT.no);
  requireUnhalted(rollout);
  requireResolved({ rollout, unresolved });
  if (word === 'Completed' && failed > 0)
    throw new CommandError(
      `${name} is through, but ${countText(failed, 'cluster')} failed: \`${shell`outrigger get addons ${name} -o wide`}\` names them`,
      EXIT.no,
    );
  if (word === 'Completed' && strict) requireReached(rollout);
  if (word === 'Completed') return;
  if (word === 'Paused') throw new CommandError(`the rollout of ${name} is paused: \`${resumeCommand(rollout)}\` goes on`, EXIT.no);
  throw new CommandError(`the rollout of ${name} was not done after ${timeout} s: \`${shell`outrigger rollout status ${name}`}\``, EXIT.no);
}
