import { join } from 'node:path';
import { readClusterFacts } from '@outrigger/agent';
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
import { type Runtime, apiVersionOf, errorMessage } from '@outrigger/core';
import { type HubOptions, createAdmission, createHub, hubAdmission } from '@outrigger/hub';
import { type Client, type Manager, createClient, createEndpoints } from '@outrigger/kube';
import { type PrometheusMetrics, createPrometheusMetrics, serveEndpoints } from '@outrigger/kube/node';
import { applyRight } from '../install/apply.js';
import { HUB_ACCOUNT, hubRights } from '../install/hub.js';
import { cachesComplete } from '../server/serve-health.js';
import { ensureCluster, joinInProcess, joinWithToken } from './join.js';
import { joinKubeconfigs } from './kubeconfig.js';
import { LightClusters } from './light/clusters.js';

export interface LocalFleetOptions {
  readonly runtime: Runtime;
  /** The folder for the objects and keys of the hub and the clusters. If it is not set, they are kept in memory. */
  readonly dataDir?: string;
  readonly clusters: number;
  /** The port of the hub; 0 for any free port. */
  readonly port: number;
  /** The port of the manager's metrics, on the loopback address; 0 for any free port. If it is undefined, no metrics are served. */
  readonly metricsPort?: number;
  /** The number of clusters, starting with the first, that get their own port. Each of them needs a listener and certificates. */
  readonly clusterPorts: number;
  /** Whether workloads on the hub get statuses as if they were running. */
  readonly simulateHubWorkloads?: boolean;
  /** The IP ranges of this machine at which the hub may call webhooks. */
  readonly allowWebhookAddress?: readonly string[];
  /** The time in milliseconds that a simulated workload takes to become ready. */
  readonly readyAfterMs?: number;
  /**
   * With more clusters than this, clusters without a port get an API server and an agent only when an add-on needs them. The default is
   * 100.
   */
  readonly maxFullClusters?: number;
  /** The metrics providers and webhook addresses that RolloutPolicies may name. By default there are none. */
  readonly outside?: OutsideServices | undefined;
  readonly progress?: (text: string) => void;
  /** Aborts the start. The parts that have already started are stopped. */
  readonly signal?: AbortSignal;
}

/** The services outside of the fleet that the manager calls, by the names that RolloutPolicies use. */
export interface OutsideServices {
  /** The providers that policies may name. Policies with other providers are rejected. */
  readonly providerNames: readonly string[];
  readonly connect: (manager: Client) => Pick<HubOptions, 'metricsProviders' | 'notificationTargets'>;
}

