import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import type { KubeObject, Logger } from '@outrigger/core';
import type { Client, Manager } from '@outrigger/kube';
import { createHub } from '@outrigger/hub';
import { type RealKube, installKinds, recordedLogger, startKube } from '../harness/index.js';
import { type Obedience, obedientAgent } from '../integration/addon/obedient-agent.js';
import { type AddOnWorld, COLLECTING_MS, LONGEST_DELAY_MS, noted, passLogger } from '../integration/addon/world.js';
import { RealWorld } from '../world/real.js';
import { LOOKS_OVER_SOCKETS, atRest } from '../world/at-rest.js';

type Conversion = Parameters<typeof customResourceDefinition>[1];

export interface KubeHub extends AddOnWorld {
  readonly kube: RealKube;
  readonly manager: Manager;
  stop(): Promise<void>;
}

export interface KubeHubOptions {
  /** Called before the CRDs are installed. Returns the conversion between versions. */
  readonly prepare?: (client: Client, manager: () => Manager | undefined) => Promise<Conversion>;
  /** Returns the CRDs to install. By default these are Outrigger's CRDs. */
  readonly definitions?: (conversion: Conversion) => readonly KubeObject[];
  readonly log?: Logger;
  /** The namespace in which the manager stores content. By default it is `default`. */
  readonly namespace?: string;
  /** The behavior of the stand-in agent. By default the agent reports all works as available. */
  readonly agent?: Obedience;
}

const ownDefinitions = (conversion: Conversion): readonly KubeObject[] =>
  KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition, conversion));

/** Starts a hub on a real API server, with its manager and a stand-in agent that reports on works. */
export async function startKubeHub(options: KubeHubOptions = {}): Promise<KubeHub> {
  const { prepare = async () => 'none' as const, definitions = ownDefinitions } = options;
  const passes: string[] = [];
  const kube = await startKube({ controllerManager: 'after kinds' });
  const world = await RealWorld.create(kube, { log: passLogger(passes, options.log ?? recordedLogger()) });
  const { runtime } = world;
  const hub = world.client();
  let manager: Manager | undefined;
  const conversion = await prepare(hub, () => manager);
  await installKinds(kube, hub, world.eventually, definitions(conversion));
  const writes: string[] = [];
  const startManager = async (renderer?: number): Promise<Manager> => {
    const chosen = renderer === undefined ? {} : { renderer };
    const started = createHub({
      runtime,
      client: world.client(noted(world.transport(), writes)),
      namespace: options.namespace ?? 'default',
      ...chosen,
    });
    manager = started;
    await started.start();
    return started;
  };
  const activity = (): string => `${writes.length} ${passes.length}`;
  let running = await startManager();
  world.onStop(() => running.stop());
  world.onStop(obedientAgent(hub, runtime, options.agent));
  return {
    kube,
    get manager() {
      return running;
    },
    runtime,
    hub,
    as: () => {
      throw new Error('not on a real server');
    },
    writes,
    passes,
    async restartManager(renderer, meanwhile) {
      await running.stop();
      await meanwhile?.();
      running = await startManager(renderer);
      return running;
    },
    eventually: world.eventually,
    quiet: () => atRest(runtime, { manager: () => running, activity, restMs: COLLECTING_MS, looks: LOOKS_OVER_SOCKETS }),
    idle: () => atRest(runtime, { manager: () => running, activity, restMs: LONGEST_DELAY_MS, looks: LOOKS_OVER_SOCKETS }),
    stop: async () => {
      await world.stop();
      await kube.stop();
    },
  };
}
