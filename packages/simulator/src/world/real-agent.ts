import {
  type WorkAgent,
  ClusterKinds,
  Permissions,
  ReleaseProblems,
  appliedWorkController,
  workController,
  works,
} from '@outrigger/agent/controllers';
import { appliedManifestWorks, deployments, managedClusters, namespaces } from '@outrigger/api';
import { type Kind, type KubeObject, apiVersionOf } from '@outrigger/core';
import type { AnyController } from '@outrigger/kube';
import { type ApiEvent, HubProcess, MemoryApi, effectClient } from '../engine/index.js';
import { ClusterObjects } from './cluster-objects.js';
import { Kubelet } from './kubelet.js';
import { ModelAgent } from './model-agent.js';
import type { ClusterName } from './objects.js';
import type { World } from './world.js';

const HUB = 'hub';
const CLUSTER = 'cluster';
const HUB_SERVER = 'https://hub.example.com';
const INSTALL_NAMESPACE = 'open-cluster-management-agent-addon';
/** The eviction grace period. It is shorter than the time for which the simulator observes the settled hub at the end of a run. */
const EVICTION_GRACE_MS = 5 * 60_000;

/** One cluster with its own API server and workloads, and with the shipped work controllers of the agent. */
export class RealAgent {
  readonly cluster: ClusterName;
  readonly clusterApi: MemoryApi;
  readonly #world: World;
  readonly #heart: ModelAgent;
  readonly #kubelet: Kubelet;
  #process: HubProcess | undefined;
  #objects: ClusterObjects | undefined;
  #incarnations = 0;
  #isConnected = false;
  #isCollecting = false;
  /** The number of writes after which the process crashes, and the time for which it then stays down. */
  #crash: { writes: number; readonly downMs: number } | undefined;