/** A hub with its manager, and simulated clusters with their agents, all in this process. */
export interface LocalFleet {
  readonly hub: Client;
  readonly url: string;
  /** The URL of the manager's metrics; empty if they are not served. */
  readonly metricsUrl: string;
  readonly clusterNames: readonly string[];
  /** A kubeconfig with one context per server that has a port, `hub` first. */
  readonly kubeconfig: string;
  /** Whether the clusters keep their objects on disk. Otherwise their agents apply them again after every start. */
  readonly isDurable: boolean;
  cluster(name: string): Client;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** The number of clusters that start concurrently. Each waits for the hub's disk during part of its start. */
const AT_ONCE = 16;
/**
 * With more clusters than this, only the hub is kept on disk, because filling two hundred databases on one disk takes minutes. After a
 * restart the agents apply the objects of the simulated clusters again.
 */
const MAX_DURABLE_CLUSTERS = 10;

/**
 * The default of `maxFullClusters`. The API server and the agent of one cluster take about 100 ms of processor time until the sample
 * add-ons are available, and about 1 MB of memory.
 */
const MAX_FULL_CLUSTERS = 100;
/** Clusters without a separate agent cannot become unavailable, so their leases are renewed rarely. */
const LIGHT_LEASE_SECONDS = 300;
const READY_AFTER_MS = 1_000;

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
  /**
   * The functions that stop the parts of the fleet. They are called in reverse order, so that clients of a server stop before the server.
   */
  readonly #stops: (() => Promise<void>)[] = [];
  #hubServer: ControlPlane | undefined;
  #hub: Client | undefined;
  #manager: Manager | undefined;
  #hubPort: Served | undefined;
  #metricsUrl = '';
  #credentials: Promise<Credentials> | undefined;
  #light: LightClusters | undefined;
  /** The clusters that need an API server and an agent but do not have them yet. */
  readonly #needAgents: string[] = [];
  #startingAgents = 0;

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
    if (!client) throw new Error(`there is no simulated cluster ${name} with an API server`);
    return client;
  }

  async start(): Promise<void> {
    const { runtime, port } = this.#options;
    this.#options.progress?.('hub');
    const server = await this.#startHubServer();
    this.#hub = createClient({ transport: server.transport(), runtime });
    this.#hubPort = await server.serve({ port, name: 'hub' });
    this.#served.push({ name: 'hub', kubeconfig: this.#hubPort.adminKubeconfig });
    // The manager gets exactly the permissions that `install hub` grants, so that a missing permission is detected in the local fleet
    // instead of on a real hub.
    for (const object of hubRights({ hasTokens: true })) await applyRight(this.hub, object);
    const metrics = createPrometheusMetrics();
    const client = createClient({ transport: server.transport(serviceAccountIdentity(await this.#managerAccount())), runtime, metrics });
    const outside = this.#options.outside?.connect(client);
    const manager = createHub({ runtime, client, namespace: HUB_NAMESPACE, metrics, ...outside });
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
    const admission = createAdmission({
      view: () => (this.#manager?.hasReadAll ? this.#manager.view : undefined),
      client: () => this.hub,
      clock: runtime.clock,
      settings: {
        managerNamespace: HUB_NAMESPACE,
        trustedUsers: [SYSTEM.user, serviceAccountUser(HUB_NAMESPACE, HUB_ACCOUNT)],
        checkMissingExecutor: false,
        analysisProviders: this.#options.outside?.providerNames ?? [],
      },
    });
    const server = await createControlPlane({
      runtime,
      storage: this.#storage('hub'),
      crds: KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind, 'in-process')),
      convert: convertObject,
      admission: [hubAdmission(admission)],
      webhookAddresses: this.#options.allowWebhookAddress ?? [],
      ...(this.#options.simulateHubWorkloads ? { simulateWorkloads: { pods: true } } : {}),
    });
    this.#hubServer = server;
    this.#stops.push(() => server.stop());
    await server.start();
    return server;
  }

  /** Starts a few clusters at a time. This takes no longer than starting all at once, and shows progress earlier. */
  async #startClusters(): Promise<void> {
    const { clusterPorts } = this.#options;
    if (this.#isLarge) this.#light = await this.#startLightClusters();
    const waiting = this.clusterNames.map((name, index) => ({ name, hasPort: index < clusterPorts }));
    let started = 0;
    const next = async (): Promise<void> => {
      for (let job = waiting.shift(); job; job = waiting.shift()) {
        this.#options.signal?.throwIfAborted();
        if (this.#isLarge && !job.hasPort) await this.#addLightCluster(job.name);
        else await this.#startCluster(job.name, job.hasPort);
        this.#options.progress?.(`cluster ${++started} of ${this.clusterNames.length}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  async #addLightCluster(name: string): Promise<void> {
    this.#light?.add(name);
    await ensureCluster(this.hub, name, { leaseDurationSeconds: LIGHT_LEASE_SECONDS });
  }

  /** Starts clusters without API servers. Their kinds and facts are read from one full cluster, which is then stopped. */
  async #startLightClusters(): Promise<LightClusters> {
    const { readyAfterMs = READY_AFTER_MS, runtime: own } = this.#options;
    const runtime = this.#runtimeOf('light');
    const model = await this.#startServer('model', 'memory', false);
    const client = createClient({ transport: model.transport(), runtime });
    const facts = await readClusterFacts(client, runtime.scope.signal);
    const served = await client.discovery.resources();
    const kinds = new Map(served.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]));
    await model.stop();
    const light = new LightClusters({
      runtime,
      hub: this.hub,
      facts,
      kindOf: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`),
      readyAfterMs,
      onNeedsAgent: (name) => {
        this.#needAgents.push(name);
        if (this.#startingAgents < AT_ONCE) void this.#startAgents(own);
      },
    });
    light.start();
    this.#stops.push(() => light.stop());
    return light;
  }

  /** Starts the clusters that need an API server and an agent, one after the other. */
  async #startAgents({ log, scope }: Runtime): Promise<void> {
    this.#startingAgents += 1;
    for (let name = this.#needAgents.shift(); name !== undefined && !scope.signal.aborted; name = this.#needAgents.shift()) {
      await this.#startCluster(name, false).catch((error: unknown) =>
        log.error({ cluster: name, error: errorMessage(error) }, 'a simulated cluster did not start'),
      );
    }
    this.#startingAgents -= 1;
  }

  async #startServer(name: string, storage: Storage, pods: boolean): Promise<ControlPlane> {
    const { readyAfterMs } = this.#options;
    const server = await createControlPlane({
      runtime: this.#runtimeOf(name),
      storage,
      crds: CLUSTER_DEFINITIONS,
      ...(storage === 'memory' ? { credentials: await this.#sharedCredentials() } : {}),
      // ReplicaSets and pods use memory, so they are simulated only on clusters that have a port and can therefore be inspected.
      simulateWorkloads: { pods, ...(readyAfterMs === undefined ? {} : { readyAfterMs }) },
    });
    await server.start();
    return server;
  }

  async #startCluster(name: string, hasPort: boolean): Promise<void> {
    const runtime = this.#runtimeOf(name);
    const storage = this.isDurable ? this.#storage(join('clusters', name)) : 'memory';
    const server = await this.#startServer(name, storage, hasPort);
    this.#stops.push(() => server.stop());
    if (hasPort) this.#served.push({ name, kubeconfig: (await server.serve({ name })).adminKubeconfig });
    const cluster = createClient({ transport: server.transport(), runtime });
    this.#clusters.set(name, cluster);
    await this.#join(name, runtime, cluster);
  }

  /** In-memory clusters share their keys, because creating keys takes as long as the rest of a cluster's start. */
  #sharedCredentials(): Promise<Credentials> {
    this.#credentials ??= loadCredentials(this.#options.runtime, memoryVault());
    return this.#credentials;
  }

  /**
   * Returns a runtime with a separate scope for each cluster. Every request listens to the signal of its scope, and adding or removing a
   * listener searches the list of all listeners of the signal. With two hundred clusters on one signal, this search takes more time than
   * all their other work.
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
    return this.#options.clusters <= MAX_DURABLE_CLUSTERS && !this.#isLarge;
  }

  /** Whether clusters without a port get an API server and an agent only when an add-on needs them. */
  get #isLarge(): boolean {
    return this.#options.clusters > (this.#options.maxFullClusters ?? MAX_FULL_CLUSTERS);
  }

  #storage(folder: string): Storage {
    const { dataDir } = this.#options;
    return dataDir === undefined ? 'memory' : { dir: join(dataDir, folder) };
  }

  async stop(): Promise<void> {
    // Agents and clusters stop together, each agent before its cluster; then the manager stops, then the hub's server, so that no part
    // waits for a stopped server.
    const stops = this.#stops.splice(0).reverse();
    const hubParts = stops.splice(Math.max(0, stops.length - 2));
    await Promise.all(stops.map((stop) => stop()));
    for (const stop of hubParts) await stop();
  }
}
