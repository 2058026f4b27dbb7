import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { isApiError } from '@outrigger/core';
import { type ControlPlane, type Identity, type Vault, createControlPlane, memoryVault } from '@outrigger/control-plane';
import { type HubOptions, createHub } from '@outrigger/hub';
import { type Client, createClient } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { CALM, type Faults, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';

/** A hub with a running manager, a client for it, and a wait by the clock in use. */
export interface HubWorld {
  readonly hub: Client;
  /** Resolves when `condition` first returns a value; rejects after a time limit. */
  eventually<T>(what: string, condition: () => Promise<T | undefined>): Promise<T>;
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

export const STORM: Faults = { latencyMs: [1, 30], watchLagMs: [0, 1500], dropBefore: 0.03, dropAfter: 0.03, breakWatch: 0.02 };

/** The seeds to run: a sample by default; OUTRIGGER_SEEDS sets the number. */
export function seeds(sample: number): readonly number[] {
  return Array.from({ length: Number(process.env['OUTRIGGER_SEEDS'] ?? sample) }, (_, index) => index + 1);
}

const CRDS = KIND_DEFINITIONS.map((definition) => customResourceDefinition(definition));
let vault: Promise<Vault> | undefined;

export interface VirtualHubOptions {
  readonly seed?: number;
  readonly faults?: Faults;
  readonly manager?: Pick<HubOptions, 'clusters' | 'placement'>;
  /** How often the manager is killed and restarted, at times that the seed determines. */
  readonly crashes?: number;
}

/** Runs a story on the embedded server with a manager, both under a virtual clock. */
export async function onVirtualHub<T>(options: VirtualHubOptions, story: (world: VirtualHubWorld) => Promise<T>): Promise<T> {
  vault ??= prepare();
  const keys = await vault;
  const simulator = new Simulator({ seed: options.seed ?? 1 });
  const server = await drive(
    simulator,
    createControlPlane({ runtime: createVirtualRuntime(simulator, 'hub'), storage: 'memory', crds: CRDS, vault: keys }),
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
    async eventually(what, condition) {
      for (let attempt = 0; attempt < 400; attempt++) {
        const found = await condition();
        if (found !== undefined) return found;
        await person.timers.sleep(250);
      }
      throw new Error(`waited in vain for: ${what} (seed ${simulator.seed})`);
    },
  };
  const result = await drive(simulator, story(world));
  manager?.crash();
  return result;
}

/** Loads the modules that the server loads on demand outside of virtual time, and creates its keys once for all runs. */
async function prepare(): Promise<Vault> {
  const made = memoryVault();
  const server = await createControlPlane({ runtime: createRealRuntime(), storage: 'memory', crds: CRDS.slice(0, 1), vault: made });
  await server.start();
  await server.stop();
  return made;
}

async function drive<T>(simulator: Simulator, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = work.finally(() => {
    isSettled = true;
  });
  settled.catch(() => undefined);
  await simulator.runUntil(() => isSettled);
  return settled;
}

export async function absentAsUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}
