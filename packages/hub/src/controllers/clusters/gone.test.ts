import {
  CLUSTER_NAME_LABEL,
  clusterRoleBindings,
  clusterRoles,
  leases,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  namespaces,
  roleBindings,
} from '@outrigger/api';
import { ApiError, type KubeObject, type Runtime, isApiError } from '@outrigger/core';
import type { Client, Decision, EffectContext } from '@outrigger/kube';
import { briefly, nowAt, passOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { ObjectHub, settle } from '../../../testing/settle.js';
import type { ClusterEffects } from './actions.js';
import { clusterController } from './controller.js';
import { ACCEPTED, AVAILABLE, CLUSTER, NOW, addOn, cluster, lease, work } from './fixtures.js';
import { isMassLoss } from './gone.js';
import type { ClusterMemory } from './state.js';

const KEY = { name: CLUSTER };

/** A hub, a controller, and the in-memory state of each cluster. */
interface World {
  readonly hub: ObjectHub;
  readonly controller: ReturnType<typeof clusterController>;
  readonly remembered: Map<string, ClusterMemory | undefined>;
}

/** A hub with one accepted cluster, and a controller that has seen it. */
function acceptedHub(...objects: KubeObject[]): World {
  return settledHub([CLUSTER], [cluster({ conditions: [ACCEPTED, AVAILABLE] }), ...objects]);
}

function settledHub(names: readonly string[], objects: readonly KubeObject[]): World {
  const controller = clusterController();
  const hub = new ObjectHub(controller, objects);
  const remembered = new Map(names.map((name) => [name, settle(controller, hub, { name }, { now: NOW }).rest?.remember]));
  return { hub, controller, remembered };
}

/** The server's answer to a request for the cluster. */
type Answer = 'gone' | 'there' | 'not served';

async function confirm({ controller, remembered }: World, monotonic: number, answer: Answer = 'gone'): Promise<boolean> {
  const client = {
    get: async () => {
      if (answer === 'there') return cluster();
      throw new ApiError('NotFound', 'not found');
    },
    list: async () => {
      if (answer === 'not served') throw new ApiError('NotFound', 'the server could not find the requested resource');
      return { items: [] };
    },
  } as unknown as Client;
  const runtime = { clock: { now: () => NOW, monotonic: () => monotonic } } as unknown as Runtime;
  const remember: EffectContext<ClusterMemory>['remember'] = (update) => remembered.set(CLUSTER, update(remembered.get(CLUSTER)));
  const context: EffectContext<ClusterMemory> = { runtime, signal: new AbortController().signal, client: () => client, remember };
  return Promise.resolve(controller.effects?.['confirm-gone'](CLUSTER, context)).then(
    () => true,
    (error: unknown) => {
      if (!isApiError(error)) throw error;
      return false;
    },
  );
}

function pass(
  { hub, controller, remembered }: World,
  monotonic: number,
  name = CLUSTER,
): Decision<ClusterMemory, ClusterEffects> | undefined {
  const decision = passOf(controller, hub.view, { name }, nowAt(NOW, monotonic), undefined, remembered.get(name));
  remembered.set(name, decision && (decision.remember ?? remembered.get(name)));
  return decision;
}
const actionsAt = (world: World, monotonic: number): readonly string[] => {
  const decision = pass(world, monotonic);
  return decision ? briefly(decision) : [];
};

describe('a ManagedCluster that no longer exists although its finalizers did not run', () => {
  const lost = (...objects: KubeObject[]): World => {
    const world = acceptedHub(...objects);
    world.hub.remove(managedClusters, KEY);
    return world;
  };

  it('leaves nothing: add-ons, works, rights and lease are deleted as for a cluster that is being deleted; the Namespace stays', async () => {
    const world = lost(addOn('a'), work('w'), lease(NOW));
    const { hub } = world;
    expect(actionsAt(world, 0)).toEqual(['effect confirm-gone confirm-gone']);
    expect(await confirm(world, 0)).toBe(true);
    expect(actionsAt(world, 9_999)).toEqual([]);
    const removed: string[] = [];
    for (let round = 0; round < 10; round++) {
      const decision = pass(world, 10_000);
      const stages = decision?.stages ?? [];
      if (stages.length === 0) break;
      expect(stages[0]?.[0]?.id, 'the server is asked before anything goes').toBe('confirm-gone');
      for (const action of stages.flat()) {
        hub.perform(action);
        if (action.type === 'delete') removed.push(action.kind.kind);
      }
    }
    expect(removed.slice(0, 2)).toEqual(['ManagedClusterAddOn', 'ManifestWork']);
    for (const kind of [managedClusterAddOns, manifestWorks, clusterRoles, clusterRoleBindings, roleBindings, leases]) {
      expect(hub.list(kind), kind.plural).toEqual([]);
    }
    expect(hub.list(namespaces)).toHaveLength(1);
    expect(pass(world, 20_000), 'nothing more to do').toBeUndefined();
  });

  it.each<{ name: string; answers: readonly Answer[] }>([
    { name: 'the cache is behind', answers: ['there'] },
    { name: 'ManagedClusters are not served', answers: ['not served'] },
    { name: 'the cluster exists again', answers: ['gone', 'there'] },
    { name: 'the kind is not served any more after the first answer', answers: ['gone', 'not served'] },
  ])('keeps everything if $name', async ({ answers }) => {
    const world = lost(addOn('a'));
    expect(actionsAt(world, 0)).toEqual(['effect confirm-gone confirm-gone']);
    let time = 0;
    let isGone = true;
    for (const answer of answers) {
      isGone = await confirm(world, time, answer);
      time += 10_000;
    }
    expect(isGone, 'the stages after the question are not carried out').toBe(false);
  });

  it.each<{ name: string; change: (hub: ObjectHub) => void }>([
    { name: 'that another manager created', change: (hub) => relabel(hub, { [CLUSTER_NAME_LABEL]: CLUSTER }, {}) },
    {
      name: 'of another name',
      change: (hub) => relabel(hub, { [CLUSTER_NAME_LABEL]: 'other' }, { 'outrigger.dev/made-for-cluster': 'u' }),
    },
    { name: 'that is being deleted', change: (hub) => hub.put(going(hub)) },
  ])('keeps the objects in a Namespace $name', ({ change }) => {
    const world = lost(addOn('a'));
    change(world.hub);
    expect(actionsAt(world, 0)).toEqual([]);
  });

  it('keeps the objects of a cluster that this process has never seen: it may be a restore', () => {
    const { hub } = lost(addOn('a'));
    const restarted: World = { hub, controller: clusterController(), remembered: new Map() };
    expect(actionsAt(restarted, 0)).toEqual([]);
    const [found] = hub.list(namespaces);
    const record = (namespace: string): Record<string, string> => ({ 'outrigger.dev/agent-identity': JSON.stringify({ namespace }) });
    relabel(hub, found?.metadata.labels ?? {}, { ...found?.metadata.annotations, ...record('uid before the restore') });
    expect(actionsAt(restarted, 0)).toEqual([]);
    relabel(hub, found?.metadata.labels ?? {}, { ...found?.metadata.annotations, ...record(found?.metadata.uid ?? '') });
    expect(actionsAt(restarted, 0)).toEqual(['effect confirm-gone confirm-gone']);
  });

  it('trusts a person’s annotation that the agent will not return', async () => {
    const world = lost(work('w', { finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] }));
    pass(world, 0);
    await confirm(world, 0);
    const [found] = world.hub.list(namespaces);
    relabel(world.hub, found?.metadata.labels ?? {}, { ...found?.metadata.annotations, 'outrigger.dev/detach': 'forced' });
    expect(actionsAt(world, 10_000)).toContain('effect record-left-behind record-left-behind');
  });

  it.each([
    [5, 0, false],
    [6, 0, true],
    [6, 24, false],
    [6, 23, true],
    [200, 800, false],
    [201, 799, true],
  ])('%i missing clusters beside %i existing ones wait for a confirmation: %s', (gone, living, want) =>
    expect(isMassLoss(gone, living)).toBe(want),
  );

  it('many missing clusters wait until a person confirms each on its Namespace', async () => {
    const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
    const named = (name: string): KubeObject => ({ ...cluster(), metadata: { name, uid: `uid-${name}`, generation: 1 } });
    const world = settledHub(names, names.map(named));
    const { hub } = world;
    for (const name of names) hub.remove(managedClusters, { name });
    for (const name of names) pass(world, 0, name);
    await confirm(world, 0);
    const waiting = pass(world, 10_000);
    expect(waiting?.stages).toEqual([]);
    expect(waiting?.events?.[0]?.message).toContain('kubectl annotate namespace c1 outrigger.dev/detach=confirmed');
    const found = hub.find(namespaces, KEY);
    hub.put({
      ...(found as KubeObject),
      metadata: { ...found?.metadata, annotations: { ...found?.metadata.annotations, 'outrigger.dev/detach': 'confirmed' } },
    });
    expect(pass(world, 10_000)?.stages.length).toBeGreaterThan(0);
  });
});

describe('AT-49 an agent that is denied', () => {
  it('loses its rights although it removed every condition from its status', () => {
    const { hub, controller } = acceptedHub();
    hub.put({ ...cluster({ accepts: false, conditions: [] }) });
    settle(controller, hub, KEY, { now: NOW });
    expect(hub.list(roleBindings)).toEqual([]);
    expect(hub.list(clusterRoles).find(({ metadata }) => metadata.name?.endsWith(':c1'))?.rules).toMatchObject([
      { resources: ['managedclusters'], verbs: ['get', 'list', 'watch'] },
    ]);
  });
});

function relabel(hub: ObjectHub, labels: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>>): void {
  const found = hub.find(namespaces, KEY);
  if (found) hub.put({ ...found, metadata: { ...found.metadata, labels, annotations } });
}

function going(hub: ObjectHub): KubeObject {
  const found = hub.find(namespaces, KEY) as KubeObject;
  return { ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes'] } };
}
