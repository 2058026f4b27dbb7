import { compareText } from '../compare-text.js';
import type { ManagedFieldsEntry } from '../meta.js';
import { parseTime } from '../time.js';
import { deepFreeze } from '../patch/equal.js';
import { FieldSet } from './field-set.js';
import { RecentObjects } from '../memo/recent-objects.js';

/** The fields that one field manager owns, in one API version. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The field managers, keyed by identity: name, operation, subresource, and for updates the version. */
export type Managers = Map<string, Manager>;

const RECENT_ENTRIES = 512;
/**
 * A cache of decoded field managers, keyed by their frozen entries in managedFields. Without this cache, each write to an object would
 * decode its entries again.
 */
const decoded = new RecentObjects<ManagedFieldsEntry, Manager>(RECENT_ENTRIES);
/**
 * A cache of encoded entries of managedFields, keyed by field manager. It contains only entries that this code encoded, because other
 * writers may encode an entry differently.
 */
const encoded = new RecentObjects<Manager, ManagedFieldsEntry>(RECENT_ENTRIES);
const ids = new RecentObjects<Manager, string>(RECENT_ENTRIES);

/** Returns the identity of a field manager. An applier has one identity in all versions; an updater has one per version. */
export function managerId(manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  // Concatenate the JSON for speed, because every write needs the identity. Updaters with equal times are sorted by it.
  const { name, operation, apiVersion, subresource } = manager;
  const parts = [
    name === '' ? '' : `"manager":${JSON.stringify(name)},`,
    `"operation":"${operation}"`,
    operation === 'Apply' ? '' : `,"apiVersion":${JSON.stringify(apiVersion)}`,
    subresource === '' ? '' : `,"subresource":${JSON.stringify(subresource)}`,
  ];
  return `{${parts.join('')}}`;
}

/** Decodes `metadata.managedFields`. Throws an Error that names the invalid part. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[]): Managers {
  const managers: Managers = new Map();
  for (const [i, entry] of entries.entries()) {
    const manager = decodeManager(entry, i);
    managers.set(idOf(manager), manager);
  }
  return managers;
}

function idOf(manager: Manager): string {
  const known = ids.get(manager);
  if (known !== undefined) return known;
  const id = managerId(manager);
  ids.set(manager, id);
  return id;
}

function decodeManager(entry: ManagedFieldsEntry, index: number): Manager {
  const known = decoded.get(entry);
  if (known) return known;
  const manager = read(entry, index);
  // An entry that is not frozen may change, so it is not cached. A frozen entry is frozen deeply.
  if (Object.isFrozen(entry)) decoded.set(entry, manager);
  return manager;
}

function read(entry: ManagedFieldsEntry, index: number): Manager {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (!entry.apiVersion) throw new Error('apiVersion must not be empty');
  if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (entry.fieldsType !== 'FieldsV1')
    throw new Error(`invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${index}`);
  return {
    name: entry.manager ?? '',
    operation: entry.operation,
    apiVersion: entry.apiVersion,
    subresource: entry.subresource ?? '',
    time: entry.time,
    fields: FieldSet.fromFieldsV1(entry.fieldsV1),
  };
}

/** Encodes field managers as frozen entries, sorted by operation (appliers first), time, name, version and subresource. */
export function encodeManagers(managers: Managers): readonly ManagedFieldsEntry[] {
  const all = [...managers.values()];
  return (all.length < 2 ? all : all.sort(compareManagers)).map(encodeManager);
}

function encodeManager(manager: Manager): ManagedFieldsEntry {
  const known = encoded.get(manager);
  if (known) return known;
  const entry = deepFreeze(spell(manager));
  encoded.set(manager, entry);
  decoded.set(entry, manager);
  return entry;
}

function spell(manager: Manager): ManagedFieldsEntry {
  return {
    ...(manager.name === '' ? {} : { manager: manager.name }),
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: manager.fields.toFieldsV1(),
    ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
  };
}

export function secondsOf(manager: Manager): number {
  return Math.floor((parseTime(manager.time) ?? 0) / 1000);
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    (a.time === b.time ? 0 : secondsOf(a) - secondsOf(b)) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const MAX_UPDATERS = 10;
const OLD_UPDATERS = 'ancient-changes';

/** Keeps at most ten entries for updaters. Beyond that, the oldest entries of each version are merged into one. */
export function capped(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATERS) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return managers;
  updaters.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || compareText(a, b));
  const out = new Map(managers);
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (surplus <= 0) break;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, id);
      continue;
    }
    const bucket = { name: OLD_UPDATERS, operation: 'Update', apiVersion: manager.apiVersion, subresource: '' } as const;
    const bucketId = managerId(bucket);
    const older = out.get(bucketId) ?? out.get(first);
    if (!out.has(bucketId)) out.delete(first);
    out.delete(id);
    out.set(bucketId, { ...bucket, time: manager.time, fields: older ? manager.fields.union(older.fields) : manager.fields });
    surplus--;
  }
  return out;
}
