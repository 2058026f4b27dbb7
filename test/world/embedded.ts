import { type ControlPlane, type ControlPlaneOptions, type Vault, createControlPlane } from '@outrigger/control-plane';
import type { Logger, Runtime, Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { CALM, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { type Eventually, type Patience, VIRTUAL, eventually } from './eventually.js';
import { preparedVault, startTime } from './simulation.js';

export interface EmbeddedWorldOptions {
  /** The logger of all processes. By default, errors are printed. */
  readonly log?: Logger;
  /** Whether the world uses the machine's clock, for a test with real sockets or processes. */
  readonly hasRealClock?: boolean;
}

/** Creates the processes and connections of a world, which all use the same real or virtual clock. */
interface WorldClock {
  process(name: string, log: Logger): Runtime;
  connect(transport: Transport, client: Runtime): Transport;
  readonly vault?: Vault;
  readonly patience?: Patience;
  stop(): Promise<void>;
}

/**
 * Embedded servers and processes in this process. Waiting takes no real time, because virtual time advances whenever the test waits.
 * Requests take a millisecond, and none is lost.
 */
export class EmbeddedWorld {
  /** The process of the test. */
  readonly runtime: Runtime;
  readonly #clock: WorldClock;
  readonly #log: Logger;
  readonly #stops: (() => Promise<unknown> | void)[] = [];

  private constructor(clock: WorldClock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.runtime = this.process('test');
    this.#stops.push(() => clock.stop());
  }

  static async create({ log = createLogger({ level: 'error' }), hasRealClock = false }: EmbeddedWorldOptions = {}): Promise<EmbeddedWorld> {
    return new EmbeddedWorld(hasRealClock ? realClock(log) : await virtualClock(), log);
  }

  process(name: string, log: Logger = this.#log): Runtime {
    return this.#clock.process(name, log);
  }

  /** Starts a server that is stopped with the world. */
  async startServer(name: string, options: Partial<ControlPlaneOptions> = {}): Promise<ControlPlane> {
    const { vault } = this.#clock;
    const server = await createControlPlane({ runtime: this.process(name), storage: 'memory', ...(vault ? { vault } : {}), ...options });
    await server.start();
    this.onStop(() => server.stop());
    return server;
  }

  /** Returns a client for a process; by default, for the test. */
  client(transport: Transport, process: Runtime = this.runtime): Client {
    return createClient({ transport: this.#clock.connect(transport, process), runtime: process });
  }

  readonly eventually: Eventually = (what, condition) => {
    const { patience } = this.#clock;
    return eventually({ ...this.runtime, ...(patience ? { patience } : {}) }, what, condition);
  };

  /** Registers a function that is called when the world stops. Functions are called in reverse order. */
  onStop(stop: () => Promise<unknown> | void): void {
    this.#stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

function realClock(log: Logger): WorldClock {
  const runtime = createRealRuntime({ log });
  return { process: (_name, own) => ({ ...runtime, log: own }), connect: (transport) => transport, stop: async () => undefined };
}

async function virtualClock(): Promise<WorldClock> {
  const vault = await preparedVault();
  const simulator = new Simulator({ seed: 1 });
  const stop = startTime(simulator);
  return {
    process: (name, log) => ({ ...createVirtualRuntime(simulator, name), log }),
    connect: (transport, client) => connect(simulator, transport, { client: client as VirtualRuntime, faults: CALM }),
    vault,
    patience: { ...VIRTUAL, everyMs: 20 },
    stop,
  };
}
