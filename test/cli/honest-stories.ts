import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  type AddOnTemplate,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusters,
} from '@outrigger/api';
import { expect } from 'vitest';
import type { WhyWorld } from './why-stories.js';

const API = `${ADDON_GROUP}/v1alpha1`;

/**
 * An add-on whose version v2 never becomes ready on any cluster. On a hub without simulated clusters, the test's agent must not report v2
 * as ready.
 */
export const FRAGILE_ADD_ON = 'fragile';

function template(version: string, behavior: string): AddOnTemplate {
  const labels = { app: FRAGILE_ADD_ON };
  const name = FRAGILE_ADD_ON;
  return {
    apiVersion: API,
    kind: 'AddOnTemplate',
    metadata: { name: `${name}-${version}`, labels: { [ADDON_VERSION_LABEL]: version } },
    spec: {
      addonName: name,
      agentSpec: {
        workload: {
          manifests: [
            {
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              metadata: { name, namespace: 'default', annotations: { 'sim.outrigger.dev/behavior': behavior } },
              spec: {
                replicas: 1,
                selector: { matchLabels: labels },
                template: { metadata: { labels }, spec: { containers: [{ name: 'agent', image: `example.com/${name}:${version}` }] } },
              },
            },
          ],
        },
      },
    },
  };
}

/** Declares an add-on named `slow` on one cluster, `edge9`, which is unavailable. */
export async function declareSlow(hub: WhyWorld['hub']): Promise<void> {
  await hub.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'edge9', labels: { away: 'yes' } },
    spec: { hubAcceptsClient: true },
  });
  const lost = {
    type: 'ManagedClusterConditionAvailable',
    status: 'Unknown',
    reason: 'Lost',
    message: 'no lease',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await hub.patch(
    managedClusters,
    { name: 'edge9' },
    { type: 'merge', patch: { status: { conditions: [lost] } } },
    { subresource: 'status' },
  );
  await hub.create(clusterManagementAddOns, {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'slow' },
    spec: {
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
      installStrategy: {
        type: 'ClusterLabelSelector',
        labelSelector: { matchExpressions: [{ key: 'away', operator: 'Exists' }] },
        rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1 } },
      },
    },
  });
}

/** `rollout status` lists unavailable clusters. With --watch and --strict, unavailable clusters make the command fail. */
export async function awayIsNoSuccess({ hub, outrigger, eventually }: WhyWorld): Promise<void> {
  await declareSlow(hub);
  await eventually('slow is completed', async () =>
    (await outrigger('rollout', 'status', 'slow')).out.startsWith('slow: Completed, 1 away') ? true : undefined,
  );
  const shown = await outrigger('rollout', 'status', 'slow');
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('away, and without the target: edge9') as string });
  expect((await outrigger('rollout', 'status', 'slow', '--watch', '--timeout', '20')).code).toBe(0);
  const strict = await outrigger('rollout', 'status', 'slow', '--watch', '--strict', '--timeout', '20');
  expect(strict).toMatchObject({ code: 5, note: expect.stringContaining('1 cluster away did not get it') as string });
  const json = JSON.parse((await outrigger('rollout', 'status', 'slow', '-o', 'json')).out) as { kind: string };
  expect(json.kind).toBe('AddOnRollout');
}

/** For a halted rollout, `rollout status` exits with 5, even without --watch, and `get addons` shows both versions of its clusters. */
export async function haltedIsNoSuccess({ hub, outrigger, eventually }: WhyWorld): Promise<void> {
  await hub.create(addOnTemplates, template('v1', 'ready'));
  await hub.create(addOnTemplates, template('v2', 'fail'));
  await hub.create(clusterManagementAddOns, {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name: FRAGILE_ADD_ON },
    spec: {
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: `${FRAGILE_ADD_ON}-v1` } }],
      installStrategy: {
        type: 'ClusterLabelSelector',
        labelSelector: { matchExpressions: [{ key: 'away', operator: 'DoesNotExist' }] },
        rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 1, maxFailures: 0, progressDeadline: '2s' } },
      },
    },
  });
  await eventually('v1 is on every cluster', async () =>
    (await outrigger('rollout', 'status', FRAGILE_ADD_ON)).out.startsWith(`${FRAGILE_ADD_ON}: Completed`) ? true : undefined,
  );
  expect((await outrigger('upgrade', FRAGILE_ADD_ON, '--to', 'v2')).code).toBe(0);
  await eventually('it is halted', async () => {
    const { code, out } = await outrigger('rollout', 'status', FRAGILE_ADD_ON);
    if (!out.startsWith(`${FRAGILE_ADD_ON}: Halted`)) return undefined;
    return expect(code).toBe(5) ?? true;
  });
  expect((await outrigger('rollout', 'status', FRAGILE_ADD_ON, '--watch', '--timeout', '20')).code).toBe(5);
  const rows = (await outrigger('get', 'addons', FRAGILE_ADD_ON)).out;
  expect(rows).toContain('v1 → v2');
  expect(rows).not.toContain('unknown');
}

