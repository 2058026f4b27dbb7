import { type RolloutWait, managedClusterAddOns } from '@outrigger/api';
import { earliest } from '@outrigger/core';
import type { ApiAction, Now } from '@outrigger/kube';
import { type AddOnProjection, homeOf } from '@outrigger/rules/observed';
import { type HeldRemoval, isRemovalWait, removalWaits } from '@outrigger/rules/policy';
import { HUB } from '../../resources/base.js';
import { defaultEntry, type Fleet } from '@outrigger/rules/strategy';
import { removalGate } from './gates.js';
import type { Departure, Departures } from './memory.js';
import type { FleetState } from './state.js';

/** When to remove add-ons from clusters that no entry selects any more. */
export interface RemovalPolicy {
  /** The time after which an add-on is removed if no entry selects its cluster. */
  readonly afterMs: number;
  /**
   * A removal of at most this many add-ons, or of at most this share of the installer's add-ons, needs no confirmation, unless it removes
   * all of them.
   */
  readonly unguardedCount: number;
  readonly unguardedShare: number;
}

export const DEFAULT_REMOVAL_POLICY: RemovalPolicy = { afterMs: 10_000, unguardedCount: 5, unguardedShare: 0.2 };

export interface Removal {
  readonly deletions: readonly ApiAction[];
  /** The clusters that wait for a removal, each with the time at which its entry stopped selecting it. The next pass reads this map. */
  readonly departures: Departures;
  /** The removal that waits for a confirmation, if any. */
  readonly pending: { readonly count: number; readonly of: number } | undefined;
  readonly recheckMs: number | undefined;
  /** The gates that hold removals, keyed by entry, for the field `waitingFor` of the rollout's status. */
  readonly waits: ReadonlyMap<string, readonly RolloutWait[]>;
}

/**
 * Removes add-ons that the installer created from clusters that no entry selects any more. The removal guard counts all leaving clusters,
 * even those whose waiting time has not passed, so that PlacementDecisions that disappear one by one count as one large removal. A removal
 * that the guard holds waits until a fleet admin confirms it (addons.md §2), or until so few clusters are leaving that the guard no longer
 * holds it. While the removal waits, new add-ons do not increase the number of add-ons with which the guard compares the removal.
 */
export function decideRemoval(state: FleetState, { leaving: candidates }: Fleet, now: Now): Removal {
  // While any entry is unknown, no add-on is removed, because the unknown entry may select the cluster of the add-on.
  const leaving = state.entries.every(({ unknown }) => unknown === undefined) ? candidates.filter(isStaying(state)) : [];
  if (leaving.length === 0) return NOTHING_LEAVES;
  const heldOf = heldCount(state, leaving);
  const of = Math.min(removableAddOns(state).length, heldOf ?? Infinity);
  const isUnguarded = !exceedsGuard(state.removal, leaving.length, of);
  const isConfirmed = state.rollout?.spec.confirmRemoval === leaving.length;
  const departures = new Map(
    leaving.map(({ key: { namespace = '' } }): [string, Departure] => {
      const before = state.memory.departures.get(namespace);
      const since = before?.since ?? now.monotonic;
      const isHeld = !isUnguarded && (heldOf !== undefined || since + state.removal.afterMs <= now.monotonic);
      const entry = before?.entry ?? homeOf(state.rollout?.status ?? {}, namespace)?.name;
      return [namespace, { since, isConfirmed: isConfirmed || before?.isConfirmed === true, guardedOf: isHeld ? of : undefined, entry }];
    }),
  );
  const allowed = leaving.filter(({ key: { namespace = '' } }) => isUnguarded || departures.get(namespace)?.isConfirmed);
  const dueIn = ({ key: { namespace = '' } }: AddOnProjection): number =>
    (departures.get(namespace)?.since ?? now.monotonic) + state.removal.afterMs - now.monotonic;
  const recorded = recordedWaits(state);
  const gate = removalGate(state, recorded, now.wall);
  const gated = allowed.map((clusterAddOn) => ({
    clusterAddOn,
    gate: gate(clusterAddOn.key.namespace ?? ''),
    isDue: dueIn(clusterAddOn) <= 0,
  }));
  const due = gated.filter(({ isDue }) => isDue);
  const held = gated.flatMap(({ clusterAddOn: { key }, gate: one, isDue }) => {
    // After a restart the waiting time of a removal (`afterMs`) starts from zero. Meanwhile, the status still shows the gates that the
    // record lists.
    const isShown = (found: typeof one): found is HeldRemoval['gate'] =>
      !found.isOpen && (isDue || found.heldBy.some(({ name }) => recorded.some((wait) => wait.name === name)));
    return isShown(one) ? [{ entry: entryOf(state, departures.get(key.namespace ?? '')), gate: one }] : [];
  });
  const openings = due.flatMap((one) => (one.gate.isOpen || one.gate.opensAt === undefined ? [] : [one.gate.opensAt - now.wall]));
  const waits = [...leaving.map(dueIn).filter((ms) => ms > 0), ...openings];
  return {
    deletions: due.filter((one) => one.gate.isOpen).map(({ clusterAddOn }) => deletion(clusterAddOn)),
    departures,
    pending: allowed.length < leaving.length ? { count: leaving.length, of } : undefined,
    recheckMs: earliest(...waits),
    waits: removalWaits(held, recorded, now.wall),
  };
}

