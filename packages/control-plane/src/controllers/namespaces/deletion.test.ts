import type { Condition, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { configMaps, deployments } from '../kinds.js';
import { deletionConditions, type Remains } from './deletion.js';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:01:00Z';
const object = (...finalizers: string[]): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { finalizers } });
const shown = (conditions: readonly Condition[]): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));

describe('the conditions of a namespace that is being deleted', () => {
  const remains: Remains[] = [
    { kind: deployments, objects: [object('example.com/hold'), object()] },
    { kind: configMaps, objects: [object('example.com/hold', 'a/b')] },
  ];

  it('report the remaining objects and the finalizers that block them', () => {
    expect(shown(deletionConditions([], remains, NOW))).toMatchObject({
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 2 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 1 resource instances, example.com/hold in 2 resource instances',
      NamespaceDeletionContentFailure: 'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
    });
  });

  it('report that no object remains', () => {
    expect(shown(deletionConditions([], [], NOW))).toMatchObject({
      NamespaceContentRemaining: 'False ContentRemoved: All content successfully removed',
      NamespaceFinalizersRemaining: 'False ContentHasNoFinalizers: All content-preserving finalizers finished',
    });
  });

  it('are the same list while nothing changes, and keep their times', () => {
    const first = deletionConditions([], remains, NOW);
    expect(deletionConditions(first, remains, LATER)).toBe(first);
    const second = deletionConditions(first, remains.slice(1), LATER);
    expect(second).not.toBe(first);
    expect(new Set(second.map(({ lastTransitionTime }) => lastTransitionTime))).toEqual(new Set([NOW]));
  });
});