/** Every view shows a pending removal with the command that confirms it. `rollout confirm` lists the clusters. */
export async function waitingRemovalShows({ hub, outrigger, eventually }: WhyWorld, clusters: readonly string[]): Promise<void> {
  const strategy = { spec: { installStrategy: { labelSelector: { matchLabels: { none: 'such' } } } } };
  await hub.patch(clusterManagementAddOns, { name: 'hello' }, { type: 'merge', patch: strategy });
  await eventually('the removal waits', async () =>
    /^hello .*removal waits/m.test((await outrigger('get', 'addons')).out) ? true : undefined,
  );
  const [first = ''] = clusters;
  const views = [
    ['get', 'addons'],
    ['get', 'addons', 'hello'],
    ['get', 'addons', '--cluster', first],
    ['get', 'rollouts'],
    ['get', 'rollouts', 'hello'],
    ['rollout', 'status', 'hello'],
    ['why', 'hello'],
    ['why', 'hello', '--cluster', first],
    ['doctor'],
  ];
  for (const args of views)
    expect({ args, out: (await outrigger(...args)).out }).toEqual({
      args,
      out: expect.stringContaining('outrigger rollout confirm hello') as string,
    });
  expect((await outrigger('get', 'rollouts', 'hello')).out).toContain('removal waits');
  expect((await outrigger('get', 'addons', '-o', 'name')).out).not.toContain('confirm');
  expect((await outrigger('doctor')).code).toBe(5);
  const confirmed = await outrigger('rollout', 'confirm', 'hello');
  expect(confirmed).toMatchObject({ code: 0, note: expect.stringContaining('these add-ons require it: metrics') as string });
  expect(confirmed.out).toMatch(/removed from (\d) of \1 clusters: /);
  for (const cluster of clusters) expect(confirmed.out).toContain(cluster);
}

/** The rollout of an add-on whose Placements do not exist is not completed, although no cluster is left to move. */
export async function unknownIsNoSuccess({ hub, outrigger, eventually }: WhyWorld): Promise<void> {
  const name = 'lost';
  await hub.create(clusterManagementAddOns, {
    apiVersion: API,
    kind: 'ClusterManagementAddOn',
    metadata: { name },
    spec: {
      supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
      installStrategy: { type: 'Placements', placements: ['nowhere', 'neither'].map((one) => ({ name: one, namespace: 'default' })) },
    },
  });
  const cause = 'Placement default/nowhere is not found';
  await eventually('the manager looks for the Placements', async () => {
    const { conditions = [] } = (await hub.get(clusterManagementAddOns, { name })).status ?? {};
    return conditions.some(({ type, message }) => type === 'TargetsResolved' && message === cause) ? true : undefined;
  });
  await eventually('the rollout is recorded', async () =>
    (await hub.list(addOnRollouts)).items.find(({ metadata }) => metadata.name === name)?.status?.entries?.length === 2 ? true : undefined,
  );
  const shown = await outrigger('rollout', 'status', name);
  expect(shown).toMatchObject({ code: 5, note: expect.stringContaining(`not all clusters of ${name} are known: ${cause}`) as string });
  expect(shown.out).toMatch(new RegExp(`^${name}: Pending, clusters unknown`));
  expect(shown.out).not.toContain('Completed');
  expect((await outrigger('rollout', 'status', name, '--watch', '--timeout', '2')).code).toBe(5);
  expect((await outrigger('get', 'rollouts', name)).out).not.toContain('Completed');
  expect((await outrigger('get', 'addons')).out).toMatch(new RegExp(`^${name} .*Pending, clusters unknown`, 'm'));
  expect((await outrigger('get', 'addons', '--unhealthy')).out).toContain(name);
  const why = await outrigger('why', name);
  expect(why).toMatchObject({ code: 5, out: expect.stringContaining(cause) as string });
  expect(why.out).toContain(`kubectl edit clustermanagementaddon ${name}`);
  await hub.delete(clusterManagementAddOns, { name });
}
