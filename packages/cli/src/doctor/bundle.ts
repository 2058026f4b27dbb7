import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KubeObject, isJsonObject } from '@outrigger/core';
import { formatValue, withoutManagedFields } from '../terminal/format.js';

/** Names of keys whose values are credentials wherever they stand. */
const SECRET_KEY = /token|password|passwd|secret|credential|private|\bkey\b|caBundle|proxy/i;
const HIDDEN = '(hidden)';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Objects as they may be sent to somebody else: what could be a credential is hidden. Templates and works hold manifests of anybody's, so of
 * those only names stay; variables of configurations stay as names too.
 */
export function forSupport(object: KubeObject): unknown {
  const { annotations, ...metadata } = withoutManagedFields(object).metadata;
  const kept = Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key !== LAST_APPLIED));
  return scrub({ ...object, metadata: { ...metadata, annotations: kept } }, '');
}

function scrub(value: unknown, key: string): unknown {
  if (key === 'manifests' && Array.isArray(value)) return value.map(manifestName);
  if (key === 'customizedVariables' && Array.isArray(value))
    return value.map((one: unknown) => ({ name: isJsonObject(one) ? one['name'] : undefined, value: HIDDEN }));
  if (typeof value === 'string') return SECRET_KEY.test(key) ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((one: unknown) => scrub(one, key));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, scrub(inner, name)]));
}

function manifestName(manifest: unknown): unknown {
  if (!isJsonObject(manifest)) return HIDDEN;
  const { apiVersion, kind, metadata } = manifest;
  return isJsonObject(metadata) && kind !== undefined
    ? { apiVersion, kind, metadata: { name: metadata['name'], namespace: metadata['namespace'] } }
    : scrub(manifest, '');
}

/** One file per kind. */
export async function writeBundle(
  folder: string,
  parts: Readonly<Record<string, readonly KubeObject[]>>,
  summary: unknown,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = Object.entries(parts).map(([name, objects]) => [`${name}.yaml`, objects.map(forSupport)] as const);
  const all = [['summary.yaml', summary] as const, ...files];
  for (const [name, content] of all) await writeFile(join(folder, name), formatValue(content, 'yaml'), { mode: 0o600 });
  return all.map(([name]) => name);
}
