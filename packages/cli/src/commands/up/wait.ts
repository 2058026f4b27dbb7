import { type AddOnRollout, addOnRollouts, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { findCondition, type Runtime, shell, nameOf } from '@outrigger/core';
import { listOf } from '../../fleet/objects.js';
import type { LocalFleet } from '../../local/fleet.js';
import { type ClusterProgress, addOnState, isReady, progressOf } from '../../local/progress.js';
import type { StartScreen } from './screen.js';

export interface WaitOptions {
  readonly fleet: LocalFleet;
  /** The add-ons that every cluster must have; empty unless this run installed the samples. */
  readonly addOns: readonly string[];
  readonly screen: StartScreen;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

const POLL_MS = 200;
/** The maximum share of the time that is spent on reading the add-ons of a large fleet. */
const POLL_SHARE = 0.05;
const MAX_POLL_MS = 3_000;
const BASE_LIMIT_MS = 120_000;
const PER_CLUSTER_LIMIT_MS = 1_000;

/**
 * Waits until every add-on is available on every cluster and the manager has recorded every rollout as completed, or until the signal is
 * aborted. The manager writes the record only after the last cluster has reported. Without waiting for the record, the screen could show a
 * rollout that still progresses. If the wait takes too long, resolves with the missing add-ons and rollouts.
 */
export async function waitForAddOns({ fleet, addOns, screen, runtime, signal }: WaitOptions): Promise<string | undefined> {
  const limit = runtime.clock.monotonic() + BASE_LIMIT_MS + fleet.clusterNames.length * PER_CLUSTER_LIMIT_MS;
  for (;;) {
    const startedAt = runtime.clock.monotonic();
    const progress = progressOf(fleet.clusterNames, addOns, await listOf(fleet.hub, managedClusterAddOns));
    screen.progress(addOns, progress);
    if (signal.aborted) return undefined;
    const open = isReady(progress) && addOns.length > 0 ? openRollouts(addOns, await listOf(fleet.hub, addOnRollouts)) : [];
    if (isReady(progress) && open.length === 0) return undefined;
    if (runtime.clock.monotonic() > limit) return isReady(progress) ? openText(open) : missingText(progress);
    await runtime.timers.sleep(pollMs(runtime.clock.monotonic() - startedAt), signal).catch(() => undefined);
  }
}

/**
 * Waits until the hub reports every cluster as available, or until the signal is aborted. It is used without samples, because no add-on
 * then shows that the clusters have joined. If the wait takes too long, resolves with the clusters that are not available.
 */
export async function waitForClusters({
  fleet,
  runtime: { clock, timers },
  signal,
}: Omit<WaitOptions, 'addOns' | 'screen'>): Promise<string | undefined> {
  const limit = clock.monotonic() + BASE_LIMIT_MS + fleet.clusterNames.length * PER_CLUSTER_LIMIT_MS;
  for (;;) {
    const startedAt = clock.monotonic();
    const joined = (await listOf(fleet.hub, managedClusters)).filter(
      ({ status }) => findCondition(status?.conditions, 'ManagedClusterConditionAvailable')?.status === 'True',
    );
    const names = new Set(joined.map(nameOf));
    const late = fleet.clusterNames.filter((name) => !names.has(name));
    if (signal.aborted || late.length === 0) return undefined;
    if (clock.monotonic() > limit) return `not available in time: ${firstNames(late)}: ask \`outrigger get clusters\``;
    await timers.sleep(pollMs(clock.monotonic() - startedAt), signal).catch(() => undefined);
  }
}

function firstNames(names: readonly string[]): string {
  return `${names.slice(0, 5).join(', ')}${names.length > 5 ? `, and ${names.length - 5} more` : ''}`;
}

/** Returns the delay before the next read of the add-ons, depending on how long the last read took. */
function pollMs(tookMs: number): number {
  return Math.min(Math.max(POLL_MS, tookMs / POLL_SHARE), MAX_POLL_MS);
}

const STEADY_MS = 2_000;
const RETURN_LIMIT_MS = 60_000;

/**
 * Waits for the add-ons after a restart of clusters that keep nothing on disk. Resolves when every add-on has been available for some time,
 * because the hub initially shows the statuses from before the restart. An add-on that was broken before may stay broken, so the wait also
 * ends, without an error, after a time limit.
 */
export async function waitForReturn({ fleet, screen, runtime: { clock, timers }, signal }: Omit<WaitOptions, 'addOns'>): Promise<void> {
  const limit = clock.monotonic() + RETURN_LIMIT_MS;
  let steadySince: number | undefined;
  while (!signal.aborted && clock.monotonic() < limit) {
    const startedAt = clock.monotonic();
    const installed = await listOf(fleet.hub, managedClusterAddOns);
    const names = [...new Set(installed.map(nameOf))].sort();
    const isBack = installed.every((clusterAddOn) => addOnState(clusterAddOn).isReady);
    screen.progress(names, progressOf(fleet.clusterNames, names, installed));
    steadySince = isBack ? (steadySince ?? clock.monotonic()) : undefined;
    if (steadySince !== undefined && clock.monotonic() - steadySince >= STEADY_MS) return;
    await timers.sleep(pollMs(clock.monotonic() - startedAt), signal).catch(() => undefined);
  }
}

/** Returns the names of the add-ons whose rollout is not recorded as completed. */
function openRollouts(addOns: readonly string[], rollouts: readonly AddOnRollout[]): readonly string[] {
  const completed = new Set(rollouts.filter(({ status }) => status?.state === 'Completed').map(nameOf));
  return addOns.filter((name) => !completed.has(name));
}

function openText(names: readonly string[]): string {
  return `rollout not completed in time: ${names.join(', ')}: ask \`${shell`outrigger rollout status ${names[0]}`}\``;
}

function missingText(progress: readonly ClusterProgress[]): string {
  const late = progress.flatMap(({ cluster, states }) =>
    [...states].filter(([, state]) => !state.isReady).map(([addOn, state]) => ({ addOn, cluster, text: state.text })),
  );
  const names = late.map(({ addOn, cluster, text }) => `${addOn} on ${cluster} (${text})`);
  const why = late.slice(0, 1).map(({ addOn, cluster }) => `: ask \`${shell`outrigger why ${addOn} --cluster ${cluster}`}\``);
  return `not available in time: ${firstNames(names)}${why.join('')}`;
}
