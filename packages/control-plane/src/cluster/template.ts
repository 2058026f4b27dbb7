import { isJsonObject, type Json, type JsonObject, parseQuantity } from '@outrigger/core';
import { canonicalJson } from '@outrigger/core/hash';

/** The label that tells the pods of a Deployment's ReplicaSets apart. */
export const HASH_LABEL = 'pod-template-hash';

/** The fields of a pod template that are maps from strings to strings. A key with an empty value differs from an absent key. */
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations', 'nodeSelector', 'matchLabels', 'options', 'volumeAttributes']);
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests', 'overhead']);
const QUANTITIES: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);
/**
 * The objects, besides the maps above, for which empty means the same as absent. For most other objects, the two differ:
 * `namespaceSelector: {}` selects every namespace.
 */
const PLAIN_OBJECTS: ReadonlySet<string> = new Set(['metadata', 'resources', 'spec']);
/**
 * Booleans and numbers for which false or zero means the same as absent. Other booleans and numbers have no default, or a default other
 * than false or zero.
 */
const PLAIN_VALUES: ReadonlySet<string> = new Set([
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'stdin',
  'stdinOnce',
  'tty',
  'readOnly',
  'hostPort',
  'initialDelaySeconds',
]);

/**
 * Returns a canonical text of a pod template. Two templates have the same text if the Deployment controller considers them equal: the label
 * of the ReplicaSet is left out, empty values equal absent values, and `1Gi` equals `1073741824`. This is necessary because Go clients such
 * as `kubectl rollout undo` add `resources: {}` and drop `tty: false`.
 */
export function comparableTemplate(template: object | undefined): string {
  const { metadata = {}, ...rest } = (template ?? {}) as JsonObject;
  const { labels = {}, ...others } = metadata as JsonObject;
  const { [HASH_LABEL]: _, ...ownLabels } = (labels ?? {}) as JsonObject;
  return canonicalJson(withoutEmpty({ ...rest, metadata: { ...others, labels: ownLabels } }));
}

function withoutEmpty(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [name, comparable(name, value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns the comparable form of a field, or undefined if its value means the same as an absent field. */
function comparable(name: string, value: Json | undefined): Json | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (isList(value)) return value.length === 0 ? undefined : value.map((item) => (isJsonObject(item) ? withoutEmpty(item) : item));
  if (QUANTITIES.has(name)) return name === 'divisor' && value === '0' ? undefined : comparableQuantity(value);
  if (!isJsonObject(value)) return PLAIN_VALUES.has(name) && (value === false || value === 0) ? undefined : value;
  const inner = MAPS.has(name) ? value : QUANTITY_MAPS.has(name) ? quantities(value) : withoutEmpty(value);
  const isPlain = MAPS.has(name) || QUANTITY_MAPS.has(name) || PLAIN_OBJECTS.has(name);
  return isPlain && Object.keys(inner).length === 0 ? undefined : inner;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function quantities(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, comparableQuantity(value)]));
}

/**
 * Returns the amount of a quantity in billionths, which is the same for every notation of the amount. The API server has already validated
 * the quantity.
 */
function comparableQuantity(value: Json | undefined): string {
  return String(parseQuantity(String(value)).nanos);
}
