import type { KubeObject } from '@outrigger/core';
import { fieldError } from '@outrigger/core/schema';
import { type Draft, fieldsOf, type Fields, type MutableFields } from './draft.js';
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

/** The fields that an Event always has in the core group, even if they are empty. */
const ALWAYS_IN_CORE: Fields = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

/** The fields that an Event always has in the group `events.k8s.io`. */
const ALWAYS_IN_EVENTS: Fields = {
  eventTime: null,
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

/** Converts an Event to core/v1, in which Events are stored. `events.k8s.io` is a view of them. */
export function eventToStorage(object: KubeObject): KubeObject {
  const pairs = RENAMED.map(([core, events]): [string, string] => [events, core]);
  return { ...ALWAYS_IN_CORE, ...rename(object, pairs), apiVersion: 'v1' } as KubeObject;
}

export function eventFromStorage(object: KubeObject): KubeObject {
  const { reportingController, reportingInstance, ...event } = rename(object, RENAMED);
  return {
    ...ALWAYS_IN_EVENTS,
    ...event,
    ...(reportingController ? { reportingController } : {}),
    ...(reportingInstance ? { reportingInstance } : {}),
    apiVersion: 'events.k8s.io/v1',
  } as unknown as KubeObject;
}

function rename(object: KubeObject, pairs: readonly (readonly [string, string])[]): Fields {
  const names = new Map(pairs);
  const result: MutableFields = {};
  for (const [field, value] of Object.entries(object as unknown as Fields)) result[names.get(field) ?? field] = value;
  return result;
}

function setAlways(draft: Draft, always: Fields): void {
  for (const [field, value] of Object.entries(always)) draft[field] ??= value;
}

/**
 * The rules of Events of the core group. An Event about an object of another namespace is refused, because a user who may write Events in
 * one namespace must not report on objects of others. A real server does not check this for Events of the group `events.k8s.io`.
 */
export const eventStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  setDefaults: (draft) => setAlways(draft, ALWAYS_IN_CORE),
  validate(draft) {
    const { namespace = '' } = fieldsOf(draft, 'involvedObject');
    if (namespace === draft.metadata.namespace || (namespace === '' && draft.metadata.namespace === 'default')) return [];
    return [fieldError.invalid('involvedObject.namespace', namespace, 'does not match event.namespace')];
  },
};

export const eventViewStrategy: Strategy = {
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: true,
  setDefaults: (draft) => setAlways(draft, ALWAYS_IN_EVENTS),
};
