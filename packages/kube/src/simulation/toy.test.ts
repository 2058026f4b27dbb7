import { apiVersionOf, type Kind, type KubeObject, keyOf } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createClient } from '../client/client.js';
import { defineController, watch } from '../controller.js';
import type { Controller } from '../controller.js';
import type { Action } from '../decision.js';
import { createManager } from '../runtime/manager.js';
import type { Projected, Resource } from '../resource.js';
import { createMemoryApi } from './memory-api.js';
import { CALM, connect, type Faults } from './network.js';
import { Simulator } from './simulator.js';
import { createVirtualRuntime, type VirtualRuntime } from './virtual-runtime.js';

interface Parent extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly ready: number };
}
interface Child extends KubeObject {
  readonly spec: { readonly parent: string; readonly index: number };
}
const PARENTS: Kind<Parent> = { group: 'toy.dev', version: 'v1', kind: 'Parent', plural: 'parents', namespaced: true };
const CHILDREN: Kind<Child> = { group: 'toy.dev', version: 'v1', kind: 'Child', plural: 'children', namespaced: true };

interface ParentRecord extends Projected {
  readonly size: number;
  readonly ready: number;
}
interface ChildRecord extends Projected {
  readonly parent: string;
  readonly index: number;
}
const base = (object: KubeObject): Projected => ({
  key: keyOf(object),
  uid: object.metadata.uid ?? '',
  resourceVersion: object.metadata.resourceVersion ?? '',
});
const parents: Resource<ParentRecord> = {
  name: 'parents',
  api: 'hub',
  kind: PARENTS,
  project: (object) => ({ ...base(object), size: (object as Parent).spec.size, ready: (object as Parent).status?.ready ?? 0 }),
  indexes: {},
};
const children: Resource<ChildRecord> = {
  name: 'children',
  api: 'hub',
  kind: CHILDREN,
  project: (object, intern) => ({ ...base(object), parent: intern((object as Child).spec.parent), index: (object as Child).spec.index }),
  indexes: { parent: (record) => [record.parent] },
};

interface State {
  readonly parent: ParentRecord;
  readonly children: readonly ChildRecord[];
}
const namespace = 'toy';
const toyController: Controller<State> = defineController({
  name: 'toy',
  watches: [
    watch(parents, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }]),
    watch(children, ({ before, after }) => [before, after].flatMap((child) => (child ? [{ namespace, name: child.parent }] : []))),
  ],
  observe(view, key) {
    const parent = view.get(parents, key);
    return parent && { parent, children: view.byIndex(children, 'parent', key.name) };
  },
  decide({ parent, children: found }) {
    const present = new Set(found.map(({ index }) => index));
    const missing = Array.from({ length: parent.size }, (_, index) => index).filter((index) => !present.has(index));
    const surplus = found.filter(({ index }) => index >= parent.size).sort((a, b) => a.index - b.index);
    const creates = missing.map(
      (index): Action => ({
        type: 'create',
        api: 'hub',
        kind: CHILDREN,
        id: `child/${index}`,
        object: {
          apiVersion: apiVersionOf(CHILDREN),
          kind: 'Child',
          metadata: { name: `${parent.key.name}-${index}`, namespace },
          spec: { parent: parent.key.name, index },
        } as Child,
      }),
    );
    const deletes = surplus.map(
      ({ key, uid, index }): Action => ({ type: 'delete', api: 'hub', kind: CHILDREN, id: `child/${index}`, key, precondition: { uid }, accept: ['NotFound'] }),
    );
    const ready = found.length;
    const status: Action[] =
      ready === parent.ready
        ? []
        : [
            {
              type: 'patch',
              api: 'hub',
              kind: PARENTS,
              id: 'status',
              key: parent.key,
              patch: { status: { ready } },
              precondition: { uid: parent.uid, resourceVersion: parent.resourceVersion },
              subresource: 'status',
            },
          ];
    return { stages: [[...creates, ...deletes, ...status]] };
  },
});

const STORM: Faults = { latencyMs: [1, 40], watchLagMs: [0, 2000], dropBefore: 0.05, dropAfter: 0.05, breakWatch: 0.03 };

async function simulate(seed: number): Promise<readonly string[]> {
  const simulator = new Simulator({ seed });
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  const faults: Faults = { ...STORM };
  const user = createVirtualRuntime(simulator, 'user');
  const userClient = createClient({ transport: connect(simulator, api.transport, { client: user, faults: CALM }), runtime: user });

  let generation = 0;
  const startProcess = (): VirtualRuntime => {
    const runtime = createVirtualRuntime(simulator, `process-${generation++}`);
    const client = createClient({ transport: connect(simulator, api.transport, { client: runtime, faults }), runtime });
    const manager = createManager({ runtime, apis: { hub: client }, controllers: [toyController] });
    void manager.start();
    return runtime;
  };

  let running = startProcess();
  for (const name of ['a', 'b', 'c']) {
    void userClient.create(PARENTS, { apiVersion: 'toy.dev/v1', kind: 'Parent', metadata: { name, namespace }, spec: { size: 5 } });
  }
  for (let round = 0; round < 12; round++) {
    await simulator.advance(500 + simulator.random.next() * 2000);
    const dice = simulator.random.next();
    if (dice < 0.3) {
      running.crash();
      running = startProcess();
    } else if (dice < 0.6) {
      const name = ['a', 'b', 'c'][Math.floor(simulator.random.next() * 3)] as string;
      const size = Math.floor(simulator.random.next() * 9);
      void userClient.patch(PARENTS, { namespace, name }, { type: 'merge', patch: { spec: { size } } });
    } else if (dice < 0.7) api.compact();
    else if (dice < 0.8) running.skew((simulator.random.next() - 0.5) * 7_200_000);
  }
  Object.assign(faults, CALM);
  await simulator.advance(600_000);
  for (const parent of api.objects('toy.dev/v1/parents') as Parent[]) {
    const owned = (api.objects('toy.dev/v1/children') as Child[]).filter(({ spec }) => spec.parent === parent.metadata.name);
    expect({ ready: parent.status?.ready ?? 0, owned: owned.map(({ spec }) => spec.index) }, `seed ${seed}`).toEqual({
      ready: parent.spec.size,
      owned: Array.from({ length: parent.spec.size }, (_, index) => index),
    });
  }
  return simulator.log;
}

describe('simulation of a toy controller', () => {
  it('one seed run twice gives the same log', async () => {
    const first = await simulate(7);
    expect(first.length).toBeGreaterThan(50);
    expect(await simulate(7)).toEqual(first);
  });

  it('another seed gives another log', async () => {
    expect(await simulate(8)).not.toEqual(await simulate(9));
  });

  it.each(Array.from({ length: 20 }, (_, i) => 100 + i))('converges through crashes, lag, lost requests and compactions (seed %i)', async (seed) => {
    await simulate(seed);
  });
});
