import { type ManagedClusterAddOn, managedClusterAddOns, managedClusters } from '@outrigger/api';
import { findCondition, isConditionTrue, shell, nameOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { CommandError, EXIT } from '../failure.js';
import type { Source } from '../fleet/source.js';
import { clean } from '../terminal/clean.js';
import type { CommandContext } from './context.js';
import type { WaitOptions } from './wait-options.js';
import { follow } from './watch.js';

/** A condition to wait for. Resolves with undefined when the condition is met, and otherwise with a description of the current state. */
type Pending = (source: Source) => Promise<string | undefined>;

async function waitUntil(context: CommandContext, hub: Client, options: WaitOptions, pending: Pending, hint: string): Promise<void> {
  if (!options.wait) return;
  let left: string | undefined;
  const isDone = await follow(context, hub, {
    look: pending,
    show: (text) => {
      if (text !== undefined && text !== left) context.terminal.note(`waiting: ${clean(text)}\n`);
      left = text;
      return text === undefined;
    },
    ...(options.timeout > 0 ? { limitMs: options.timeout * 1000 } : {}),
  });
  if (!isDone && !context.signal.aborted)
    throw new CommandError(`not done after ${options.timeout} s: ${left ?? ''}: \`${hint}\``, EXIT.no);
}

/** Waits until the add-on is available on each cluster, with the given version if there is one. */
export function waitForAddOn(
  context: CommandContext,
  hub: Client,
  {
    addOn,
    cluster,
    to,
    ...options
  }: WaitOptions & { readonly addOn: string; readonly cluster: readonly string[]; readonly to?: string | undefined },
): Promise<void> {
  const pending: Pending = async (source) => {
    for (const name of cluster) {
      const found = (await source.list(managedClusterAddOns, name)).find((one) => nameOf(one) === addOn);
      const state = unfinishedState(found, to);
      if (state !== undefined) return `${addOn} on ${name} is ${state}`;
    }
    return undefined;
  };
  return waitUntil(context, hub, options, pending, shell`outrigger why ${addOn} --cluster ${cluster[0] ?? ''}`);
}

/** Returns the state of an add-on in words, or undefined if it is available at the wanted version. */
function unfinishedState(clusterAddOn: ManagedClusterAddOn | undefined, to: string | undefined): string | undefined {
  if (!clusterAddOn) return 'not installed';
  const { conditions, currentVersion } = clusterAddOn.status ?? {};
  const progressing = findCondition(conditions, 'Progressing');
  if (progressing?.reason !== 'Succeed') return progressing?.reason.toLowerCase() ?? 'not reported yet';
  if (to !== undefined && currentVersion !== to) return `at ${currentVersion ?? 'no version'}`;
  return isConditionTrue(conditions, 'Available') ? undefined : 'not available';
}

/** Waits until the add-on has been removed from each cluster. */
export function waitForRemoval(
  context: CommandContext,
  hub: Client,
  { addOn, cluster, ...options }: WaitOptions & { readonly addOn: string; readonly cluster: readonly string[] },
): Promise<void> {
  const pending: Pending = async (source) => {
    for (const name of cluster)
      if ((await source.list(managedClusterAddOns, name)).some((one) => nameOf(one) === addOn)) return `${addOn} is still on ${name}`;
    return undefined;
  };
  return waitUntil(context, hub, options, pending, shell`outrigger why ${addOn} --cluster ${cluster[0] ?? ''}`);
}

/** Waits until each cluster has joined and is available. */
export function waitForClusters(
  context: CommandContext,
  hub: Client,
  { clusters, ...options }: WaitOptions & { readonly clusters: readonly string[] },
): Promise<void> {
  const pending: Pending = async (source) => {
    const all = new Map((await source.list(managedClusters)).map((one) => [nameOf(one), one]));
    const away = clusters.find((name) => !isConditionTrue(all.get(name)?.status?.conditions, 'ManagedClusterConditionAvailable'));
    return away === undefined ? undefined : `${away} is not available`;
  };
  return waitUntil(context, hub, options, pending, 'outrigger get clusters');
}
