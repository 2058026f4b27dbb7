import type { Logger, Runtime, Transport } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { type TestServer, recordedLogger } from '../harness/index.js';
import { type Eventually, OVER_SOCKETS, eventually } from './eventually.js';

type Connection = Parameters<typeof createHttpTransport>[0];
type Protocol = NonNullable<NonNullable<Parameters<typeof createHttpTransport>[2]>['protocol']>;

export interface RealWorldOptions {
  readonly log?: Logger;
  /** The protocol of all connections; by default HTTP/1.1. */
  readonly protocol?: Protocol;
}

/** A server that clients reach over its socket, in real time. Clients see no difference between a real server and an embedded one. */
export class RealWorld {
  readonly server: TestServer;
  readonly runtime: Runtime;
  /** The administrator's connection. */
  readonly connection: Connection;
  readonly #protocol: Protocol;
  readonly #stops: (() => Promise<unknown> | void)[] = [];

  private constructor(server: TestServer, connection: Connection, { log = recordedLogger(), protocol = 'http/1.1' }: RealWorldOptions) {
    this.server = server;
    this.connection = connection;
    this.runtime = createRealRuntime({ log });
    this.#protocol = protocol;
  }

  static async create(server: TestServer, options: RealWorldOptions = {}): Promise<RealWorld> {
    const { connection } = await loadConnection({ kubeconfig: server.kubeconfigPath });
    return new RealWorld(server, connection, options);
  }

  /** Returns a transport that is closed with the world; by default, the administrator's. */
  transport(connection: Connection = this.connection): Transport {
    const transport = createHttpTransport(connection, this.runtime, { protocol: this.#protocol });
    this.onStop(() => transport.close());
    return transport;
  }

  /** Returns a client; by default it is authenticated as the administrator. */
  client(transport: Transport = this.transport()): Client {
    return createClient({ transport, runtime: this.runtime });
  }

  readonly eventually: Eventually = (what, condition) => eventually({ ...this.runtime, patience: OVER_SOCKETS }, what, condition);

  /** Registers a function that is called when the world stops. Functions are called in reverse order. */
  onStop(stop: () => Promise<unknown> | void): void {
    this.#stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}
