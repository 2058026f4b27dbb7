import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import type { Runtime } from '@outrigger/core';
import { type Client, type ConnectionConfig, createClient } from '@outrigger/kube';
import { createHttpTransport, createRealRuntime, loadConnection } from '@outrigger/kube/node';
import { bundle } from '../../../tools/simulate/bundle.js';
import { type RealKube, type Relay, installKinds, recordedLogger, startKube, startRelay } from '../../harness/index.js';
import { writeKubeconfig } from '../../harness/kubeconfig.js';
import { OVER_SOCKETS, eventually } from '../../world/eventually.js';
import { Etcd } from './etcd.js';
import { WrongRequests } from './wrong-requests.js';

/** Matches the keys that the API server and its controllers write by themselves, at any time. */
const OWN_KEYS = /^\/registry\/(leases\/kube-|masterleases\/|peerserverlease|apiserver\.)/;

/** A connection to the hub's API server that a fault can break. */
export interface RelayedConnection {
  readonly relay: Relay;
  readonly kubeconfig: string;
  readonly connection: ConnectionConfig;
}

type Parts = Pick<HubServer, 'kube' | 'runtime' | 'client' | 'wrongRequests'>;

/** The hub's API server, with etcd and kube-controller-manager. It serves many histories; `reset` removes everything that one has left. */
export class HubServer {
  readonly kube: RealKube;
  readonly runtime: Runtime;
  /** The connection of users to the server. No fault breaks this connection. */
  readonly client: Client;
  readonly etcd: Etcd;
  /** The manager's program. */
  readonly program: string;
  /** Requests for certificates that the hub must not approve. */
  readonly wrongRequests: WrongRequests;
  readonly #folder: string;
  readonly #stops: (() => Promise<unknown> | void)[];
  #baseline: ReadonlySet<string> = new Set();

  private constructor({ kube, runtime, client, wrongRequests }: Parts, folder: string, stops: (() => Promise<unknown> | void)[]) {
    this.kube = kube;
    this.runtime = runtime;
    this.client = client;
    this.wrongRequests = wrongRequests;
    this.etcd = new Etcd(kube.etcdUrl);
    this.program = join(folder, 'manager.mjs');
    this.#folder = folder;
    this.#stops = [() => this.etcd.close(), ...stops];
  }

  static async start(): Promise<HubServer> {
    const runtime = createRealRuntime({ log: recordedLogger() });
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-processes-'));
    const kube = await startKube({ controllerManager: 'after kinds' });
    const stops: (() => Promise<unknown> | void)[] = [() => kube.stop(), () => rm(folder, { recursive: true, force: true })];
    try {
      const { connection } = await loadConnection({ kubeconfig: kube.kubeconfigPath });
      const transport = createHttpTransport(connection, runtime, { protocol: 'http/1.1' });
      stops.unshift(() => transport.close());
      const client = createClient({ transport, runtime, fieldManager: 'person' });
      const server = new HubServer({ kube, runtime, client, wrongRequests: await WrongRequests.create(runtime.keys) }, folder, stops);
      await bundle(fileURLToPath(new URL('manager-process.ts', import.meta.url)), server.program);
      await installKinds(kube, server.client, (what, condition) => eventually({ ...runtime, patience: OVER_SOCKETS }, what, condition));
      server.#baseline = new Set(await server.#keys());
      return server;
    } catch (error) {
      for (const stop of stops) await stop();
      throw error;
    }
  }

  /** Opens a relay for a manager, which connects as the administrator. The caller closes it. */
  async relayed(name: string): Promise<RelayedConnection> {
    const { url, caPem, adminCertPem, adminKeyPem } = this.kube;
    const relay = await startRelay(Number(new URL(url).port));
    const path = join(this.#folder, `${name}.kubeconfig`);
    const own = { url: `https://127.0.0.1:${relay.port}`, caPem, certPem: adminCertPem, keyPem: adminKeyPem };
    const kubeconfig = await writeKubeconfig(path, own);
    return { relay, kubeconfig, connection: (await loadConnection({ kubeconfig })).connection };
  }

  /** Opens a relay for the agent of a cluster, which has only the rights that the hub grants to it. The caller closes it. */
  async relayedAgent(cluster: string): Promise<Omit<RelayedConnection, 'kubeconfig'>> {
    const { relay, connection } = await this.relayed(cluster);
    const groups = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
    const token = this.kube.token(clusterAgentUser(cluster, 'agent'), groups);
    return { relay, connection: { server: connection.server, ...(connection.ca ? { ca: connection.ca } : {}), token } };
  }

  /**
   * Removes every object that did not exist before the first history. The objects are deleted in etcd, because their finalizers wait for
   * agents that no longer run. Rejects if an object that existed before the first history is missing.
   */
  async reset(): Promise<void> {
    for (let isClean = false; !isClean; ) {
      const left = (await this.#keys()).filter((key) => !this.#baseline.has(key));
      for (const key of left) await this.etcd.delete(key);
      isClean = left.length === 0;
      // A controller of the server may still write to a namespace that was just deleted, so wait and check again.
      if (!isClean) await this.runtime.timers.sleep(200);
    }
    const kept = new Set(await this.#keys());
    const missing = [...this.#baseline].filter((key) => !kept.has(key));
    if (missing.length > 0) throw new Error(`a history has removed objects of the server: ${missing.join(', ')}`);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  async #keys(): Promise<readonly string[]> {
    return (await this.etcd.keys()).filter((key) => !OWN_KEYS.test(key));
  }
}
