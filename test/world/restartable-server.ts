import { type ControlPlane, type ControlPlaneOptions, type Identity, type Store, openStorage } from '@outrigger/control-plane';
import type { Transport } from '@outrigger/core';
import { type Client, type ConnectionConfig, createClient } from '@outrigger/kube';
import { CALM, type Faults, type VirtualRuntime, connect } from '@outrigger/kube/testing';
import { authenticated } from './authenticated.js';
import type { SimulatedWorld } from './simulated.js';

type VirtualScope = VirtualRuntime['scope'];

/** One process of a server, and the connections to it that break together. */
interface Life {
  readonly server: ControlPlane;
  readonly runtime: VirtualRuntime;
  /** The scope of the connections to the process. It ends with the process, or earlier. */
  readonly connections: VirtualScope;
}

/** An embedded server in a simulation that ends and starts again over the same store. Clients keep their transports. */
export class RestartableServer {
  /** The store of all processes of the server. */
  readonly store: Store;
  readonly #world: SimulatedWorld;
  readonly #name: string;
  readonly #options: Partial<ControlPlaneOptions>;
  readonly #storage: Awaited<ReturnType<typeof openStorage>>;
  #life: Life | undefined;
  #lives = 0;
  #isUp = false;

  private constructor(
    world: SimulatedWorld,
    name: string,
    options: Partial<ControlPlaneOptions>,
    storage: Awaited<ReturnType<typeof openStorage>>,
  ) {
    this.#world = world;
    this.#name = name;
    this.#options = options;
    this.#storage = storage;
    this.store = storage.store;
  }

  static async start(world: SimulatedWorld, name: string, options: Partial<ControlPlaneOptions>): Promise<RestartableServer> {
    const server = new RestartableServer(world, name, options, await openStorage('memory'));
    await server.#start();
    return server;
  }

  /** Returns a client of this server; by default, for the test, as the server's own identity, without faults of the network. */
  client(process: VirtualRuntime = this.#world.person, faults: Faults = CALM, identity?: Identity): Client {
    return createClient({ transport: this.#transport(process, faults, ({ server }) => server.transport(identity)), runtime: process });
  }

  /** Connects a process with credentials, which it can replace. Each request is authenticated, as over a socket. */
  connect(
    first: ConnectionConfig,
    process: VirtualRuntime,
    faults: Faults = CALM,
  ): Transport & { readonly update: (next: ConnectionConfig) => void } {
    let config = first;
    const transport = this.#transport(process, faults, ({ server, runtime }) => authenticated(server, runtime, () => config));
    return {
      ...transport,
      update: (next) => {
        config = next;
      },
    };
  }

  /** Ends the server's process without warning, and starts another one later. Does nothing while no process serves. */
  crash(downMs: number): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#life?.runtime.crash();
    this.#world.simulator.schedule(downMs, () => void this.#start());
  }

  /**
   * Breaks all connections to the server for some time. When clients can connect again, the history up to then is compacted, so no client can
   * resume a watch. Does nothing while no client can connect.
   */
  loseHistory(forMs: number): void {
    const life = this.#life;
    if (!life || !this.#isUp) return;
    this.#isUp = false;
    life.connections.cut();
    this.#world.simulator.schedule(forMs, () => {
      void this.store.compact(this.store.revision);
      this.#serve(life);
    });
  }

  /** Resolves when clients can connect. */
  async up(): Promise<void> {
    while (!this.#isUp) await this.#world.person.timers.sleep(UP_CHECK_MS);
  }

  /** The certificate (PEM) of the server's authority. */
  get authority(): string {
    return this.#life?.server.authority ?? '';
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  async #start(): Promise<void> {
    const life = this.#lives++;
    const runtime = this.#world.process(life === 0 ? this.#name : `${this.#name}-${life}`);
    const storage = { ...this.#storage, store: storeUntilCut(this.store, runtime.scope) };
    // The store has the definitions since the first start, and their conversion may have changed since.
    const options = life === 0 ? this.#options : { ...this.#options, crds: [] };
    this.#serve({ runtime, server: await this.#world.startServer(this.#name, { ...options, storage, runtime }) });
  }

  #serve({ runtime, server }: Pick<Life, 'runtime' | 'server'>): void {
    this.#life = { runtime, server, connections: runtime.scope.child('connections') };
    this.#isUp = true;
  }

  /** Returns a transport to the process of the server that runs when a request is sent. `open` connects to one process. */
  #transport(client: VirtualRuntime, faults: Faults, open: (life: Life) => Transport): Transport {
    let life: Life | undefined;
    let inner: Transport | undefined;
    return {
      send: (request, signal) => {
        if (!inner || life !== this.#life) {
          life = this.#life as Life;
          inner = connect(this.#world.simulator, open(life), { client, server: { scope: life.connections }, faults });
        }
        return inner.send(request, signal);
      },
      close: async () => inner?.close(),
    };
  }
}

const UP_CHECK_MS = 50;

/** Returns a store that the process of a scope uses. After the scope was cut, it accepts no write and reports no change. */
function storeUntilCut(store: Store, scope: VirtualScope): Store {
  const until = <T>(write: () => Promise<T>): Promise<T> => (scope.isCut ? new Promise(() => undefined) : write());
  return {
    get revision() {
      return store.revision;
    },
    get compactedRevision() {
      return store.compactedRevision;
    },
    get: (key, atRevision) => store.get(key, atRevision),
    range: (prefix, options) => store.range(prefix, options),
    count: (prefix, options) => store.count(prefix, options),
    put: (key, expected, build) => until(() => store.put(key, expected, build)),
    delete: (key, expected, build) => until(() => store.delete(key, expected, build)),
    since: (revision, prefix) => store.since(revision, prefix),
    subscribe: (listener) =>
      store.subscribe((change) => {
        if (!scope.isCut) listener(change);
      }),
    compact: (revision) => until(() => store.compact(revision)),
    close: () => Promise.resolve(),
  };
}
