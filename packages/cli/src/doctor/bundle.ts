import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '@outrigger/control-plane';
import { type KubeObject, isJsonObject, withoutManagedFields } from '@outrigger/core';
import { usageError } from '../failure.js';
import { formatValue } from '../terminal/format.js';

/** Matches the names of keys whose values are hidden wherever they occur, because they may be credentials. */
const SECRET_KEY = /token|password|passwd|secret|credential|private|\bkey\b|caBundle|proxy/i;
const HIDDEN = '(hidden)';
/**
 * Matches the annotations that are shown, because they help to find causes. Other annotations and chart values are hidden, because they may
 * contain confidential values.
 */
const TELLING = /^([\w.-]+\.)?(outrigger\.dev|open-cluster-management\.io)\//;
const VALUES = 'addon.open-cluster-management.io/values';

/**
 * Returns a copy of the object that is safe to send to support, without possible credentials. Templates and works may contain any
 * manifests, so only the names of their manifests are kept. Variables of configs keep their names, not their values.
 */
export function forSupport(object: KubeObject): unknown {
  const { annotations, ...metadata } = withoutManagedFields(object).metadata;
  const shown = Object.entries(annotations ?? {}).map(([key, value]) => [key, TELLING.test(key) && key !== VALUES ? value : HIDDEN]);
  return scrub({ ...object, metadata: { ...metadata, annotations: Object.fromEntries(shown) as Record<string, string> } }, '');
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

/** Writes the bundle, with one file per kind. */
export async function writeBundle(
  folder: string,
  parts: Readonly<Record<string, readonly KubeObject[]>>,
  summary: unknown,
): Promise<readonly string[]> {
  await privateFolder(folder, { mayBeLink: true, isOurs: (names) => names.length === 0 });
  const files = Object.entries(parts).map(([name, objects]) => [`${name}.yaml`, objects.map(forSupport)] as const);
  const all = [['summary.yaml', summary] as const, ...files];
  for (const [name, content] of all) {
    // The flag `wx` prevents overwriting an existing file and following an existing link.
    await writeFile(join(folder, name), formatValue(content, 'yaml'), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw isThere ? usageError(`${join(folder, name)} exists already: name a new folder`) : error;
    });
  }
  return all.map(([name]) => name);
}
