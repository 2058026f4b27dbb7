import { DELETION_ORPHAN_ANNOTATION, PRE_DELETE_ANNOTATION } from '@outrigger/api';
import { type JsonObject, isJsonObject, objectOrEmpty } from '@outrigger/core';
import { groupOf, type ResourceIdentifier } from './workloads.js';

/**
 * Whether a manifest is a pre-delete hook, which runs before the add-on is removed. A hook is a Job or Pod that has the pre-delete
 * annotation, or a label with the same key. The value does not matter.
 */
export function isPreDeleteHook(manifest: JsonObject): boolean {
  const kind = `${groupOf(manifest)}/${String(manifest['kind'])}`;
  return (
    (kind === 'batch/Job' || kind === '/Pod') &&
    (hasKey(manifest, 'annotations', PRE_DELETE_ANNOTATION) || hasKey(manifest, 'labels', PRE_DELETE_ANNOTATION))
  );
}

/** Whether the object of a manifest stays on the cluster when the add-on is removed. */
export function staysBehind(manifest: JsonObject): boolean {
  return hasKey(manifest, 'annotations', DELETION_ORPHAN_ANNOTATION);
}

/** Whether the feedback on a hook reports that the hook has completed, according to the well-known values for Jobs and Pods. */
export function isHookComplete(resource: string, values: Readonly<Record<string, unknown>>): boolean {
  if (resource === 'jobs') return values['JobComplete'] === 'True';
  return resource === 'pods' && values['PodPhase'] === 'Succeeded';
}

export function hookIdentifier(manifest: JsonObject): ResourceIdentifier {
  const metadata = objectOrEmpty(manifest['metadata']);
  return {
    group: groupOf(manifest),
    resource: manifest['kind'] === 'Job' ? 'jobs' : 'pods',
    namespace: String(metadata['namespace'] ?? ''),
    name: String(metadata['name'] ?? ''),
  };
}

function hasKey(manifest: JsonObject, part: 'annotations' | 'labels', key: string): boolean {
  const values = objectOrEmpty(manifest['metadata'])[part];
  return isJsonObject(values) && values[key] !== undefined;
}
