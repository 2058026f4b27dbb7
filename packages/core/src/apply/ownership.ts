import { deepEqual } from '../patch/equal.js';
import { type Comparison, compare, filtered } from './compare.js';
import { FieldSet } from './field-set.js';
import type { Manager, Managers } from './managers.js';
import { merge } from './merge.js';
import type { MergeType } from './object-type.js';
import { RecentObjects } from '../memo/recent-objects.js';
import { fieldSetOf, reconciled, withNamedFields, withoutItems } from './owned-fields.js';
import type { Value } from './values.js';

/** The types and reset fields of each version of a kind. `typeOf` and `convert` return undefined for a version that is no longer served. */
export interface Versions {
  readonly current: string;
  typeOf(apiVersion: string): MergeType | undefined;
  convert(object: Value, apiVersion: string): Value;
  /** Returns the fields that the operation cannot change, whatever the request contains (`status` of a kind with that subresource). */
  resetFields(apiVersion: string): FieldSet | undefined;
}

/** The effect of a change on the fields that all other field managers own. */
interface Change {
  readonly managers: Managers;
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  readonly comparison: Comparison;
}

function withoutReset(versions: Versions, apiVersion: string): (set: FieldSet) => FieldSet {
  const reset = versions.resetFields(apiVersion);
  return (set) => (reset ? set.recursiveDifference(reset) : set);
}

/**
 * All other field managers lose the fields that the change added, modified or removed. Field managers at versions that are no longer served
 * are dropped. `conflicts` contains the added or modified fields that other field managers owned.
 */
function changed(versions: Versions, before: Value, after: Value, managers: Managers, self: string): Change {
  const comparisonAt = comparisons(versions, before, after);
  const conflicts = new Map<string, FieldSet>();
  const out: Managers = new Map();
  for (const [id, manager] of managers) {
    if (id === self) {
      out.set(id, manager);
      continue;
    }
    const comparison = comparisonAt(manager.apiVersion);
    if (!comparison) continue;
    const taken = manager.fields.intersection(comparison.modified.union(comparison.added));
    if (!taken.isEmpty) conflicts.set(id, taken);
    out.set(id, withFields(manager, manager.fields.difference(taken).difference(comparison.removed)));
  }
  const comparison = comparisonAt(versions.current);
  if (!comparison) throw new Error(`no type for the version of the request, ${versions.current}`);
  return { managers: withoutEmpty(out), conflicts, comparison };
}

/**
 * Sets the fields of a field manager. Returns the same JavaScript object if the fields did not change, so that the entry of the manager is
 * not encoded again.
 */
function withFields(manager: Manager, fields: FieldSet): Manager {
  return fields === manager.fields ? manager : { ...manager, fields };
}

function comparisons(versions: Versions, before: Value, after: Value): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const comparison = compareAt(versions, apiVersion, before, after);
    known.set(apiVersion, comparison && filtered(comparison, withoutReset(versions, apiVersion)));
    return known.get(apiVersion);
  };
}

function compareAt(versions: Versions, apiVersion: string, before: Value, after: Value): Comparison | undefined {
  const type = versions.typeOf(apiVersion);
  const left = versions.convert(before, apiVersion);
  const right = versions.convert(after, apiVersion);
  return type === undefined || left === undefined || right === undefined ? undefined : compare(type, left, right);
}

function withoutEmpty(managers: Managers): Managers {
  const isAnyEmpty = [...managers.values()].some(({ fields }) => fields.isEmpty);
  return isAnyEmpty ? new Map([...managers].filter(([, manager]) => !manager.fields.isEmpty)) : managers;
}

/** Adapts the field managers to changes in the schema since their entries were written. */
function upToDate(versions: Versions, managers: Managers): Managers {
  const out: Managers = new Map();
  for (const [id, manager] of managers) {
    const type = versions.typeOf(manager.apiVersion);
    if (type) out.set(id, withFields(manager, fitting(type, manager.fields)));
  }
  return out;
}

/** For each field set, the type to which it was last adapted, so that the set is not adapted to the same type again. */
const found = new RecentObjects<FieldSet, MergeType>(512);

function fitting(type: MergeType, fields: FieldSet): FieldSet {
  if (found.get(fields) === type) return fields;
  const fit = reconciled(type, fields);
  found.set(fit, type);
  return fit;
}

/**
 * Returns the field managers after a write that was not an apply. `self` owns the fields that it changed, in addition to those that it
 * owned before.
 */
export function afterUpdate(
  versions: Versions,
  before: Value,
  after: Value,
  managers: Managers,
  self: Omit<Manager, 'fields'>,
  id: string,
): Managers {
  const known = upToDate(versions, managers);
  const change = changed(versions, before, after, known, id);
  const { modified, added, removed } = change.comparison;
  const touched = modified.union(added);
  const fields = touched.difference(NEVER_OWNED);
  const previous = known.get(id);
  if (!previous) return fields.isEmpty ? change.managers : new Map(change.managers).set(id, { ...self, fields });
  const kept = previous.fields.difference(touched.intersection(NEVER_OWNED)).difference(removed);
  const next = fields.isEmpty ? withFields(previous, kept) : { ...self, fields: fields.union(kept) };
  return withoutEmpty(new Map(change.managers).set(id, next));
}

