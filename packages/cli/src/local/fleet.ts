import { join } from 'node:path';
import {
  HUB_NAMESPACE,
  KIND_DEFINITIONS,
  MANAGED_CLUSTER_KINDS,
  convertObject,
  customResourceDefinition,
  serviceAccountUser,
  serviceAccounts,
} from '@outrigger/api';
import {
  type ControlPlane,
  type Credentials,
  SYSTEM,
  type Served,
  type Storage,
  createControlPlane,
  loadCredentials,
  memoryVault,
  serviceAccountIdentity,
} from '@outrigger/control-plane';
import type { Runtime } from '@outrigger/core';
import { createDoor, createHub, hubAdmission } from '@outrigger/hub';
import { type Client, type Manager, createClient, createEndpoints } from '@outrigger/kube';
import { type PrometheusMetrics, createPrometheusMetrics, serveEndpoints } from '@outrigger/kube/node';
import { applyRight } from '../install/apply.js';
import { HUB_ACCOUNT, hubRights } from '../install/hub.js';
import { cachesComplete } from '../server/serve-until-stopped.js';
import { joinInProcess, joinWithToken } from './join.js';
import { joinKubeconfigs } from './kubeconfig.js';

export interface LocalFleetOptions {
  readonly runtime: Runtime;
  /** Where hub and clusters keep their objects and keys; absent keeps them in memory. */
  readonly dataDir?: string;
  readonly clusters: number;
  /** Port of the hub; 0 for any free one. */
  readonly port: number;
  /** Port of the manager's metrics, on the loopback address; 0 for any free one, absent for none. */
  readonly metricsPort?: number;
  /** How many clusters get a port of their own, from the first on. Each costs a listener and certificates. */
  readonly clusterPorts: number;
  /** Whether workloads on the hub get statuses as if they ran. */
  readonly simulateHubWorkloads?: boolean;
  /** Ranges of addresses at which the hub may call webhooks although they reach this machine. */
  readonly allowWebhookAddress?: readonly string[];
  /** How long a simulated workload takes to become ready. */
  readonly readyAfterMs?: number;
  readonly progress?: (text: string) => void;
  /** Ends the start; what was started by then is stopped. */
  readonly signal?: AbortSignal;
}

/** A hub with its manager, and simulated clusters with their agents, all in this process. */
export interface LocalFleet {
  readonly hub: Client;
  readonly url: string;
  /** Where the manager's metrics are; empty where they are not served. */
  readonly metricsUrl: string;
  readonly clusterNames: readonly string[];
  /** One context per server that has a port, `hub` first. */
  readonly kubeconfig: string;
  /** Whether the clusters keep what they had; else their agents put it there again after every start. */
  readonly isDurable: boolean;
  cluster(name: string): Client;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** Each spends part of its start waiting for the hub's disk. */
const AT_ONCE = 16;
/**
 * Of more clusters than this only the hub is kept on disk: two hundred databases on one disk take minutes to fill. What stood on a simulated
 * cluster is put there again by its agent after a restart.
 */
const MAX_DURABLE_CLUSTERS = 10;

const CLUSTER_DEFINITIONS = KIND_DEFINITIONS.filter(({ kind }) => MANAGED_CLUSTER_KINDS.includes(kind)).map((kind) =>
  customResourceDefinition(kind),
);

export async function startLocalFleet(options: LocalFleetOptions): Promise<LocalFleet> {
  const fleet = new Fleet(options);
  try {
    await fleet.start();
  } catch (error) {
    await fleet.stop();
    throw error;
  }
  return fleet;
}

class Fleet implements LocalFleet {
  readonly clusterNames: readonly string[];
  readonly #options: LocalFleetOptions;
  readonly #clusters = new Map<string, Client>();
  readonly #served: { readonly name: string; readonly kubeconfig: string }[] = [];
  /** Stopped in reverse: what uses a server before the server. */
  readonly #stops: (() => Promise<void>)[] = [];
  #hubServer: ControlPlane | undefined;
  #hub: Client | undefined;
  #manager: Manager | undefined;
  #hubPort: Served | undefined;
  #metricsUrl = '';
  #credentials: Promise<Credentials> | undefined;

  constructor(options: LocalFleetOptions) {
    this.#options = options;
    this.clusterNames = Array.from({ length: options.clusters }, (_, index) => `cluster${index + 1}`);
  }

