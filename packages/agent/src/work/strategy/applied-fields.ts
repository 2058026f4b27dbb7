import { type JsonObject, type KubeObject, asJson, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { holds, isZero } from './matches.js';

/** Members that are not compared with the applied fields: type, name, owners and creation time. */
const NOT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
const NOT_METADATA: ReadonlySet<string> = new Set(['name', 'namespace', 'ownerReferences', 'creationTimestamp']);

/**
 * Whether a manager still owns every field that it applied, each with the applied value. `owned` is its entry in managedFields: `f:` names
 * a member, `k:` a list element by its keys, `v:` an element by its value, and an empty entry owns the whole value.
 */
export function isApplied(manifest: KubeObject, live: KubeObject, owned: JsonObject): boolean {
  const { metadata, ...content } = manifest as unknown as JsonObject & { readonly metadata: JsonObject };
  const actual = asJson(live);
  if (!membersApplied(without(content, NOT_FIELDS), actual, owned)) return false;
  const ownedMetadata = owned['f:metadata'];
  return membersApplied(withoutRemovals(without(metadata, NOT_METADATA)), actual['metadata'], objectOrEmpty(ownedMetadata));
}

function membersApplied(wanted: JsonObject, actual: unknown, owned: JsonObject): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    if (value === undefined || value === null) return true;
    const below = owned[`f:${key}`];
    const found = isJsonObject(actual) && Object.hasOwn(actual, key) ? actual[key] : undefined;
    // The server drops some empty values (metadata, for example) and the ownership of their fields.
    if (found === undefined && isZero(value)) return true;
    return isJsonObject(below) && valueApplied(value, found, below);
  });
}

function valueApplied(wanted: unknown, actual: unknown, owned: JsonObject): boolean {
  const isAtomic = Object.keys(owned).every((key) => key === '.');
  if (isAtomic) return holds(wanted, actual);
  if (Array.isArray(wanted)) return listApplied(wanted, actual, owned);
  return isJsonObject(wanted) && membersApplied(wanted, actual, owned);
}

function listApplied(wanted: readonly unknown[], actual: unknown, owned: JsonObject): boolean {
  if (!Array.isArray(actual)) return false;
  return wanted.every((item) => {
    if (!isJsonObject(item)) return Object.hasOwn(owned, `v:${JSON.stringify(item)}`) && actual.includes(item);
    const entry = Object.entries(owned).find(([key]) => key.startsWith('k:') && hasKeys(item, JSON.parse(key.slice(2)) as JsonObject));
    if (!entry || !isJsonObject(entry[1])) return false;
    const keys = JSON.parse(entry[0].slice(2)) as JsonObject;
    const element: unknown = actual.find((candidate) => isJsonObject(candidate) && hasKeys(candidate, keys));
    return element !== undefined && valueApplied(item, element, entry[1]);
  });
}

/** Whether an element has these keys. A key that the element lacks was set by the server as a default (the protocol of a port). */
export function hasKeys(element: JsonObject, keys: JsonObject): boolean {
  return Object.entries(keys).every(([key, value]) => element[key] === undefined || element[key] === value);
}

function without(fields: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

function withoutRemovals(metadata: JsonObject): JsonObject {
  const added = (texts: unknown): JsonObject =>
    isJsonObject(texts) ? Object.fromEntries(Object.entries(texts).filter(([key]) => !key.endsWith('-'))) : {};
  const { labels, annotations, ...rest } = metadata;
  return {
    ...rest,
    ...(labels === undefined ? {} : { labels: added(labels) }),
    ...(annotations === undefined ? {} : { annotations: added(annotations) }),
  };
}
