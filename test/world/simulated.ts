import { type ControlPlane, type ControlPlaneOptions, type Vault, createControlPlane } from '@outrigger/control-plane';
import type { ApiRequest, Transport } from '@outrigger/core';
import { type Client, ConnectionError, createClient } from '@outrigger/kube';
import { CALM, type Faults, Simulator, type VirtualRuntime, connect, createVirtualRuntime } from '@outrigger/kube/testing';
import { type Eventually, VIRTUAL, eventually } from './eventually.js';
import { drive, preparedVault } from './simulation.js';

/** A network that delays and loses requests and responses, and breaks watches. */
export const FAULTY_NETWORK: Faults = { latencyMs: [1, 30], watchLagMs: [0, 1500], dropBefore: 0.03, dropAfter: 0.03, breakWatch: 0.02 };

/** Embedded servers and processes under one virtual clock, connected by a network whose faults are determined by a seed. */
export class SimulatedWorld {
  readonly simulator: Simulator;
  /** The process of the test. */
  readonly person: VirtualRuntime;
  readonly #vault: Vault;

  private constructor(seed: number, vault: Vault) {
    this.simulator = new Simulator({ seed });
    this.person = createVirtualRuntime(this.simulator, 'person');
    this.#vault = vault;
  }

  static async create(seed = 1): Promise<SimulatedWorld> {
    return new SimulatedWorld(seed, await preparedVault());
  }

  process(name: string): VirtualRuntime {
    return createVirtualRuntime(this.simulator, name);
  }

  /** Starts an embedded server. */
  async startServer(name: string, options: Partial<ControlPlaneOptions>): Promise<ControlPlane> {
    const runtime = options.runtime ?? this.process(name);
    const server = await createControlPlane({ storage: 'memory', vault: this.#vault, ...options, runtime });
    await server.start();
    return server;
  }

  /** Returns a client for a process; by default, for the test. */
  client(transport: Transport, process: VirtualRuntime = this.person, faults: Faults = CALM): Client {
    return createClient({ transport: connect(this.simulator, transport, { client: process, faults }), runtime: process });
  }

  /** Returns a wait that checks every `everyMs` of virtual time. Each check sends a request, which is part of the simulation. */
  eventually(everyMs: number, lastSeen: () => unknown = () => `seed ${this.simulator.seed}`): Eventually {
    return (what, condition) => eventually({ ...this.person, patience: { ...VIRTUAL, everyMs } }, what, condition, lastSeen);
  }

  /** Advances virtual time until the promise `work` resolves or rejects. */
  run<T>(work: Promise<T>): Promise<T> {
    return drive(this.simulator, work);
  }
}

/**
 * Called for every request that a process sends. A crash ends the process before or after the server handles the request. A lost response
 * is one to a request that the server has handled.
 */
export type Interference = (request: ApiRequest) => 'pass' | 'crash before' | 'crash after' | 'lose response';

/** Returns a transport whose process `interfere` may crash. */
export function interfering(inner: Transport, interfere: Interference, crash: () => void): Transport {
  return {
    async send(request, signal) {
      const verdict = interfere(request);
      if (verdict === 'crash before') {
        crash();
        return new Promise(() => undefined);
      }
      const answer = await inner.send(request, signal);
      if (verdict === 'crash after') crash();
      if (verdict === 'lose response')
        throw new ConnectionError('the connection was lost', { code: 'ECONNRESET', server: 'simulated', sent: true });
      return answer;
    },
    close: () => inner.close(),
  };
}