  get hub(): Client {
    if (!this.#hub) throw new Error('the hub has not been started');
    return this.#hub;
  }

  get url(): string {
    return this.#hubPort?.url ?? '';
  }

  get metricsUrl(): string {
    return this.#metricsUrl;
  }

  get kubeconfig(): string {
    const order = ['hub', ...this.clusterNames];
    return joinKubeconfigs([...this.#served].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)));
  }

  cluster(name: string): Client {
    const client = this.#clusters.get(name);
    if (!client) throw new Error(`there is no simulated cluster ${name}`);
    return client;
  }

  async start(): Promise<void> {
    const { runtime, port } = this.#options;
    this.#options.progress?.('hub');
    const server = await this.#startHubServer();
    this.#hub = createClient({ transport: server.transport(), runtime });
    this.#hubPort = await server.serve({ port, name: 'hub' });
    this.#served.push({ name: 'hub', kubeconfig: this.#hubPort.adminKubeconfig });
    // The manager has the rights that `install hub` gives it, and no others: a right it lacks is found here, not on a real hub.
    for (const object of hubRights({ hasTokens: true })) await applyRight(this.hub, object);
    const client = createClient({ transport: server.transport(serviceAccountIdentity(await this.#managerAccount())), runtime });
    const metrics = createPrometheusMetrics();
    const manager = createHub({ runtime, client, namespace: HUB_NAMESPACE, metrics });
    this.#manager = manager;
    this.#stops.push(() => manager.stop());
    await manager.start();
    await this.#serveMetrics(manager, metrics);
    await this.#startClusters();
  }

  async #serveMetrics(manager: Manager, metrics: PrometheusMetrics): Promise<void> {
    const { runtime, metricsPort } = this.#options;
    if (metricsPort === undefined) return;
    const readiness = [cachesComplete(() => manager)];
    const endpoints = createEndpoints({ runtime, health: [], readiness, metrics: () => metrics.scrape() });
    const server = await serveEndpoints(endpoints, runtime, { port: metricsPort, host: LOOPBACK });
    this.#stops.push(() => server.close());
    this.#metricsUrl = `http://${LOOPBACK}:${server.port}/metrics`;
  }

  async #managerAccount(): Promise<{ readonly namespace: string; readonly name: string; readonly uid: string }> {
    const key = { namespace: HUB_NAMESPACE, name: HUB_ACCOUNT };
    return { ...key, uid: (await this.hub.get(serviceAccounts, key)).metadata.uid ?? '' };
  }

  async #startHubServer(): Promise<ControlPlane> {
    const { runtime } = this.#options;
    const door = createDoor({
      view: () => (this.#manager?.isSynced ? this.#manager.view : undefined),
      client: () => this.hub,
      clock: runtime.clock,
      settings: {
        managerNamespace: HUB_NAMESPACE,
        trustedUsers: [SYSTEM.user, serviceAccountUser(HUB_NAMESPACE, HUB_ACCOUNT)],
        checkMissingExecutor: false,
      },
    });
    const server = await createControlPlane({
      runtime,
      storage: this.#storage('hub'),
      crds: KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind, 'in-process')),
      convert: convertObject,
      admission: [hubAdmission(door)],
      webhookAddresses: this.#options.allowWebhookAddress ?? [],
      ...(this.#options.simulateHubWorkloads ? { simulateWorkloads: { pods: true } } : {}),
    });
    this.#hubServer = server;
    this.#stops.push(() => server.stop());
    await server.start();
    return server;
  }

  /** A few at a time: the machine is busy either way, and progress is seen earlier. */
  async #startClusters(): Promise<void> {
    const waiting = this.clusterNames.map((name, index) => ({ name, hasPort: index < this.#options.clusterPorts }));
    let started = 0;
    const next = async (): Promise<void> => {
      for (let job = waiting.shift(); job; job = waiting.shift()) {
        this.#options.signal?.throwIfAborted();
        await this.#startCluster(job.name, job.hasPort);
        this.#options.progress?.(`cluster ${++started} of ${this.clusterNames.length}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  async #startCluster(name: string, hasPort: boolean): Promise<void> {
    const { readyAfterMs } = this.#options;
    const runtime = this.#runtimeOf(name);
    const storage = this.isDurable ? this.#storage(join('clusters', name)) : 'memory';
    const server = await createControlPlane({
      runtime,
      storage,
      crds: CLUSTER_DEFINITIONS,
      ...(storage === 'memory' ? { credentials: await this.#sharedCredentials() } : {}),
      // ReplicaSets and pods cost memory: a cluster that nothing outside can reach does without.
      simulateWorkloads: { pods: hasPort, ...(readyAfterMs === undefined ? {} : { readyAfterMs }) },
    });
    this.#stops.push(() => server.stop());
    await server.start();
    if (hasPort) this.#served.push({ name, kubeconfig: (await server.serve({ name })).adminKubeconfig });
    const cluster = createClient({ transport: server.transport(), runtime });
    this.#clusters.set(name, cluster);
    await this.#join(name, runtime, cluster);
  }

  /** Clusters that are gone with this process share their keys: making them costs as much as the rest of a cluster's start. */
  #sharedCredentials(): Promise<Credentials> {
    this.#credentials ??= loadCredentials(this.#options.runtime, memoryVault());
    return this.#credentials;
  }

  /**
   * A scope of its own for each cluster: every request listens to the scope it is made in, and listeners of one signal are a list that
   * is searched each time. Two hundred clusters on one signal spend more on that than on everything they do.
   */
  #runtimeOf(cluster: string): Runtime {
    const { runtime } = this.#options;
    return { ...runtime, scope: runtime.scope.child(cluster) };
  }

  async #join(name: string, runtime: Runtime, cluster: Client): Promise<void> {
    if (!this.#hubServer || !this.#hubPort) throw new Error('the hub has not been started');
    const world = { runtime, hub: this.hub, hubServer: this.#hubServer, hubPort: this.#hubPort, cluster, name };
    const stop = this.isDurable ? await joinWithToken(world) : await joinInProcess(world);
    this.#stops.push(stop);
  }

  get isDurable(): boolean {
    return this.#options.clusters <= MAX_DURABLE_CLUSTERS;
  }

  #storage(folder: string): Storage {
    const { dataDir } = this.#options;
    return dataDir === undefined ? 'memory' : { dir: join(dataDir, folder) };
  }

  async stop(): Promise<void> {
    // Agents first and all together, then clusters, then the hub: nobody waits for a server that is gone.
    const stops = this.#stops.splice(0).reverse();
    const hubParts = stops.splice(Math.max(0, stops.length - 2));
    await Promise.all(stops.map((stop) => stop()));
    for (const stop of hubParts) await stop();
  }
}
