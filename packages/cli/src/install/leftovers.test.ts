import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { conditionsPatch, unmarkingPatch } from './leftovers.js';

const object = (kind: string, metadata: KubeObject['metadata'], conditions: readonly object[] = []): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata, status: { conditions } }) as unknown as KubeObject;

describe('the patch that removes our labels and annotations', () => {
  it('names every key with our prefix, and no other', () => {
    const labels = { 'outrigger.dev/a': '', 'example.com/outrigger.dev': '', 'open-cluster-management.io/addon-name': 'x' };
    const annotations = { 'outrigger.dev/revision': '3', 'outrigger.dev/installed-spec': 'x', 'outrigger.dev.example.com/x': '' };
    expect(unmarkingPatch(object('ManagedClusterAddOn', { name: 'x', labels, annotations }))).toEqual({
      metadata: {
        labels: { 'outrigger.dev/a': null },
        annotations: { 'outrigger.dev/revision': null, 'outrigger.dev/installed-spec': null },
      },
    });
  });

  it.each([{}, { labels: {} }, { annotations: { 'open-cluster-management.io/config-spec-hash': '{}' } }])(
    'is none for an object without them: %j',
    (metadata) => {
      expect(unmarkingPatch(object('ManifestWork', { name: 'x', ...metadata }))).toBeUndefined();
    },
  );
});

describe('the patch that removes our conditions', () => {
  const condition = (type: string, reason: string): object => ({ type, status: 'True', reason, message: '', lastTransitionTime: '' });
  const others = [condition('Available', 'RequiredDependencyNotSatisfied'), condition('Progressing', 'Succeed')];

  it.each([
    ['ManagedClusterAddOn', condition('Degraded', 'DependencyNotSatisfied')],
    ['ManagedClusterAddOn', condition('Degraded', 'RequiredDependencyNotSatisfied')],
    ['ManagedClusterAddOn', condition('Degraded', 'DependenciesSatisfied')],
    ['ClusterManagementAddOn', condition('TargetsResolved', 'AllResolved')],
    ['ClusterManagementAddOn', condition('DependenciesValid', 'NoCycle')],
    ['ClusterManagementAddOn', condition('Degraded', 'RolledBack')],
  ])('leaves the other conditions of a %s', (kind, ours) => {
    expect(conditionsPatch(object(kind, { name: 'x', resourceVersion: '7' }, [ours, ...others]))).toEqual({
      metadata: { resourceVersion: '7' },
      status: { conditions: others },
    });
  });

  it.each([
    ['ManagedClusterAddOn', condition('Degraded', 'DiskFull')],
    ['ClusterManagementAddOn', condition('Degraded', 'DiskFull')],
    ['ManagedCluster', condition('Degraded', 'DependencyNotSatisfied')],
  ])('is none for a %s whose condition another program wrote', (kind, theirs) => {
    expect(conditionsPatch(object(kind, { name: 'x' }, [theirs, ...others]))).toBeUndefined();
  });
});
