import { managedClusterAddOns } from '@outrigger/api';
import type { Action, Now } from '@outrigger/kube';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { HUB } from '../../resources/base.js';
import type { Departures } from './departures.js';
import type { Fleet } from './members.js';
import type { FleetState } from './state.js';

/** How long a cluster must be out of every entry before its add-on goes. */
const REMOVE_AFTER_MS = 10_000;
/** Removing no more than this many, or this share of what the installer made, needs nobody's consent. */
const UNGUARDED_COUNT = 5;
const UNGUARDED_SHARE = 0.2;

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
  const isUnguarded = !exceedsGuard(leaving.length, marked.length);
  const allowed = leaving.filter(({ key: { namespace = '' } }) => isUnguarded || departures.get(namespace)?.isConfirmed);
  const dueIn = ({ key: { namespace = '' } }: AddOnRecord): number =>
    (departures.get(namespace)?.since ?? now.monotonic) + REMOVE_AFTER_MS - now.monotonic;
  const waits = allowed.map(dueIn).filter((ms) => ms > 0);
  return {
    deletions: allowed.filter((addOn) => dueIn(addOn) <= 0).map(deletion),
    departures,
    pending: allowed.length < leaving.length ? { count: leaving.length, of: marked.length } : undefined,
    recheckMs: waits.length > 0 ? Math.min(...waits) : undefined,
  };
}

const NOTHING_LEAVES: Removal = { deletions: [], departures: new Map(), pending: undefined, recheckMs: undefined };

function exceedsGuard(count: number, of: number): boolean {
  return count > Math.max(UNGUARDED_COUNT, of * UNGUARDED_SHARE) || (count === of && of > UNGUARDED_COUNT);
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