export type Applied =
  | { readonly object: Value; readonly changed: boolean; readonly managers: Managers }
  | { readonly conflicts: ReadonlyMap<string, FieldSet>; readonly managers: Managers };

/**
 * Merges the applied fields and makes the applier their owner. Removes the fields that the applier applied before but does not apply now,
 * unless another field manager owns them.
 */
export function afterApply(
  versions: Versions,
  live: Value,
  applied: Value,
  managers: Managers,
  self: Omit<Manager, 'fields'>,
  id: string,
  force: boolean,
): Applied {
  const type = typeAt(versions, versions.current);
  const known = upToDate(versions, managers);
  const last = known.get(id);
  const fields = withoutReset(versions, versions.current)(fieldSetOf(type, applied));
  const owners: Managers = new Map(known).set(id, { ...self, fields });
  const { reckoned, object } = pruned(versions, merge(type, live, applied), owners, last);
  const change = changed(versions, live, reckoned, owners, id);
  if (!force && change.conflicts.size > 0) return { conflicts: change.conflicts, managers: owners };
  return { object, changed: !deepEqual(live, object), managers: stripped(change.managers, id) };
}

function typeAt(versions: Versions, apiVersion: string): MergeType {
  const type = versions.typeOf(apiVersion);
  if (!type) throw new Error(`no type for version ${apiVersion}`);
  return type;
}

interface Pruned {
  /** The value in which emptied maps and lists are null. It is used to compute ownership. */
  readonly reckoned: Value;
  /** The value without the emptied maps and lists. It is the result of the apply. */
  readonly object: Value;
}

/** Removes the fields that the applier owned through its last apply, unless the applier or another manager owns them now. */
function pruned(versions: Versions, merged: Value, owners: Managers, last: Manager | undefined): Pruned {
  const untouched = { reckoned: merged, object: merged };
  if (!last || last.fields.isEmpty) return untouched;
  const type = versions.typeOf(last.apiVersion);
  const whole = versions.convert(merged, last.apiVersion);
  if (!type || whole === undefined) return untouched;
  const cut = withoutItems(type, whole, withNamedFields(type, last.fields));
  const kept = withOwned(versions, { whole, cut, apiVersion: last.apiVersion }, owners);
  const gone = goneOfLast(versions, whole, kept, last);
  const current = (value: Value): Value => versions.convert(value, versions.current) ?? merged;
  return { reckoned: current(withoutItems(type, whole, gone)), object: current(withoutItems(type, whole, gone, 'absent')) };
}

interface Cut {
  readonly whole: Value;
  readonly cut: Value;
  readonly apiVersion: string;
}

/** Restores the fields that another manager owns, version by version, starting with the version in which they were removed. */
function withOwned(versions: Versions, start: Cut, owners: Managers): Cut {
  const owned = new Map<string, FieldSet>([[start.apiVersion, new FieldSet()]]);
  for (const { apiVersion, fields } of owners.values()) owned.set(apiVersion, (owned.get(apiVersion) ?? new FieldSet()).union(fields));
  let state = start;
  for (const [apiVersion, fields] of owned) {
    const type = versions.typeOf(apiVersion);
    const whole = versions.convert(state.whole, apiVersion);
    const cut = versions.convert(state.cut, apiVersion);
    if (!type || whole === undefined || cut === undefined) continue;
    const gone = withNamedFields(type, fieldSetOf(type, whole))
      .difference(withNamedFields(type, fieldSetOf(type, cut)))
      .difference(withNamedFields(type, fields));
    state = { whole, cut: withoutItems(type, whole, gone), apiVersion };
  }
  return state;
}

/** Returns the fields to remove. The applier owned all of them through its last apply. */
function goneOfLast(versions: Versions, whole: Value, kept: Cut, last: Manager): FieldSet {
  const type = versions.typeOf(last.apiVersion);
  const cut = versions.convert(kept.cut, last.apiVersion);
  if (!type || cut === undefined) return new FieldSet();
  const gone = withNamedFields(type, fieldSetOf(type, whole)).difference(withNamedFields(type, fieldSetOf(type, cut)));
  return gone.intersection(withNamedFields(type, last.fields));
}

/** Metadata that the server maintains and no field manager owns. */
const NEVER_OWNED: FieldSet = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:clusterName'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
);

function stripped(managers: Managers, id: string): Managers {
  const own = managers.get(id);
  return own ? withoutEmpty(new Map(managers).set(id, { ...own, fields: own.fields.difference(NEVER_OWNED) })) : managers;
}