  constructor(cluster: ClusterName, world: World) {
    this.cluster = cluster;
    this.#world = world;
    this.#heart = new ModelAgent(cluster, world, false);
    this.clusterApi = new MemoryApi(() => world.agenda.now);
    this.#kubelet = new Kubelet(this.clusterApi, world.agenda);
    const metadata = { name: INSTALL_NAMESPACE };
    this.clusterApi.create({ name: 'person' }, namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    this.clusterApi.onChange = (event) => this.#changed(event);
    this.clusterApi.onRequest = (actor, verb, kind, id) => world.api.onRequest(actor, verb, kind, `${cluster}: ${id}`);
  }

  /** Names of works whose objects are on the cluster. */
  get applied(): readonly string[] {
    return Array.from(this.clusterApi.list(appliedManifestWorks), ({ spec }) => `${this.cluster}/${spec?.manifestWorkName ?? ''}`);
  }

  get isAway(): boolean {
    return this.#heart.isAway;
  }

  start(): void {
    this.#heart.start();
    this.#boot();
  }

  notice(event: ApiEvent): void {
    this.#heart.notice(event);
    if (event.kind.plural === managedClusters.plural && event.id === this.cluster) this.#connect();
    if (this.#isConnected) this.#process?.offer(event);
  }

  joined(): void {
    this.#heart.joined();
  }

  leave(): void {
    this.#heart.leave();
    this.#connect();
  }

  comeBack(): void {
    this.#heart.comeBack();
    this.#connect();
    this.#crash = undefined;
    if (this.#process?.isDead) this.#boot();
  }

  flap(forMs: number): void {
    this.#kubelet.flap(forMs);
  }

  crashAfter(writes: number, downMs: number): void {
    this.#crash = { writes, downMs };
  }

  /** Makes an edit on behalf of a user of the cluster, who does not know about the hub. */
  person(
    write: (api: MemoryApi, deployment: { readonly kind: Kind; readonly key: { namespace: string; name: string } }) => unknown,
    addOn: string,
  ): void {
    const key = { namespace: INSTALL_NAMESPACE, name: `${addOn}-agent` };
    this.#world.person(() => write(this.clusterApi, { kind: deployments, key }));
  }

  #connect(): void {
    const isThere = this.#world.api.find(managedClusters, { name: this.cluster }) !== undefined;
    const isConnected = isThere && !this.#heart.isAway;
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    for (const stream of this.#process?.streams() ?? []) {
      if (stream.resource.api !== HUB) continue;
      if (isConnected) stream.restore();
      else stream.sever();
    }
  }

  #boot(): void {
    const { api, agenda, random, disturbances } = this.#world;
    const name = `agent-${this.cluster}#${++this.#incarnations}`;
    this.#objects?.close();
    const objects = new ClusterObjects(this.clusterApi, agenda, random);
    this.#objects = objects;
    const clock = { now: () => agenda.now, monotonic: () => agenda.now };
    const client = effectClient(this.clusterApi, { name: `agent ${this.cluster}` });
    const agent: WorkAgent = {
      clusterName: this.cluster,
      hubServer: HUB_SERVER,
      agentId: `id-${this.cluster}`,
      evictionGraceMs: EVICTION_GRACE_MS,
      feedback: { isRawJsonAllowed: false, maxJsonLength: 1024, reasonAfterMs: 10_000 },
      live: objects as unknown as WorkAgent['live'],
      kinds: new ClusterKinds(client, clock),
      permissions: new Permissions(client, clock),
      releaseProblems: new ReleaseProblems(this.cluster),
    };
    const hubWorks = works(this.cluster);
    const process = new HubProcess({
      slot: `agent ${this.cluster}`,
      name,
      controllers: [workController(hubWorks, agent), appliedWorkController(hubWorks, agent)] as readonly AnyController[],
      apis: { [HUB]: api, [CLUSTER]: this.clusterApi },
      agenda,
      random,
      weather: {
        watchLagMs: (slot, resource) => disturbances.watchLagMs(slot, resource),
        requestMs: () => disturbances.requestMs(),
        fate: (_, server) => (server === HUB && !this.#isConnected ? 'lost' : disturbances.fate()),
      },
      projections: this.#world.projections,
      namespaces: new Map(),
      clockOffsetMs: () => 0,
      onDefect: (error, controller, key) => this.#world.defects.push({ at: agenda.now, process: name, controller, key, error }),
      onPass: () => {
        this.#world.passes++;
      },
      onWrite: () => this.#countWrite(),
      paceMs: 3,
      pinRevisions: false,
    });
    this.#process = process;
    this.#isConnected = true;
    this.#connect();
    process.lead();
  }

  #countWrite(): void {
    if (!this.#crash || --this.#crash.writes > 0) return;
    const { downMs } = this.#crash;
    this.#crash = undefined;
    this.#process?.crash();
    this.#world.agenda.after(downMs, () => {
      if (this.#process?.isDead) this.#boot();
    });
  }

  #changed(event: ApiEvent): void {
    this.#process?.offer(event);
    this.#objects?.notice(event);
    this.#kubelet.notice(event);
    if (event.after === undefined) this.#collect();
  }

  /** Simulates the cluster's garbage collector. */
  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    this.#world.agenda.after(1 + this.#world.random.below(20), () => {
      this.#isCollecting = false;
      for (const { plural, object } of this.clusterApi.orphans()) {
        const { name = '', namespace, uid } = object.metadata;
        const kind = { ...(deployments as Kind), plural };
        this.clusterApi.remove({ name: 'garbage collector' }, kind, namespace === undefined ? { name } : { namespace, name }, { uid });
      }
    });
  }
}

/** A Deployment that a user of the cluster creates by hand. */
export function unownedDeployment(key: { readonly namespace: string; readonly name: string }): KubeObject {
  const spec = { replicas: 1, template: { spec: { containers: [{ name: 'agent', image: 'foreign:good-0' }] } } };
  return {
    apiVersion: apiVersionOf(deployments),
    kind: deployments.kind,
    metadata: { ...key, labels: { by: 'hand' } },
    spec,
  } as KubeObject;
}
