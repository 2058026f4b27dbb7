import type { ManifestWork } from '@outrigger/api';
import { briefly, nowAt, passOf, viewOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { finishedWorks } from '../../../resources/finished-works.js';
import { finishedWorkController } from './controller.js';

const DONE = Date.parse('2026-01-01T00:00:00Z');
const KEY = { namespace: 'c1', name: 'once' };

interface Given {
  readonly ttl?: number;
  readonly complete?: 'True' | 'False';
  readonly deleting?: boolean;
}

function work({ ttl, complete, deleting = false }: Given): ManifestWork {
  const lastTransitionTime = new Date(DONE).toISOString();
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { ...KEY, uid: 'u', resourceVersion: '1', ...(deleting ? { deletionTimestamp: lastTransitionTime } : {}) },
    spec: ttl === undefined ? {} : { deleteOption: { propagationPolicy: 'Foreground', ttlSecondsAfterFinished: ttl } },
    status: {
      conditions: complete
        ? [{ type: 'Complete', status: complete, reason: 'ConditionRulesAggregated', message: '', lastTransitionTime }]
        : [],
    },
  };
}

function passAt(given: Given, seconds: number): { readonly actions: readonly string[]; readonly againInMs: number | undefined } {
  const decision = passOf(finishedWorkController(), viewOf([finishedWorks, [work(given)]]), KEY, nowAt(DONE + seconds * 1000));
  return { actions: decision ? briefly(decision) : [], againInMs: decision?.requeueAfterMs };
}

describe('a work that is deleted when it is complete', () => {
  const cases: readonly { name: string; given: Given; at: number; actions: readonly string[]; againInMs?: number }[] = [
    { name: 'stays until its time has come', given: { ttl: 60, complete: 'True' }, at: 20, actions: [], againInMs: 40_000 },
    { name: 'is deleted after its time', given: { ttl: 60, complete: 'True' }, at: 60, actions: ['delete ManifestWork c1/once'] },
    { name: 'is deleted at once if its time is 0', given: { ttl: 0, complete: 'True' }, at: 0, actions: ['delete ManifestWork c1/once'] },
    { name: 'stays while it is not complete', given: { ttl: 0, complete: 'False' }, at: 60, actions: [] },
    { name: 'stays if no condition reports completion', given: { ttl: 0 }, at: 60, actions: [] },
    { name: 'stays if it has no delete option', given: { complete: 'True' }, at: 1_000_000, actions: [] },
    { name: 'is deleted once', given: { ttl: 0, complete: 'True', deleting: true }, at: 60, actions: [] },
  ];
  it.each(cases)('$name', ({ given, at, actions, againInMs }) => expect(passAt(given, at)).toEqual({ actions, againInMs }));

  it('does not belong to an add-on or a replica set, which would create it again', () => {
    expect(finishedWorks.labelSelector).toBe(
      '!open-cluster-management.io/addon-name,!work.open-cluster-management.io/manifestworkreplicaset',
    );
  });
});
