import type { KubeObject } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import { cleanJson, isClean } from './clean.js';

/** Values as JSON or YAML that reads back the same and holds no character a terminal would obey. */
export function formatValue(value: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${cleanJson(value)}\n`;
  const text = toYaml(value);
  // YAML has escapes only in quoted texts; JSON is YAML too, and has them everywhere.
  return isClean(text) ? text : `${cleanJson(value)}\n`;
}

/** Objects as kubectl prints them: one as itself, several as a List; without the bookkeeping nobody reads. */
export function formatObjects(objects: readonly KubeObject[], format: 'json' | 'yaml' | 'name', isOne: boolean): string {
  if (format === 'name') return objects.map((object) => `${qualifiedName(object)}\n`).join('');
  const shown = objects.map(withoutManagedFields);
  const [only] = shown;
  return formatValue(isOne && only ? only : { apiVersion: 'v1', kind: 'List', items: shown }, format);
}

export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** `managedclusteraddon.addon.open-cluster-management.io/hello`: what kubectl takes and `-o name` prints. */
function qualifiedName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}
