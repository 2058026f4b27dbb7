import { PRE_DELETE_MANIFESTS_ANNOTATION } from '@outrigger/api';
import { type JsonObject, isJsonObject, objectOrEmpty, parseJson } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';

/** Annotations that contain objects as JSON. The copy of a Secret would reveal the hidden data. */
const COPIES: readonly string[] = ['kubectl.kubernetes.io/last-applied-configuration', PRE_DELETE_MANIFESTS_ANNOTATION];

/**
 * Returns the manifest with the contents of Secrets replaced by digests, so that a change is still visible: of the manifest itself, of
 * objects at any depth in it, of copies in annotations, and of values that a work reports. Returns the same object if nothing is hidden.
 */
export function redact(manifest: JsonObject): JsonObject {
  return hide(manifest) as JsonObject;
}

function hide(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => hide(item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const secrets = secretFields(value);
  const fields = Object.entries(value).map(([key, content]) => [key, hideField(key, content, secrets)] as const);
  return fields.some(([key, content]) => content !== value[key]) ? Object.fromEntries(fields) : value;
}

function hideField(key: string, content: unknown, secrets: readonly string[]): unknown {
  if (secrets.includes(key)) return digests(content);
  return COPIES.includes(key) && typeof content === 'string' ? hideCopy(content) : hide(content);
}

/** The fields of an object that contain the data of a Secret. */
function secretFields({ apiVersion, kind, resourceMeta }: JsonObject): readonly string[] {
  if (kind === 'Secret' && apiVersion === 'v1') return ['data', 'stringData'];
  const reported = objectOrEmpty(resourceMeta);
  return reported['kind'] === 'Secret' && !reported['group'] ? ['statusFeedback'] : [];
}

function digests(value: unknown): unknown {
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, content]) => [key, digest(content ?? null)]));
  return value === undefined || value === null ? value : digest(value);
}

function digest(content: unknown): string {
  return `(hidden, sha256 ${sha256Hex(JSON.stringify(content)).slice(0, 12)})`;
}

function hideCopy(text: string): string {
  const copy = parseJson(text);
  if (copy === undefined) return '(hidden: not readable as JSON)';
  const hidden = hide(copy);
  return hidden === copy ? text : JSON.stringify(hidden);
}
