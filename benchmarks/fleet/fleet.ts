import { addOnTemplates, clusterManagementAddOns } from '@outrigger/api';
import { type Client, createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { installKinds } from '../../test/harness/index.js';
import { addCluster, templateOf } from '../../test/integration/addon/objects.js';
import { eventually } from '../../test/world/eventually.js';
import { ALMOST_IDLE, type Quiet, ensureNamespace, runtime, until, untilQuiet } from '../footprint/hub.js';
import { type Contestant, startEmbeddedProcess, startRealKube } from '../servers/contestants.js';
import { type Probable, startProbedCommand } from '../servers/processes.js';
import { declareAddOn } from './declare.js';
import { joinClusters, untilAvailable } from './join-clusters.js';
import { keptFleet, keptFleetProblem } from './kept-fleet.js';
import { isReady } from './manager-requests.js';
import { type ManagerUse, NOTHING_USED, sumOfUse, useOf } from './manager-use.js';
import { type Observer, observeFleet } from './observer.js';
import type { FleetOptions } from './options.js';
import { type Swarm, startSwarm } from './swarm.js';

/** A manager process, and the port of its metrics. */
export interface Manager extends Probable {
  readonly metricsPort: number;
  /** The time from the start of the process until the manager had read the fleet. */
  readonly readyMs: number;
}

/** The fleet under measurement: the API server, its manager, the agents and the watches of the benchmark. */
export interface Fleet {
  readonly options: FleetOptions;
  readonly server: Contestant;
  readonly client: Client;
  readonly swarm: Swarm;
  readonly seen: Observer;
  readonly addOns: readonly string[];
  /** The time limit of a scenario. */
  readonly limitMs: number;
  /** The manager's flags, except in scenarios that need other flags. */
  readonly managerFlags: readonly string[];
  /** When a manager with these flags counts as quiet. */
  readonly quiet: Quiet;
  /** How often each agent renews its lease, except in scenarios about leases; 0 if no controller reads the leases. */
  readonly renewSeconds: number;
  /** Whether the fleet comes from the store of an earlier run, with its add-ons installed. */
  readonly isKept: boolean;
  /** The managers that run now. */
  readonly managers: readonly Manager[];
  /** Returns the resources that all managers of the run have used so far, including managers that have stopped. */
  used(): Promise<ManagerUse>;
  /** Returns the number of clusters, including those that joined during the run. */
  clusterCount(): number;
  /** Adds clusters to the fleet. Their numbers continue those of the existing clusters. */
  addClusters(count: number): Promise<void>;
  /**
   * Starts a manager with these additional flags. Resolves when it has read the fleet and is quiet, by default as `quiet` of the fleet says.
   */
  startManager(flags: readonly string[], quiet?: Quiet): Promise<Manager>;
  /** Stops a manager with SIGTERM, or with SIGKILL to simulate a crash. */
  stopManager(manager: Manager, signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Declares all add-ons. */
  declare(): Promise<void>;
  /** Sets the image in the templates of all add-ons; by default an image that was not used before. */
  edit(image?: string): Promise<void>;
  /** Returns the image of the current content. */
  image(): string;
  /** Changes the install strategy of all add-ons. */
  strategy(installStrategy: object): Promise<void>;
  stop(): Promise<void>;
}

/** The install strategy that installs an add-on on all clusters at once. */
export const EVERYWHERE = { type: 'ClusterLabelSelector', labelSelector: {}, rolloutStrategy: null, placements: null };

/** Flags for a manager with all its controllers. */
const ALL = ['--no-leader-election'];

/**
 * Flags for a manager that only manages add-ons. The clusters are already accepted and selected, so that only the work for add-ons is
 * measured.
 */
const ADD_ONS_ONLY = ['--no-leader-election', '--no-registration', '--no-placement'];

/** Flags for a manager whose clusters join by themselves. */
const WITH_REGISTRATION = ['--no-leader-election', '--no-placement'];

/** The time that is added to the limit of a scenario for each add-on on each cluster. */
const LIMIT_PER_ADD_ON_MS = 100;

/**
 * The limit for a manager that receives lease renewals. The renewals keep the manager busy, so it counts as quiet below a tenth of a core.
 */
export const QUIET_WITH_LEASES: Quiet = { cpuMs: 200, windowMs: 2_000 };

export async function startFleet(options: FleetOptions, ports: readonly number[]): Promise<Fleet> {
  const { storeFolder } = options;
  const kept = storeFolder === undefined ? undefined : keptFleet(storeFolder);
  const problem = kept && keptFleetProblem(kept, options);
  if (problem !== undefined) throw new Error(problem);
  const server: Contestant = await (options.hub === 'kube'
    ? startRealKube()
    : startEmbeddedProcess(options.tls ? [] : ['--no-tls'], storeFolder));
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfig });
  const transport = createHttpTransport(connection, runtime, { connections: 16, env: {} });
  const client = createClient({ transport, runtime, limits: { inFlight: 64 } });
  if (server.kube) await installKinds(server.kube, client, (what, condition) => eventually(runtime, what, condition));
  for (const name of ['open-cluster-management-hub', 'open-cluster-management-agent-addon']) await ensureNamespace(client, name);

  const addOns = Array.from({ length: options.addOns }, (_, index) => `addon${index}`);
  const limitMs = 600_000 + options.clusters * options.addOns * LIMIT_PER_ADD_ON_MS;
  const managers: Manager[] = [];
  let stopped: ManagerUse = NOTHING_USED;
  let clusters = kept?.clusters ?? 0;
  let image = kept?.image ?? imageOf(1);
  let versions = Number(image.slice(imageOf('').length));
  const swarm = await startSwarm(server.kubeconfig, options);
  const addClusters = async (count: number): Promise<void> => {
    for (const end = clusters + count; clusters < end; ) {
      const batch = Array.from({ length: Math.min(50, end - clusters) }, (_, index) => `c${clusters + index}`);
      if (options.agents === 'real') await joinClusters(client, swarm, batch);
      else await Promise.all(batch.map((name) => addCluster({ hub: client }, name)));
      clusters += batch.length;
    }
    if (options.agents === 'real') await untilAvailable(client, clusters, limitMs);
  };
  // Clusters with real agents can join only while a manager runs, so they are added later.
  if (options.agents === 'swarm') await addClusters(options.clusters - clusters);
  const isWhole = options.controllers === 'all';
  const renewSeconds = isWhole ? options.renewSeconds : 0;
  const usualQuiet = isWhole ? QUIET_WITH_LEASES : ALMOST_IDLE;
  // Renew before a manager starts, so that it does not report the clusters as unreachable.
  if (renewSeconds > 0) await swarm.renewLeases(renewSeconds);
  const seen = observeFleet(client);
  if (kept) await until('the watches show the kept fleet', () => seen.settled() === kept.clusters * kept.addOns, limitMs);
  return {
    options,
    server,
    client,
    swarm,
    seen,
    addOns,
    limitMs,
    managerFlags: isWhole ? ALL : options.agents === 'real' ? WITH_REGISTRATION : ADD_ONS_ONLY,
    quiet: usualQuiet,
    renewSeconds,
    managers,
    isKept: kept !== undefined,
    async used() {
      const running = await Promise.all(managers.map(useOf));
      return running.reduce(sumOfUse, stopped);
    },
    clusterCount: () => clusters,
    addClusters,
    image: () => image,
    async startManager(flags, quiet = usualQuiet) {
      const metricsPort = ports.find((port) => !managers.some((one) => one.metricsPort === port));
      if (metricsPort === undefined) throw new Error('no port is left for the metrics of another manager');
      const args = ['--kubeconfig', server.kubeconfig, 'hub', ...flags, '--metrics-port', String(metricsPort), '--log-level', 'info'];
      const startedAt = performance.now();
      const started = startProbedCommand(args);
      await started.printed('starting the add-on manager');
      await until('the manager is ready', () => isReady(metricsPort), limitMs);
      const manager: Manager = { ...started, metricsPort, readyMs: performance.now() - startedAt };
      managers.push(manager);
      await untilQuiet(manager, quiet);
      return manager;
    },
    async stopManager(manager, signal) {
      stopped = sumOfUse(stopped, await useOf(manager));
      await manager.stop(signal);
      managers.splice(managers.indexOf(manager), 1);
    },
    async declare() {
      await Promise.all(addOns.map((name) => declareAddOn(client, name, { image })));
    },
    async edit(next = imageOf(++versions)) {
      image = next;
      for (const name of addOns) {
        const { spec } = templateOf(name, { image });
        await client.patch(addOnTemplates, { name }, { type: 'merge', patch: { spec: spec as never } });
      }
    },
    async strategy(installStrategy) {
      for (const name of addOns) {
        const patch = { spec: { installStrategy: installStrategy as never } };
        await client.patch(clusterManagementAddOns, { name }, { type: 'merge', patch });
      }
    },
    async stop() {
      for (const manager of managers) await manager.stop();
      await swarm.stop();
      await transport.close();
      await server.stop();
    },
  };
}

function imageOf(version: number | ''): string {
  return `example.com/agent:${version}`;
}
