import { isApiError } from '@outrigger/core';
import { type ControlPlane, type Identity, createControlPlane } from '@outrigger/control-plane';
import { type HubOptions, createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { CALM, type Faults, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { type Eventually, VIRTUAL, eventually } from '../../world/eventually.js';
import { definitionsOf, drive, preparedVault } from '../../world/simulation.js';

/** A hub with a running manager, a client for it, and a wait by the clock in use. */
export interface HubWorld {
  readonly hub: Client;
  readonly eventually: Eventually;
}

/** A HubWorld under a virtual clock. */
export interface VirtualHubWorld extends HubWorld {
  readonly server: ControlPlane;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Wall time in milliseconds. */
  now(): number;
  /** A client with another identity. */
  as(identity: Identity): Client;
  /** Kills the manager and starts a new one. */
  restartManager(): void;
}

export const FAULTY_NETWORK: Faults = { latencyMs: [1, 30], watchLagMs: [0, 1500], dropBefore: 0.03, dropAfter: 0.03, breakWatch: 0.02 };

/** The seeds to run: a sample by default; OUTRIGGER_SEEDS sets the number. */
export function seeds(sample: number): readonly number[] {
  return Array.from({ length: Number(process.env['OUTRIGGER_SEEDS'] ?? sample) }, (_, index) => index + 1);
}

const CRDS = definitionsOf();

export interface VirtualHubOptions {
  readonly seed?: number;
  readonly faults?: Faults;
  readonly manager?: Pick<HubOptions, 'clusters' | 'placement'>;
  /** How often the manager is killed and restarted, at times that the seed determines. */
  readonly crashes?: number;
}

/** Runs a story on the embedded server with a manager, both under a virtual clock. */
export async function onVirtualHub<T>(options: VirtualHubOptions, story: (world: VirtualHubWorld) => Promise<T>): Promise<T> {
  const vault = await preparedVault();
  const simulator = new Simulator({ seed: options.seed ?? 1 });
  const server = await drive(
    simulator,
    createControlPlane({ runtime: createVirtualRuntime(simulator, 'hub'), storage: 'memory', crds: CRDS, vault }),
  );
  await drive(simulator, server.start());
  const person = createVirtualRuntime(simulator, 'person');
  const clientOf = (runtime: VirtualRuntime, faults: Faults, identity?: Identity): Client =>
    createClient({ transport: connect(simulator, server.transport(identity), { client: runtime, faults }), runtime });

  let manager: VirtualRuntime | undefined;
  let lives = 0;
  const startManager = (): void => {
    manager?.crash();
    manager = createVirtualRuntime(simulator, `manager-${lives++}`);
    const client = clientOf(manager, options.faults ?? CALM);
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
    hub: clientOf(person, CALM),
    server,
    pass: (ms) => person.timers.sleep(ms),
    now: () => simulator.wallNow,
    as: (identity) => clientOf(person, CALM, identity),
    restartManager: startManager,
    eventually: (what, condition) =>
      eventually({ ...person, patience: { ...VIRTUAL, everyMs: 250 } }, what, condition, () => `seed ${simulator.seed}`),
  };
  const result = await drive(simulator, story(world));
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
