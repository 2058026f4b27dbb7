import type { LogEntry, ObjectHistory, Violation } from './log.js';
import { KIND, type RecordStatus, statusOf } from './reading.js';

/** The record formats that the manager knows. A new record has none. */
const KNOWN: readonly (number | undefined)[] = [undefined, 1, 2];
/** What a pass of the fleet controller, or of the addon controller, must not write while it cannot read the record. */
const HELD_OF_FLEET: ReadonlySet<string> = new Set([KIND.rollouts, KIND.contents]);
const HELD_OF_ADDON: ReadonlySet<string> = new Set([KIND.works, KIND.bindings]);

/**
 * A manager that cannot read a record starts nothing and removes nothing: it writes neither the record nor the content of revisions, creates
 * and removes no add-on, and changes no work and no right on the hub. Only the content of a config that a user sets on an add-on is stored.
 */
export function judgeRecordFormat(history: ObjectHistory, { kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
  const isFleet = pass?.controller === 'fleet';
  if (!pass || (!isFleet && pass.controller !== 'addon')) return [];
  const [first = '', second] = pass.key.split('/');
  const record = history.get(KIND.rollouts, second ?? first, pass.seen[KIND.rollouts]);
  const { formatVersion } = statusOf<RecordStatus>(record);
  if (KNOWN.includes(formatVersion)) return [];
  // An add-on that is being deleted gives back its rights, and the garbage collector removes its works.
  const isGoing = !isFleet && isLeaving(history, pass.key, pass.seen[KIND.addOns]);
  const isHeld = isFleet ? HELD_OF_FLEET.has(kind) || (kind === KIND.addOns && (!before || !after)) : HELD_OF_ADDON.has(kind) && !isGoing;
  return isHeld
    ? [{ rule: 'record format', message: `${pass.controller} writes ${kind} ${id}, although it cannot read the record`, index }]
    : [];
}

function isLeaving(history: ObjectHistory, addOn: string, count: number | undefined): boolean {
  const found = history.get(KIND.addOns, addOn, count);
  return !found || found.metadata.deletionTimestamp !== undefined;
}
