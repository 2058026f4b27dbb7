import { isApiError } from '@outrigger/core';
import type { ControlPlane, Identity } from '@outrigger/control-plane';
import { type HubOptions, createHub } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import type { Faults, VirtualRuntime } from '@outrigger/kube/testing';
import type { Eventually } from '../../world/eventually.js';
import { definitionsOf } from '../../world/simulation.js';
import { SimulatedWorld } from '../../world/simulated.js';

/** A hub with a running manager, a client for it, and a wait with the clock in use. */
export interface HubWorld {
  readonly hub: Client;
  readonly eventually: Eventually;
}

/** A HubWorld under a virtual clock. */
export interface VirtualHubWorld extends HubWorld {
  readonly server: ControlPlane;
  /** Advances the time. */
  pass(ms: number): Promise<void>;
  /** Returns the wall time in milliseconds. */
  now(): number;
  /** Returns a client with another identity. */
  as(identity: Identity): Client;
  /** Kills the manager and starts a new one. */
  restartManager(): void;
}

/** Returns the seeds to run. OUTRIGGER_SEEDS sets the number of seeds; the default is a sample. */
export function seeds(sample: number): readonly number[] {
  return Array.from({ length: Number(process.env['OUTRIGGER_SEEDS'] ?? sample) }, (_, index) => index + 1);
}

const CRDS = definitionsOf();

export interface VirtualHubOptions {
  readonly seed?: number;
  readonly faults?: Faults;
  readonly manager?: Pick<HubOptions, 'clusters' | 'placement' | 'replicaSets'>;
  /** The number of times that the manager is killed and restarted. The seed determines the times. */
  readonly crashes?: number;
}

/** Runs a scenario on the embedded server with a manager, both under a virtual clock. */
export async function onVirtualHub<T>(options: VirtualHubOptions, story: (world: VirtualHubWorld) => Promise<T>): Promise<T> {
  const simulated = await SimulatedWorld.create(options.seed);
  const { simulator, person } = simulated;
  const server = await simulated.run(simulated.startServer('hub', { crds: CRDS }));

  let manager: VirtualRuntime | undefined;
  let lives = 0;
  const startManager = (): void => {
    manager?.crash();
    manager = simulated.process(`manager-${lives++}`);
    const client = simulated.client(server.transport(), manager, options.faults);
    void createHub({ runtime: manager, client, namespace: 'default', ...options.manager }).start();
  };
  const crashLater = (left: number): void => {
    if (left === 0) return;
    simulator.schedule(200 + simulator.random.next() * 5000, () => {
      startManager();
      crashLater(left - 1);
    });
  };
  startManager();
  crashLater(options.crashes ?? 0);
  const world: VirtualHubWorld = {
    hub: simulated.client(server.transport()),
    server,
    pass: (ms) => person.timers.sleep(ms),
    now: () => simulator.wallNow,
    as: (identity) => simulated.client(server.transport(identity)),
    restartManager: startManager,
    eventually: simulated.eventually(250),
  };
  const result = await simulated.run(story(world));
  manager?.crash();
  return result;
}

export async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
