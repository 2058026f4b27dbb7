import { type AgentSettings, type JoiningAgent, type JoiningAgentOptions, createJoiningAgent } from '@outrigger/agent';
import type { ControlPlane, Identity } from '@outrigger/control-plane';
import type { ApiRequest, Transport } from '@outrigger/core';
import { createHub } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { CALM, type Faults, type Simulator, type VirtualRuntime, connect } from '@outrigger/kube/testing';
import { BOOTSTRAP_GROUP, acceptCluster, allowBootstrap } from './bootstrap-rights.js';
import { CLUSTER, type IdentityWorld, announced, clusterConditionIs, giveBootstrap, joined } from './scenario.js';
import { authenticated } from '../../world/authenticated.js';
import { type Definition, definitionsOf } from '../../world/simulation.js';
import { type Interference, SimulatedWorld, interfering } from '../../world/simulated.js';

const HUB_KINDS = new Set([
  'ClusterManagementAddOn',
  'ManagedClusterAddOn',
  'AddOnDeploymentConfig',
  'AddOnTemplate',
  'AddOnRollout',
  'ManifestWork',
  'ManagedCluster',
  'ManagedClusterSet',
  'ManagedClusterSetBinding',
  'AddOnPlacementScore',
  'Placement',
  'PlacementDecision',
]);
const CLUSTER_KINDS = new Set(['AppliedManifestWork', 'ClusterClaim']);
/** Checks are infrequent, because each one sends a request, which is part of the simulation. */
const CHECK_EVERY_MS = 500;

/** The identity behind each bootstrap token in these worlds. */
export const TOKENS: Readonly<Record<string, Identity>> = {
  joiner: { user: 'system:bootstrap:joiner', groups: ['system:bootstrappers', BOOTSTRAP_GROUP, 'system:authenticated'] },
  stranger: { user: 'system:bootstrap:stranger', groups: ['system:bootstrappers', BOOTSTRAP_GROUP, 'system:authenticated'] },
};

export interface AgentProcess {
  readonly runtime: VirtualRuntime;
  readonly agent: JoiningAgent;
  /** The faults of the connection between the agent and the hub. Change them to cut the connection. */
  readonly faults: Faults;
  readonly cluster: Client;
  /** The requests that the agent has sent so far. */
  readonly traffic: Traffic;
  crash(): void;
}

export interface Traffic {
  readonly hub: ApiRequest[];
  readonly cluster: ApiRequest[];
}

/** A hub and managed clusters under one virtual clock. */
export class VirtualWorld {
  readonly simulator: Simulator;
  readonly hubServer: ControlPlane;
  readonly hubRuntime: VirtualRuntime;
  readonly hub: Client;
  readonly person: VirtualRuntime;
  readonly #world: SimulatedWorld;
  readonly #clusters = new Map<string, ControlPlane>();
  /** The certificates that the hub rejects although they have not expired, because their CA was replaced. */
  readonly distrusted = new Set<string>();
  readonly #trust = { tokens: TOKENS, distrusted: this.distrusted };

  private constructor(world: SimulatedWorld, hubRuntime: VirtualRuntime, hubServer: ControlPlane) {
    this.#world = world;
    this.simulator = world.simulator;
    this.person = world.person;
    this.hubRuntime = hubRuntime;
    this.hubServer = hubServer;
    this.hub = world.client(hubServer.transport());
  }

  /** Starts the world. `adapt` changes the CRDs that the hub serves. */
  static async start(seed: number, adapt: (crd: Definition) => Definition = (crd) => crd): Promise<VirtualWorld> {
    const world = await SimulatedWorld.create(seed);
    const runtime = world.process('hub');
    const server = await world.run(world.startServer('hub', { runtime, crds: definitionsOf(HUB_KINDS).map(adapt) }));
    const started = new VirtualWorld(world, runtime, server);
    await started.run(allowBootstrap(started.hub));
    return started;
  }

