import { type JsonObject, type KubeObject, isJsonObject } from '@outrigger/core';

/**
 * The parts of managedFields for one position in an object: those of the agent and those of other field managers. A part without members
 * owns the whole value at the position: a scalar, an atomic list, or a map that has no members.
 */
export interface FieldOwners {
  readonly ours: readonly JsonObject[];
  readonly others: readonly JsonObject[];
}

/** The owners of a position that no field manager owns. */
export const UNOWNED: FieldOwners = { ours: [], others: [] };

/**
 * Returns the owners of an object's fields. Entries in managedFields for subresources (status, scale) are treated as belonging to other
 * field managers.
 */
export function ownersOf({ metadata }: KubeObject, manager: string): FieldOwners {
  const ours: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const entry of metadata.managedFields ?? []) {
    if (!isJsonObject(entry.fieldsV1)) continue;
    const isOurs = entry.manager === manager && (entry.subresource ?? '') === '';
    (isOurs ? ours : others).push(entry.fieldsV1);
  }
  return { ours, others };
}

/** Returns the owners of a nested member. */
export function ownersAt(owners: FieldOwners, ...fields: readonly string[]): FieldOwners {
  return fields.reduce((at, field) => descend(at, (key) => key === `f:${field}`), owners);
}

/** Returns the owners of a list element, which is found by its keys, or by its value if the list is a set. */
export function ownersOfElement(owners: FieldOwners, element: unknown): FieldOwners {
  return descend(owners, (key) => {
    if (key.startsWith('v:')) return key === `v:${JSON.stringify(element)}`;
    return key.startsWith('k:') && isJsonObject(element) && hasKeys(element, JSON.parse(key.slice(2)) as JsonObject);
  });
}

/** Whether the agent owns the value and no other field manager does. */
export function isOnlyOurs({ ours, others }: FieldOwners): boolean {
  return ours.length > 0 && others.length === 0;
}

function descend({ ours, others }: FieldOwners, isStep: (key: string) => boolean): FieldOwners {
  const below = (parts: readonly JsonObject[]): readonly JsonObject[] => parts.flatMap((part) => partBelow(part, isStep));
  return { ours: below(ours), others: below(others) };
}

function partBelow(part: JsonObject, isStep: (key: string) => boolean): readonly JsonObject[] {
  const keys = Object.keys(part);
  if (keys.length === 0) return [part];
  return keys.filter(isStep).flatMap((key) => {
    const value = part[key];
    return isJsonObject(value) ? [value] : [];
  });
}

function hasKeys(element: JsonObject, keys: JsonObject): boolean {
  return Object.entries(keys).every(([key, value]) => element[key] === value);
}
