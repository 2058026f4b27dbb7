import type { ManifestWork } from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { isReported, objectsOf } from './work.js';

const NOW = '2026-01-02T03:04:05Z';
const kind = (group: string, name: string, plural: string, namespaced = true): Kind => ({
  group,
  version: 'v1',
  kind: name,
  plural,
  namespaced,
});
const KINDS = new Map([
  ['v1/Namespace', kind('', 'Namespace', 'namespaces', false)],
  ['v1/ConfigMap', kind('', 'ConfigMap', 'configmaps')],
  ['apps/v1/Deployment', kind('apps', 'Deployment', 'deployments')],
]);
const kindOf = (apiVersion: string, name: string): Kind | undefined => KINDS.get(`${apiVersion}/${name}`);

const labels = { app: 'a' };
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } };
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'own' } };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'agent', namespace: 'own' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

function workOf(manifests: readonly object[], spec: object = {}): ManifestWork {
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name: 'w', namespace: 'cluster1', generation: 3 },
    spec: { workload: { manifests: manifests as readonly KubeObject[] }, ...spec },
  };
}

describe('the objects of a work on a cluster without an API server', () => {
  it('are the manifests, with workloads that run', () => {
    const objects = objectsOf(workOf([namespace, settings, deployment]), kindOf, NOW);
    expect(objects?.map((one) => one.kind.plural)).toEqual(['namespaces', 'configmaps', 'deployments']);
    expect(objects?.[2]?.object).toMatchObject({ metadata: { generation: 3 }, status: { observedGeneration: 3, readyReplicas: 2 } });
  });

  it.each([
    { why: 'an executor', work: workOf([namespace], { executor: { subject: { type: 'ServiceAccount' } } }) },
    { why: 'objects that stay', work: workOf([namespace], { deleteOption: { propagationPolicy: 'Orphan' } }) },
    {
      why: 'server-side apply',
      work: workOf([namespace], {
        manifestConfigs: [{ resourceIdentifier: { resource: 'namespaces', name: 'own' }, updateStrategy: { type: 'ServerSideApply' } }],
      }),
    },
    { why: 'an unknown kind', work: workOf([{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }]) },
    { why: 'a namespace that may not exist', work: workOf([settings]) },
    { why: 'one object twice', work: workOf([namespace, settings, settings]) },
    { why: 'no name', work: workOf([{ apiVersion: 'v1', kind: 'Namespace', metadata: {} }]) },
    { why: 'no metadata', work: workOf([{ apiVersion: 'v1', kind: 'Namespace' }]) },
    {
      why: 'an annotation of the simulation',
      work: workOf([
        namespace,
        { ...deployment, metadata: { ...deployment.metadata, annotations: { 'sim.outrigger.dev/behavior': 'hang' } } },
      ]),
    },
    { why: 'a workload without a spec', work: workOf([namespace, { ...deployment, spec: undefined }]) },
    { why: 'a workload without an image', work: workOf([namespace, withPodSpec({ containers: [{ name: 'c' }] })]) },
    { why: 'a workload without containers', work: workOf([namespace, withPodSpec({ containers: [] })]) },
    {
      why: 'a selector that does not match',
      work: workOf([namespace, { ...deployment, spec: { ...deployment.spec, selector: { matchLabels: { app: 'b' } } } }]),
    },
  ])('are unknown for a work with $why: the cluster needs an API server', ({ work }) => {
    expect(objectsOf(work, kindOf, NOW)).toBeUndefined();
  });

  it.each([
    { applied: 3, available: 'True', want: true },
    { applied: 2, available: 'True', want: false },
    { applied: 3, available: 'False', want: false },
  ])('are reported: $want, if Applied is of generation $applied and Available is $available', ({ applied, available, want }) => {
    const condition = (type: string, status: string): object => ({ type, status, observedGeneration: applied, lastTransitionTime: NOW });
    const status = { conditions: [condition('Applied', 'True'), condition('Available', available)] };
    expect(isReported({ ...workOf([]), status } as ManifestWork)).toBe(want);
  });
});

function withPodSpec(podSpec: object): object {
  return { ...deployment, spec: { ...deployment.spec, template: { ...deployment.spec.template, spec: podSpec } } };
}
