import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Vault, createControlPlane, memoryVault } from '@outrigger/control-plane';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { CALM, Simulator, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import type { FleetWorld } from './world.js';
import { VIRTUAL } from '../../world/eventually.js';

const CRDS = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));

let prepared: Promise<Vault> | undefined;

/** Loads the modules that the server loads on demand outside of virtual time, and creates its keys once for all worlds. */
async function prepare(): Promise<Vault> {
  const vault = memoryVault();
  const server = await createControlPlane({ runtime: createRealRuntime(), storage: 'memory', crds: CRDS, vault });
  await server.start();
  await server.stop();
  return vault;
}

/**
 * Runs a story on the embedded server with its manager under a virtual clock, so that waiting takes no real time. `restore` creates objects
 * before the manager starts.
 */
export async function onEmbedded(
  story: (world: FleetWorld) => Promise<void>,
  restore: (hub: Client) => Promise<void> = async () => undefined,
): Promise<void> {
  prepared ??= prepare();
  const vault = await prepared;
  const simulator = new Simulator({ seed: 1 });
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = work.finally(() => {
      isSettled = true;
    });
    settled.catch(() => undefined);
    await simulator.runUntil(() => isSettled);
    return settled;
  };
  const server = await run(
    createControlPlane({ runtime: createVirtualRuntime(simulator, 'server'), storage: 'memory', crds: CRDS, vault }),
  );
  await run(server.start());
  const clientOf = (name: string): { client: ReturnType<typeof createClient>; runtime: ReturnType<typeof createVirtualRuntime> } => {
    const runtime = createVirtualRuntime(simulator, name);
    return {
      runtime,
      client: createClient({ transport: connect(simulator, server.transport(), { client: runtime, faults: CALM }), runtime }),
    };
  };
  const manager = clientOf('manager');
  const person = clientOf('person');
  await run(restore(person.client));
  const hub = createHub({ ...manager, namespace: 'default', placement: false });
  await run(hub.start());
  const { clock, timers } = person.runtime;
  await run(story({ hub: person.client, removeAfterMs: 10_000, clock, timers, patience: VIRTUAL }));
  await run(hub.stop());
  await run(server.stop());
}
