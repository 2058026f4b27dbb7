import { type KubeObject, withoutManagedFields } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import { cleanJson, isClean } from './clean.js';

/** Formats the value as JSON or YAML that parses to the same value and contains no character that a terminal would interpret. */
export function formatValue(value: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${cleanJson(value)}\n`;
  const text = toYaml(value);
  // YAML can escape characters only in quoted strings, so text with unsafe characters is printed as JSON, which is valid YAML.
  return isClean(text) ? text : `${cleanJson(value)}\n`;
}

/** Formats the objects as kubectl does: a single object by itself, several objects as a List, both without managed fields. */
export function formatObjects(objects: readonly KubeObject[], format: 'json' | 'yaml', isOne: boolean): string {
  const shown = objects.map(withoutManagedFields);
  const [only] = shown;
  return formatValue(isOne && only ? only : { apiVersion: 'v1', kind: 'List', items: shown }, format);
}

/** Returns a text that a watch prints. In YAML, texts after the first one start with a separator, so that each is a document of its own. */
export function nextDocument(text: string, format: string, isFirst: boolean): string {
  return format === 'yaml' && !isFirst ? `---\n${text}` : text;
}

/**
 * Formats one line per object with the arguments that select it in kubectl, such as `-n cluster1 managedclusteraddon.addon…/hello`. As in
 * kubectl, the namespace is omitted if the user named it, and for objects that have none.
 */
export function formatNames(objects: readonly KubeObject[], namedNamespace: string | undefined): string {
  return objects
    .map((object) => {
      const { namespace } = object.metadata;
      const where = namespace === undefined || namespace === namedNamespace ? '' : `-n ${namespace} `;
      return `${where}${qualifiedName(object)}\n`;
    })
    .join('');
}

/**
 * Returns the name of an object with its kind, as kubectl accepts it, such as `managedclusteraddon.addon.open-cluster-management.io/hello`.
 */
function qualifiedName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}
