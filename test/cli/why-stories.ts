import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  type ManifestWork,
  addOnTemplates,
  clusterManagementAddOns,
  deployWorkName,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type Condition, type JsonObject, findCondition } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Ran } from './world.js';

/** A hub with its manager. The scenario acts as the agents of the clusters that it creates. */
export interface WhyWorld {
  readonly hub: Client;
  outrigger(...args: readonly string[]): Promise<Ran>;
  eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
}

/** The add-on of the scenario. Stand-in agents must not report on its works. */
export const WHY_ADD_ON = 'causes';
const CLUSTERS = ['why1', 'why2', 'why3'] as const;
const REFUSAL = 'Failed to apply manifest: namespaces "nowhere" not found';
const POD = 'container web is waiting: ImagePullBackOff: Back-off pulling image "example.com/web"';
const NOW = '2026-01-01T00:00:00Z';

/** Installs an add-on that fails on three clusters for three causes. `why` names each cause, for one cluster and for the fleet. */
export async function whyReachesTheCauses(world: WhyWorld): Promise<void> {
  const { hub, outrigger, eventually } = world;
  await declare(hub);
  const [refused, unready] = await Promise.all(
    CLUSTERS.slice(0, 2).map((namespace) =>
      eventually(`${namespace} has a work`, () =>
        hub.get(manifestWorks, { namespace, name: deployWorkName(WHY_ADD_ON, 0) }).catch(() => undefined),
      ),
    ),
  );
  if (!refused || !unready) throw new Error('no works');
  await report(hub, refused, { refuses: true });
  await report(hub, unready, { values: { DesiredReplicas: 2, Replicas: 2, ReadyReplicas: 0, NotReadyReason: POD } });

  const one = await eventually('why names the manifest', async () => {
    const ran = await outrigger('why', WHY_ADD_ON, '--cluster', 'why1');
    return ran.out.includes('ManifestApplied') ? ran : undefined;
  });
  expect(one).toMatchObject({ code: 5, out: expect.stringContaining(`ConfigMap nowhere/config: ${REFUSAL}`) as string });
  expect(one.out).toContain('next: add the Namespace nowhere to the template, or create it on why1: kubectl create namespace nowhere');
  const { status } = await hub.get(managedClusterAddOns, { namespace: 'why1', name: WHY_ADD_ON });
  expect(findCondition(status?.conditions, 'ManifestApplied')?.message).toContain(`ConfigMap nowhere/config: ${REFUSAL}`);

  const two = await outrigger('why', WHY_ADD_ON, '--cluster', 'why2');
  expect(two.code).toBe(5);
  expect(two.out).toMatch(/Deployment default\/web: 0 of 2 replicas available since \S+: container web is waiting: ImagePullBackOff/);
  const three = await outrigger('why', WHY_ADD_ON, '--cluster', 'why3');
  expect(three).toMatchObject({ code: 5, out: expect.stringContaining('no agent has joined as cluster why3') as string });
  expect(three.out).toContain('next: outrigger join why3 > why3.yaml');

  const all = await outrigger('why', WHY_ADD_ON);
  expect(all).toMatchObject({ code: 5, out: expect.stringMatching(new RegExp(`^${WHY_ADD_ON} on 3 clusters: `)) as string });
  for (const text of [REFUSAL, POD, 'no agent has joined as cluster …']) expect(all.out).toContain(text);
  expect(all.out).not.toMatch(/<[a-z-]+>/);
  const json = JSON.parse((await outrigger('why', WHY_ADD_ON, '-o', 'json')).out) as { causes: readonly { count: number }[] };
  expect(json.causes.map(({ count }) => count)).toEqual([1, 1, 1]);
  expect((await outrigger('why', WHY_ADD_ON, '-o', 'yaml')).out).toContain('isWrong: true');
}

async function declare(hub: Client): Promise<void> {
  for (const name of CLUSTERS) {
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name, labels: { why: 'asked' } },
      spec: { hubAcceptsClient: true },
    });
    const conditions = name === 'why3' ? [] : [condition('ManagedClusterJoined', 'True', '', 1)];
    if (conditions.length > 0)
      await hub.patch(
        managedClusters,
        { name },
        { type: 'merge', patch: { status: { conditions: conditions as never } } },
        { subresource: 'status' },
      );
  }
  const web = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'example.com/web' }] } },
    },
  };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'config', namespace: 'nowhere' } };
  await hub.create(addOnTemplates, {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'AddOnTemplate',
    metadata: { name: `${WHY_ADD_ON}-v1`, labels: { [ADDON_VERSION_LABEL]: 'v1' } },
    spec: { addonName: WHY_ADD_ON, agentSpec: { workload: { manifests: [config, web] } } },
  });
  await hub.create(clusterManagementAddOns, {
    apiVersion: `${ADDON_GROUP}/v1alpha1`,
    kind: 'ClusterManagementAddOn',
    metadata: { name: WHY_ADD_ON },
    spec: {
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: `${WHY_ADD_ON}-v1` } }],
      installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { why: 'asked' } } },
    },
  });
}

function condition(type: string, status: 'True' | 'False', message: string, observedGeneration: number): Condition {
  return { type, status, reason: 'Reported', message, lastTransitionTime: NOW, observedGeneration };
}

interface Report {
  readonly refuses?: true;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Writes a report to the status of a work, as the agent of its cluster does. */
async function report(hub: Client, { metadata }: ManifestWork, { refuses, values = {} }: Report): Promise<void> {
  const generation = metadata.generation ?? 0;
  const meta = { ordinal: 0, group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespace: 'nowhere', name: 'config' };
  const web = { ordinal: 1, group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespace: 'default', name: 'web' };
  const fed = Object.entries(values).map(([name, value]) => ({
    name,
    fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
  }));
  const status = {
    conditions: [
      condition('Applied', refuses ? 'False' : 'True', refuses ? 'Failed to apply manifest work' : '', generation),
      condition('Available', 'True', '', generation),
    ],
    resourceStatus: {
      manifests: [
        { resourceMeta: meta, conditions: [condition('Applied', refuses ? 'False' : 'True', refuses ? REFUSAL : '', generation)] },
        { resourceMeta: web, conditions: [condition('Applied', 'True', '', generation)], statusFeedback: { values: fed } },
      ],
    },
  };
  const { name = '', namespace = '' } = metadata;
  const patch = { status: status as unknown as JsonObject };
  await hub.patch(manifestWorks, { name, namespace }, { type: 'merge', patch }, { subresource: 'status' });
}
