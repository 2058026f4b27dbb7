import { describe, expect, it } from 'vitest';
import { createClient } from '../src/client/client.js';
import { CHILD_PATH, type Child, NAMESPACE, PARENT_PATH, PARENTS, type Parent, parent, toyController } from '../src/runtime/fixtures.js';
import { createManager } from '../src/runtime/manager.js';
import { createMemoryApi } from './memory-api.js';
import { CALM, connect, type Faults } from './network.js';
import { Simulator } from './simulator.js';
import { createVirtualRuntime, type VirtualRuntime } from './virtual-runtime.js';

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
    const manager = createManager({ runtime, apis: { hub: client }, controllers: [toyController()] });
    void manager.start();
    return runtime;
  };

  let running = startProcess();
  for (const name of ['a', 'b', 'c']) {
    void userClient.create(PARENTS, parent(name, { size: 5 }));
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
      void userClient.patch(PARENTS, { namespace: NAMESPACE, name }, { type: 'merge', patch: { spec: { size } } });
    } else if (dice < 0.7) api.compact();
    else if (dice < 0.8) running.skew((simulator.random.next() - 0.5) * 7_200_000);
  }
  Object.assign(faults, CALM);
  await simulator.advance(600_000);
  for (const owner of api.objects(PARENT_PATH) as Parent[]) {
    const owned = (api.objects(CHILD_PATH) as Child[]).filter(({ spec }) => spec.parent === owner.metadata.name);
    expect({ ready: owner.status?.ready ?? 0, owned: owned.map(({ spec }) => spec.index) }, `seed ${seed}`).toEqual({
      ready: owner.spec.size,
      owned: Array.from({ length: owner.spec.size }, (_, index) => index),
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

  it.each(Array.from({ length: 20 }, (_, i) => 100 + i))(
    'converges through crashes, lag, lost requests and compactions (seed %i)',
    async (seed) => {
      await simulate(seed);
    },
  );
});
