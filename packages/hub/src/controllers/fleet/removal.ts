import { managedClusterAddOns } from '@outrigger/api';
import type { Action, Now } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { HUB } from '../../resources/base.js';
import type { Departures } from './departures.js';
import type { Fleet } from './members.js';
import type { FleetState } from './state.js';

/** When add-ons go from clusters that no entry selects any more. */
export interface RemovalPolicy {
  /** How long a cluster must be out of every entry before. */
  readonly afterMs: number;
  /** Removing at most this many add-ons, or this share of those the installer made, needs no confirmation unless it removes all of them. */
  readonly unguardedCount: number;
  readonly unguardedShare: number;
}

export const DEFAULT_REMOVAL_POLICY: RemovalPolicy = { afterMs: 10_000, unguardedCount: 5, unguardedShare: 0.2 };

export interface Removal {
  readonly deletions: readonly Action[];
  /** Who is leaving since when, for the next pass. */
  readonly departures: Departures;
  /** What would be removed if somebody agreed. */
  readonly pending: { readonly count: number; readonly of: number } | undefined;
  readonly recheckMs: number | undefined;
}

/**
 * Removes what the installer made from clusters that no entry selects any more. Everybody who is leaving counts for the guard, also those
 * whose time has not come: a choice that melts away page by page is one big removal.
 */
export function decideRemoval(state: FleetState, { leaving: candidates }: Fleet, now: Now): Removal {
  // What is unknown is not empty.
  const leaving = state.entries.every(({ unknown }) => unknown === undefined) ? candidates : [];
  if (leaving.length === 0) return NOTHING_LEAVES;
  const marked = state.addOns.filter((addOn) => addOn.installedSpec !== undefined && !addOn.isDeleting);
  const isConfirmed = state.rollout?.spec.confirmRemoval === leaving.length;
  const departures = new Map(
    leaving.map(({ key: { namespace = '' } }) => {
      const before = state.departures.get(namespace);
      return [namespace, { since: before?.since ?? now.monotonic, isConfirmed: isConfirmed || before?.isConfirmed === true }] as const;
    }),
  );
  const isUnguarded = !exceedsGuard(state.removal, leaving.length, marked.length);
  const allowed = leaving.filter(({ key: { namespace = '' } }) => isUnguarded || departures.get(namespace)?.isConfirmed);
  const dueIn = ({ key: { namespace = '' } }: AddOnRecord): number =>
    (departures.get(namespace)?.since ?? now.monotonic) + state.removal.afterMs - now.monotonic;
  const waits = allowed.map(dueIn).filter((ms) => ms > 0);
  return {
    deletions: allowed.filter((addOn) => dueIn(addOn) <= 0).map(deletion),
    departures,
    pending: allowed.length < leaving.length ? { count: leaving.length, of: marked.length } : undefined,
    recheckMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

const NOTHING_LEAVES: Removal = { deletions: [], departures: new Map(), pending: undefined, recheckMs: undefined };

/** Removing all add-ons of a declaration that has this many asks, however few they are. */
const ALWAYS_GUARDED_FLEET = 2;

function exceedsGuard({ unguardedCount, unguardedShare }: RemovalPolicy, count: number, of: number): boolean {
  return count > Math.max(unguardedCount, of * unguardedShare) || (count === of && of >= ALWAYS_GUARDED_FLEET);
}

function deletion({ key, uid, resourceVersion }: AddOnRecord): Action {
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
