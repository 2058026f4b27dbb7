import { managedClusterAddOns } from '@outrigger/api';
import type { ApiAction, Now } from '@outrigger/kube';
import type { AddOnRecord } from '@outrigger/rules/observed';
import { HUB } from '../../resources/base.js';
import type { Fleet } from '@outrigger/rules/strategy';
import { removalGate } from './gates.js';
import type { Departures } from './memory.js';
import type { FleetState } from './state.js';

/** When to remove add-ons from clusters that no entry selects any more. */
export interface RemovalPolicy {
  /** How long no entry must have selected a cluster before its add-on is removed. */
  readonly afterMs: number;
  /**
   * Removing at most this many add-ons, or at most this share of the add-ons that the installer created, needs no confirmation, unless all
   * of them would be removed.
   */
  readonly unguardedCount: number;
  readonly unguardedShare: number;
}

export const DEFAULT_REMOVAL_POLICY: RemovalPolicy = { afterMs: 10_000, unguardedCount: 5, unguardedShare: 0.2 };

export interface Removal {
  readonly deletions: readonly ApiAction[];
  /** The clusters that are leaving, and since when, for the next pass. */
  readonly departures: Departures;
  /** The removal that waits for a confirmation. */
  readonly pending: { readonly count: number; readonly of: number } | undefined;
  readonly recheckMs: number | undefined;
}

/**
 * Removes add-ons that the installer created from clusters that no entry selects any more. The removal guard counts all leaving clusters,
 * including those whose waiting time has not passed: PlacementDecisions that disappear one by one are counted as one large removal.
 */
export function decideRemoval(state: FleetState, { leaving: candidates }: Fleet, now: Now): Removal {
  // While any entry is unknown, no add-on is removed, because the unknown entry may select its cluster.
  const leaving = state.entries.every(({ unknown }) => unknown === undefined) ? candidates : [];
  if (leaving.length === 0) return NOTHING_LEAVES;
  const marked = state.addOns.filter((clusterAddOn) => clusterAddOn.installedSpec !== undefined && !clusterAddOn.isDeleting);
  const isConfirmed = state.rollout?.spec.confirmRemoval === leaving.length;
  const departures = new Map(
    leaving.map(({ key: { namespace = '' } }) => {
      const before = state.memory.departures.get(namespace);
      return [namespace, { since: before?.since ?? now.monotonic, isConfirmed: isConfirmed || before?.isConfirmed === true }] as const;
    }),
  );
  const isUnguarded = !exceedsGuard(state.removal, leaving.length, marked.length);
  const allowed = leaving.filter(({ key: { namespace = '' } }) => isUnguarded || departures.get(namespace)?.isConfirmed);
  const dueIn = ({ key: { namespace = '' } }: AddOnRecord): number =>
    (departures.get(namespace)?.since ?? now.monotonic) + state.removal.afterMs - now.monotonic;
  const gate = removalGate(state, now.wall);
  const due = allowed
    .filter((clusterAddOn) => dueIn(clusterAddOn) <= 0)
    .map((clusterAddOn) => ({ clusterAddOn, gate: gate(clusterAddOn.key.namespace ?? '') }));
  const openings = due.flatMap((one) => (one.gate.isOpen || one.gate.opensAt === undefined ? [] : [one.gate.opensAt - now.wall]));
  const waits = [...allowed.map(dueIn).filter((ms) => ms > 0), ...openings];
  return {
    deletions: due.filter((one) => one.gate.isOpen).map(({ clusterAddOn }) => deletion(clusterAddOn)),
    departures,
    pending: allowed.length < leaving.length ? { count: leaving.length, of: marked.length } : undefined,
    recheckMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

const NOTHING_LEAVES: Removal = { deletions: [], departures: new Map(), pending: undefined, recheckMs: undefined };

/** If a declaration has at least this many add-ons, removing all of them always needs a confirmation. */
const ALWAYS_GUARDED_FLEET = 2;

function exceedsGuard({ unguardedCount, unguardedShare }: RemovalPolicy, count: number, of: number): boolean {
  return count > Math.max(unguardedCount, of * unguardedShare) || (count === of && of >= ALWAYS_GUARDED_FLEET);
}

function deletion({ key, uid, resourceVersion }: AddOnRecord): ApiAction {
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