/** The add-ons that the installer created and may remove. */
export function removableAddOns(state: Pick<FleetState, 'addOns' | 'cluster'>): readonly AddOnProjection[] {
  const isOnStayingCluster = isStaying(state);
  return state.addOns.filter((one) => one.installedSpec !== undefined && !one.isDeleting && isOnStayingCluster(one));
}

/**
 * Returns a function that reports whether the ManagedCluster of an add-on is not being deleted. If it is being deleted, the clusters
 * controller deletes its add-ons in the order of their cleanup priorities, and the removal guard does not count them (addons.md §2).
 */
function isStaying({ cluster }: Pick<FleetState, 'cluster'>): (clusterAddOn: AddOnProjection) => boolean {
  return ({ key }) => cluster(key.namespace ?? '')?.isDeleting !== true;
}

const NOTHING_LEAVES: Removal = { deletions: [], departures: new Map(), pending: undefined, recheckMs: undefined, waits: new Map() };

/** The waits for removals that the record contains. */
function recordedWaits({ rollout }: FleetState): readonly (RolloutWait & { readonly entry: string })[] {
  return (rollout?.status.entries ?? []).flatMap(({ name: entry, waitingFor = [] }) =>
    waitingFor.filter(isRemovalWait).map((wait) => ({ ...wait, entry })),
  );
}

/** Returns the entry that shows a removal's wait: the entry that last selected the cluster, otherwise the first entry of the strategy. */
function entryOf({ entries }: FleetState, departure: Departure | undefined): string {
  const names = entries.map(({ entry }) => entry.name);
  if (departure?.entry !== undefined && names.includes(departure.entry)) return departure.entry;
  return names.find((name) => name !== defaultEntry.name) ?? defaultEntry.name;
}

/** If a declaration has at least this many add-ons, removing all of them always needs a confirmation. */
const ALWAYS_GUARDED_FLEET = 2;

function exceedsGuard({ unguardedCount, unguardedShare }: RemovalPolicy, count: number, of: number): boolean {
  return count > Math.max(unguardedCount, of * unguardedShare) || (count >= of && of >= ALWAYS_GUARDED_FLEET);
}

/**
 * Returns the number of add-ons with which the guard compared these removals when it held them; undefined if it held none. After a restart,
 * uses the number in the record.
 */
function heldCount({ memory, rollout }: FleetState, leaving: readonly AddOnProjection[]): number | undefined {
  if (memory.departures.size === 0) return rollout?.status.pendingRemoval?.of;
  const counts = leaving.flatMap(({ key: { namespace = '' } }) => memory.departures.get(namespace)?.guardedOf ?? []);
  return counts.length > 0 ? Math.min(...counts) : undefined;
}

function deletion({ key, uid, resourceVersion }: AddOnProjection): ApiAction {
  return {
    type: 'delete',
    id: `remove/${key.namespace ?? ''}`,
    api: HUB,
    kind: managedClusterAddOns,
    key,
    precondition: { uid, resourceVersion },
    accept: ['NotFound'],
  };
}
