import { createControlPlane } from '@outrigger/control-plane';
import { createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { CALM, Simulator, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import type { StoryWorld } from './world.js';
import { VIRTUAL } from '../../world/eventually.js';
import { definitionsOf, drive, preparedVault } from '../../world/simulation.js';
import { atRest } from '../../world/at-rest.js';

const CRDS = definitionsOf();

/**
 * Runs a story on the embedded server with its manager under a virtual clock, so that waiting takes no real time. `restore` creates objects
 * before the manager starts.
 */
export async function onEmbedded(
  story: (world: StoryWorld) => Promise<void>,
  restore: (hub: Client) => Promise<void> = async () => undefined,
): Promise<void> {
  const vault = await preparedVault();
  const simulator = new Simulator({ seed: 1 });
  const run = <T>(work: Promise<T>): Promise<T> => drive(simulator, work);
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
  await run(
    story({
      hub: person.client,
      removeAfterMs: 10_000,
      clock,
      timers,
      patience: VIRTUAL,
      atRest: (restMs) => atRest({ timers }, { manager: () => hub, restMs }),
    }),
  );
  await run(hub.stop());
  await run(server.stop());
}
