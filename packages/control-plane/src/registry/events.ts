import type { KubeObject } from '@outrigger/core';
import { fieldError } from '@outrigger/core/schema';
import { fieldsOf, type Fields, type MutableFields } from './draft.js';
import type { Strategy } from './resource.js';

/** Fields with different names in the two groups, as [name in core/v1, name in events.k8s.io/v1]. */
const RENAMED: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** Converts an Event to core/v1, in which Events are stored. `events.k8s.io` is a view of them. */
export function eventToStorage(object: KubeObject): KubeObject {
  return rename(
    object,
    'v1',
    RENAMED.map(([core, events]) => [events, core]),
  );
}

export function eventFromStorage(object: KubeObject): KubeObject {
  return rename(object, 'events.k8s.io/v1', RENAMED);
}

function rename(object: KubeObject, apiVersion: string, pairs: readonly (readonly [string, string])[]): KubeObject {
  const names = new Map(pairs);
  const result: MutableFields = {};
  for (const [field, value] of Object.entries(object as unknown as Fields)) result[names.get(field) ?? field] = value;
  return { ...result, apiVersion } as unknown as KubeObject;
}

/**
 * The rules of Events of the core group. An Event about an object of another namespace is refused, because a user who may write Events in
 * one namespace must not report on objects of others. A real server does not check this for Events of the group `events.k8s.io`.
 */
export const eventStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  validate(draft) {
    const { namespace } = fieldsOf(draft, 'involvedObject');
    if (namespace === undefined || namespace === '' || namespace === draft.metadata.namespace) return [];
    return [fieldError.invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
  },
};