  /** Starts the hub's manager, which accepts clusters that join with the `joiner` token. */
  startManager(traffic: ApiRequest[] = []): VirtualRuntime {
    const runtime = this.#world.process('manager');
    const client = this.#world.client(noted(this.hubServer.transport(), traffic), runtime);
    const manager = createHub({ runtime, client, namespace: 'default', bootstrap: { users: ['system:bootstrap:joiner'], groups: [] } });
    void manager.start();
    return runtime;
  }

  /** Starts an agent on a new managed cluster, or on the existing one with this name. */
  async startAgent(
    place = CLUSTER,
    settings: AgentSettings = {},
    clusterName = CLUSTER,
    interfere: Interference = () => 'pass',
    more: Partial<JoiningAgentOptions> = {},
  ): Promise<AgentProcess> {
    const { simulator } = this;
    const server = this.#clusters.get(place) ?? (await this.#startCluster(place));
    const runtime = this.#world.process(`agent-${place}-${simulator.now}`);
    const faults: Faults = { ...CALM };
    const traffic: Traffic = { hub: [], cluster: [] };
    const crash = (): void => {
      runtime.crash();
      simulator.schedule(1_000, () => void this.startAgent(place, settings, clusterName));
    };
    const through = (transport: Transport, requests: ApiRequest[]): Transport =>
      interfering(noted(transport, requests), (request) => (runtime.scope.isCut ? 'pass' : interfere(request)), crash);
    const local = this.#world.client(through(server.transport(), traffic.cluster), runtime);
    const agent = createJoiningAgent({
      runtime,
      cluster: local,
      clusterName,
      agentName: 'agent',
      settings,
      connectHub: (config) => {
        let current = config;
        const transport = authenticated(this.hubServer, this.hubRuntime, () => current, this.#trust);
        return {
          ...connect(simulator, through(transport, traffic.hub), { client: runtime, faults }),
          update: (next) => {
            current = next;
          },
        };
      },
      ...more,
    });
    agent.start();
    return { runtime, agent, faults, traffic, cluster: this.clientOf(place), crash: () => runtime.crash() };
  }

  /** Starts an agent and waits until its cluster has joined and is available. */
  async join(place = CLUSTER, settings: AgentSettings = {}): Promise<{ readonly story: IdentityWorld; readonly process: AgentProcess }> {
    const story = await this.story(place);
    await giveBootstrap(story, { token: 'joiner' });
    const process = await this.startAgent(place, settings, place);
    await announced(story, place);
    await acceptCluster(this.hub, place);
    await joined(story);
    await clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True', place);
    return { story, process };
  }

  async #startCluster(place: string): Promise<ControlPlane> {
    const options = { crds: definitionsOf(CLUSTER_KINDS), simulateWorkloads: { readyAfterMs: 200 } };
    const server = await this.run(this.#world.startServer(`server-${place}`, options));
    this.#clusters.set(place, server);
    return server;
  }

  async cluster(place = CLUSTER): Promise<Client> {
    if (!this.#clusters.has(place)) await this.#startCluster(place);
    return this.clientOf(place);
  }

  clientOf(place: string): Client {
    return this.#world.client((this.#clusters.get(place) as ControlPlane).transport());
  }

  /** Returns this world as an IdentityWorld with one managed cluster. */
  async story(place = CLUSTER): Promise<IdentityWorld> {
    return {
      hub: this.hub,
      cluster: await this.cluster(place),
      hubServer: 'https://hub.example:6443',
      hubCa: this.hubServer.authority,
      runtime: this.person,
      eventually: this.#world.eventually(CHECK_EVERY_MS),
      connect: (config) => this.#world.client(authenticated(this.hubServer, this.hubRuntime, () => config, this.#trust)),
    };
  }

  run<T>(work: Promise<T>): Promise<T> {
    return this.#world.run(work);
  }
}

function noted(inner: Transport, requests: ApiRequest[]): Transport {
  return {
    send(request, signal) {
      requests.push(request);
      return inner.send(request, signal);
    },
    close: () => inner.close(),
  };
}
