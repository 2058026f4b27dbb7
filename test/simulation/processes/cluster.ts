import { createAgent } from '@outrigger/agent';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import type { Runtime, Transport } from '@outrigger/core';
import { type Client, type ConnectionConfig, type Manager, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime } from '@outrigger/kube/node';
import { ADD_ONS } from '@outrigger/simulator';
import { type Relay, recordedLogger } from '../../harness/index.js';
import { definitionsOf, preparedVault } from '../../world/simulation.js';
import { CLUSTER_KINDS } from '../system/run.js';

export interface ClusterOptions {
  readonly name: string;
  /** The agent's connection to the hub, which goes through `relay`. */
  readonly hub: ConnectionConfig;
  readonly relay: Relay;
}

/** The grace period after which an agent removes the objects of a work that is no longer on the hub. */
const EVICTION_MS = 3_000;
const READY_MS = 300;

/** A managed cluster: an embedded server with simulated workloads, and an agent in this process that reaches the hub over sockets. */
export class Cluster {
  readonly api: Client;
  readonly relay: Relay;
  /** A client for the hub with the credentials of this cluster's agent. */
  readonly hub: Client;
  readonly #hubTransport: Transport;
  readonly #options: ClusterOptions;
  readonly #server: ControlPlane;
  #life: Life | undefined;
  #isOver = false;

  private constructor(options: ClusterOptions, server: ControlPlane, runtime: Runtime) {
    this.#options = options;
    this.#server = server;
    this.relay = options.relay;
    this.api = createClient({ transport: server.transport(), runtime });
    this.#hubTransport = createHttpTransport(options.hub, runtime);
    this.hub = createClient({ transport: this.#hubTransport, runtime });
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const runtime = createRealRuntime({ log: recordedLogger('fatal') });
    const server = await createControlPlane({
      runtime,
      storage: 'memory',
      vault: await preparedVault(),
      crds: definitionsOf(CLUSTER_KINDS),
      simulateWorkloads: { readyAfterMs: READY_MS },
    });
    await server.start();
    return new Cluster(options, server, runtime);
  }

  startAgent(): void {
    if (this.#isOver || this.#life) return;
    const { name, hub } = this.#options;
    const runtime = createRealRuntime({ log: recordedLogger('fatal') });
    const transports = [createHttpTransport(hub, runtime), this.#server.transport()].map((transport) => new Severable(transport));
    const [ofHub, own] = transports.map((transport) => createClient({ transport, runtime })) as [Client, Client];
    const agent = createAgent({
      runtime,
      hub: ofHub,
      cluster: own,
      clusterName: name,
      hubServer: hub.server,
      agentId: `id-${name}`,
      work: { evictionGraceMs: EVICTION_MS },
    });
    this.#life = { agent, transports };
    void agent.start().catch(() => undefined);
  }

  /** Ends the agent as a crash does: from now on, none of its requests reaches a server. */
  async crashAgent(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    for (const transport of life?.transports ?? []) transport.sever();
    await life?.agent.stop(0);
  }

  /** Makes the workloads of all add-ons crash, or lets them run again. */
  setCrashing(isCrashing: boolean): void {
    for (const addOn of ADD_ONS) {
      const workload = { kind: 'Deployment', namespace: 'open-cluster-management-agent-addon', name: `${addOn}-agent` } as const;
      this.#server.simulation?.setBehavior(workload, isCrashing ? 'crashloop' : undefined);
    }
  }

  /** Returns the reason why the agent has not settled: it does not run, has changes to process, or has a pass due within `restMs`. */
  unrest(restMs: number): string | undefined {
    const agent = this.#life?.agent;
    if (!agent) return 'does not run';
    const { isSettled, nextPassInMs = Number.POSITIVE_INFINITY, troubles } = agent;
    if (!isSettled) return `has not settled: ${troubles.map(({ resource, problem }) => `${resource.name}: ${problem}`).join('; ')}`;
    return nextPassInMs > restMs ? undefined : `has a pass due in ${nextPassInMs} ms`;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.crashAgent();
    await this.#hubTransport.close();
    await this.#server.stop();
  }
}

interface Life {
  readonly agent: Manager;
  readonly transports: readonly Severable[];
}

/** A transport that fails every request from the call of `sever` on, including requests in progress. */
class Severable implements Transport {
  readonly #inner: Transport;
  readonly #severed = new AbortController();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  send: Transport['send'] = (request, signal) => {
    const signals = signal ? [signal, this.#severed.signal] : [this.#severed.signal];
    return this.#inner.send(request, AbortSignal.any(signals));
  };

  sever(): void {
    this.#severed.abort(new Error('the process has crashed'));
    void this.#inner.close();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
