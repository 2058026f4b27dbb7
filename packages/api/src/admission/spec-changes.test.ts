import type { AdmissionRequest, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { SPEC_CHANGED_BY_ANNOTATION as BY } from '../constants.js';
import { mutate } from './mutate.js';

type Annotations = Readonly<Record<string, string>>;

function rollout(spec: object | undefined, annotations?: Annotations): KubeObject {
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'AddOnRollout',
    metadata: { name: 'hello', ...(annotations ? { annotations } : {}) },
    ...(spec ? { spec } : {}),
  };
}

/** Returns the annotations after admission, and whether admission changed the object. */
function admitted(
  object: KubeObject,
  oldObject?: KubeObject,
  rest: Partial<AdmissionRequest> = {},
): { annotations: unknown; isChanged: boolean } {
  const kind = { group: 'outrigger.dev', version: 'v1alpha1', kind: 'AddOnRollout' };
  const operation = oldObject ? 'UPDATE' : 'CREATE';
  const request = {
    operation,
    kind,
    userInfo: { username: 'alice' },
    object,
    ...(oldObject ? { oldObject } : {}),
    ...rest,
  } as AdmissionRequest;
  const result = mutate(request, '2026-11-16T10:00:00Z');
  const [patch] = (result.allowed && result.patch) || [];
  return { annotations: patch ? patch.value : object.metadata.annotations, isChanged: patch !== undefined };
}

describe('the user who changed the spec of an AddOnRollout', () => {
  it.each<[string, KubeObject, KubeObject | undefined, Annotations | undefined]>([
    ['pauses', rollout({ paused: true }), rollout({}), { [BY]: 'alice' }],
    ['pins', rollout({ pinnedRevision: 3 }), rollout({ pinnedRevision: 2 }, { a: 'b', [BY]: 'bob' }), { [BY]: 'alice' }],
    ['resumes', rollout({}, { a: 'b', [BY]: 'bob' }), rollout({ paused: true }, { [BY]: 'bob' }), { a: 'b', [BY]: 'alice' }],
    ['creates it with a spec', rollout({ paused: true }), undefined, { [BY]: 'alice' }],
    ['creates it without a spec', rollout({}), undefined, undefined],
    ['creates it with an absent spec', rollout(undefined), undefined, undefined],
    [
      'changes another field',
      rollout({ paused: true }, { a: 'c', [BY]: 'bob' }),
      rollout({ paused: true }, { [BY]: 'bob' }),
      { a: 'c', [BY]: 'bob' },
    ],
    ['names another user', rollout({ paused: true }, { [BY]: 'eve' }), rollout({}), { [BY]: 'alice' }],
    ['replaces the name', rollout({ paused: true }, { [BY]: 'eve' }), rollout({ paused: true }, { [BY]: 'bob' }), { [BY]: 'bob' }],
    ['removes the name', rollout({ paused: true }), rollout({ paused: true }, { [BY]: 'bob' }), { [BY]: 'bob' }],
    ['names a user of an unchanged spec', rollout({}, { [BY]: 'eve', a: 'b' }), rollout({}), { a: 'b' }],
  ])('is stamped when the user %s', (_, object, before, annotations) => {
    expect(admitted(object, before).annotations).toEqual(annotations);
  });

  it.each<[string, Partial<AdmissionRequest>]>([
    ['a write of the status', { subResource: 'status' }],
    ['another kind', { kind: { group: 'outrigger.dev', version: 'v1alpha1', kind: 'RolloutPolicy' } }],
    ['another group', { kind: { group: 'example.com', version: 'v1', kind: 'AddOnRollout' } }],
  ])('is not stamped by %s', (_, rest) => {
    expect(admitted(rollout({ paused: true }), rollout({}), rest).isChanged).toBe(false);
  });

  it('leaves malformed annotations to the schema check', () => {
    const object = { ...rollout({ paused: true }), metadata: { name: 'hello', annotations: 'x' } } as unknown as KubeObject;
    expect(admitted(object, rollout({})).isChanged).toBe(false);
  });
});
