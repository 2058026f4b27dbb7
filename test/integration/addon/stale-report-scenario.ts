import { type ManifestWork, addOnTemplates, clusterManagementAddOns, managedClusterAddOns, manifestWorks } from '@outrigger/api';
import { type Condition, type JsonObject, findCondition } from '@outrigger/core';
import { reflect } from '@outrigger/kube';
import { expect } from 'vitest';
import { addCluster, eventuallyIs, install, templateOf } from './objects.js';
import type { AddOnWorld } from './world.js';

/**
 * In this scenario, a version fails, and while the agent is silent, the fleet moves to the next version. The agent's reports about the
 * failed version must not count against the next version. No other stand-in agent may report on the works of cluster `silent1`.
 */

const CLUSTER = 'silent1';
const KEY = { namespace: CLUSTER, name: 'moody' };
const WORK = { namespace: CLUSTER, name: 'addon-moody-deploy-0' };

type Values = Readonly<Record<string, number | string>>;

const STUCK: Values = { Generation: 1, ObservedGeneration: 1, AvailableCondition: 'False', ProgressingReason: 'ProgressDeadlineExceeded' };
const UP: Values = {
  Generation: 1,
  ObservedGeneration: 1,
  DesiredReplicas: 1,
  Replicas: 1,
  UpdatedReplicas: 1,
  AvailableReplicas: 1,
  ReadyReplicas: 1,
};

export async function failureOfEarlierVersion(world: AddOnWorld): Promise<void> {
  const { hub } = world;
  await addCluster(world, CLUSTER);
  await hub.create(clusterManagementAddOns, {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'moody' },
    spec: {},
  });
  await hub.create(addOnTemplates, templateOf('moody', { name: 'moody-1', version: 'v1', image: 'example.com/agent:1' }));
  await install(world, CLUSTER, 'moody');
  await report(world, 'v1', UP);
  await eventuallyIs(world, CLUSTER, 'moody', 'Progressing', 'False Succeed');

  await moveTo(world, 2);
  await report(world, 'v2', STUCK);
  const failed = await eventuallyIs(world, CLUSTER, 'moody', 'Progressing', 'False Failed');
  expect(findCondition(failed.status?.conditions, 'Progressing')?.message).toContain('exceeded its progress deadline');

  const seen = await reasonsWhile(world, async () => {
    await moveTo(world, 3);
    await untilWorkIs(world, 'v3');
    await world.quiet();
  });
  expect(new Set(seen)).toEqual(new Set(['Upgrading']));
  await report(world, 'v3', UP);
  await eventuallyIs(world, CLUSTER, 'moody', 'Progressing', 'False Succeed');
}

async function moveTo({ hub }: AddOnWorld, version: number): Promise<void> {
  const template = { name: `moody-${version}`, version: `v${version}`, image: `example.com/agent:${version}` };
  await hub.create(addOnTemplates, templateOf('moody', template));
}

async function untilWorkIs(world: AddOnWorld, version: string): Promise<ManifestWork> {
  return world.eventually(`the work of ${version}`, async () => {
    const work = await world.hub.get(manifestWorks, WORK);
    return work.metadata.labels?.['open-cluster-management.io/addon-version'] === version ? work : undefined;
  });
}

/** Returns the reasons of the condition Progressing while `happen` runs, starting with the first reason for the new version. */
async function reasonsWhile({ hub, runtime }: AddOnWorld, happen: () => Promise<void>): Promise<readonly string[]> {
  const { status } = await hub.get(managedClusterAddOns, KEY);
  const before = status?.installVersion;
  const scope = runtime.scope.child('reasons');
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of reflect({ client: hub, runtime, kind: managedClusterAddOns }, scope.signal)) {
      if ((event.type !== 'Apply' && event.type !== 'InitApply') || event.object.metadata.namespace !== CLUSTER) continue;
      const { conditions, installVersion } = event.object.status ?? {};
      if (installVersion !== before) seen.push(findCondition(conditions, 'Progressing')?.reason ?? '');
    }
  })();
  await happen();
  scope.close();
  await watching;
  return seen;
}

/** Reports the work of a version as applied, with the given values for its workload, as an agent would. */
async function report(world: AddOnWorld, version: string, values: Values): Promise<void> {
  const work = await untilWorkIs(world, version);
  const holds = (type: string): Condition => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: work.metadata.generation ?? 0,
  });
  const [manifest] = work.spec.workload?.manifests ?? [];
  const { name = '', namespace = '' } = (manifest?.['metadata'] ?? {}) as { name?: string; namespace?: string };
  const status = {
    conditions: [holds('Applied'), holds('Available')],
    resourceStatus: {
      manifests: [
        {
          resourceMeta: { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', namespace, name },
          conditions: [],
          statusFeedback: {
            values: Object.entries(values).map(([key, value]) => ({
              name: key,
              fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
            })),
          },
        },
      ],
    },
  };
  await world.hub.patch(
    manifestWorks,
    WORK,
    { type: 'merge', patch: { status: status as unknown as JsonObject } },
    { subresource: 'status' },
  );
}
