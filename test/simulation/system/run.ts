import { createAgent } from '@outrigger/agent';
import {
  ALL_CLUSTER_AGENTS_GROUP,
  KIND_DEFINITIONS,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
} from '@outrigger/api';
import { createHub } from '@outrigger/hub';
import { CALM } from '@outrigger/kube/testing';
import {
  CLUSTERS,
  type GenerateOptions,
  type History,
  type Step,
  type Violation,
  detachedClusters,
  generate,
  isFault,
  judgeCertificates,
  judgeSystem,
} from '@outrigger/simulator';
import { RestartableServer } from '../../world/restartable-server.js';
import { SimulatedProcess } from '../../world/simulated-process.js';
import { FAULTY_NETWORK, SimulatedWorld } from '../../world/simulated.js';
import { definitionsOf } from '../../world/simulation.js';
import { CertifiedAgent, type CertifiedAgentOptions } from './certified-agent.js';
import { type Cluster, type System, disturb, endFaults } from './faults.js';
import { changes, evidenceOf, followConditions, followVersions, heal, phasesOf, prepare, settle } from './hub-state.js';
import { actOnHub } from './people.js';
import { HubWebhooks, MANAGER, USER } from './webhooks.js';

const HUB_GROUPS = /open-cluster-management\.io$|^outrigger\.dev$/;
/** The kinds that an agent needs on its cluster. */
export const CLUSTER_KINDS: ReadonlySet<string> = new Set(['AppliedManifestWork', 'ClusterClaim']);
const CONTENT_NAMESPACE = 'default';
/** How often a user tries a step that the API server cannot handle, and the time between two tries. */
const USER_TRIES = 3;
const TRY_AGAIN_MS = 2_000;
const EVICTION_GRACE_MS = 60_000;
const QUIET_MS = 45_000;
/**
 * A longer time, for histories with faults that agents notice late: an agent whose requests were refused for a minute waits longer than that
 * until it tries again, and the hub compares the clock of an agent with its own when the agent renews its lease, every four to five minutes.
 */
const LONG_QUIET_MS = 320_000;
const NOTICED_LATE: ReadonlySet<Step['do']> = new Set<Step['do']>(['webhook outage', 'agent clock']);
const SETTLE_MS = 40 * 60_000;

/** A run of the second layer: whole servers, a manager and agents in one process under the virtual clock. */
export interface SystemRun {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly virtualMs: number;
  /** Requests, answers and log lines of all processes, in order. Equal histories give equal logs. */
  readonly log: readonly string[];
  /** The state of each add-on's rollout when a step was executed, by step. */
  readonly phases: readonly ReadonlyMap<string, string>[];
  /** Every condition that an object on the hub has had, as `followConditions` returns them. */
  readonly conditions: ReadonlySet<string>;
}

/** Returns the history of a seed. It has fewer steps than a history of the first layer. */
export function systemHistory(seed: number, options: Partial<GenerateOptions> = {}): History {
  return generate(seed, { actions: 8, registered: 0, later: 0, system: 0.6, ...options });
}

/** Runs a history on the whole system, and checks its final state with the rules of the model. */
export async function runSystem(history: History): Promise<SystemRun> {
  const simulated = await SimulatedWorld.create(history.seed);
  const { simulator } = simulated;
  const hasFaults = history.steps.some(({ step }) => isFault(step));
  const network = hasFaults ? FAULTY_NETWORK : CALM;
  const crds = definitionsOf(new Set(KIND_DEFINITIONS.filter(({ group }) => HUB_GROUPS.test(group)).map(({ kind }) => kind)));
  const webhooks = history.steps.some(({ step }) => step.do === 'webhook outage') ? new HubWebhooks(simulator) : undefined;
  const hubServer = await simulated.run(
    RestartableServer.start(simulated, 'hub', { crds, ...(webhooks ? { webhooks: webhooks.transport } : {}) }),
  );
  const hub = hubServer.client(simulated.person, CALM, webhooks && USER);
  const versionsOf = followVersions(hubServer);
  const conditions = followConditions(hubServer);
  const manager = new SimulatedProcess(simulator, 'manager', (runtime) => {
    const client = hubServer.client(runtime, network, webhooks && MANAGER);
    const created = createHub({ runtime, client, namespace: CONTENT_NAMESPACE });
    webhooks?.serve(created, runtime, client);
    return created;
  });
  const expiring = new Set(history.steps.flatMap(({ step }) => (step.do === 'certificate expires' ? [step.cluster] : [])));
  const clusters = new Map<string, Cluster>();
  for (const name of CLUSTERS) {
    const options = { crds: definitionsOf(CLUSTER_KINDS), simulateWorkloads: { readyAfterMs: 2_000 } };
    const server = await simulated.run(RestartableServer.start(simulated, name, options));
    const shared = { world: simulated, cluster: name, hubServer, hub, server, network, evictionGraceMs: EVICTION_GRACE_MS };
    const certified = expiring.has(name) ? new CertifiedAgent(shared) : undefined;
    clusters.set(name, { server, api: server.client(), certified, agent: certified?.process ?? knownAgent(shared) });
  }
  const system: System = { hubServer, manager, webhooks, clusters };
  const processes = [manager, ...[...clusters.values()].map(({ agent }) => agent)];
  const phases: ReadonlyMap<string, string>[] = [];
  const sleep = (ms: number): Promise<void> => simulated.person.timers.sleep(ms);
  return simulated.run(
    (async (): Promise<SystemRun> => {
      await prepare(hub);
      for (const { certified } of clusters.values()) await certified?.join();
      for (const process of processes) process.start();
      await webhooks?.publish(hub, simulated.person, hubServer.authority);
      for (const { afterMs, step } of history.steps) {
        await sleep(afterMs);
        // A user waits until the hub answers. A fault does not.
        if (!isFault(step)) await hubServer.up();
        phases.push(hubServer.isUp ? await phasesOf(hub) : (phases.at(-1) ?? new Map()));
        if (isFault(step)) disturb(system, step);
        else for (let tries = 1; !(await actOnHub(hub, step)) && tries < USER_TRIES; tries++) await sleep(TRY_AGAIN_MS);
      }
      await endFaults(system, sleep);
      await heal(hub);
      const isAtRest = async (): Promise<boolean> => [...clusters.values()].every(({ certified }) => certified?.hasJoined ?? true);
      const quietMs = history.steps.some(({ step }) => NOTICED_LATE.has(step.do)) ? LONG_QUIET_MS : QUIET_MS;
      const settling = { quietMs, limitMs: SETTLE_MS, everyMs: 5_000, versionsOf, isAtRest };
      const hasSettled = await settle(hub, simulated.person, settling);
      const before = await versionsOf();
      manager.crash(1);
      await sleep(QUIET_MS);
      const restartRequests = changes(before, await versionsOf());
      const evidence = await evidenceOf(hub, clusters, { hasSettled, hasFaults, idleRequests: [], restartRequests });
      const { items: requests } = await hub.list(certificateSigningRequests);
      for (const process of processes) process.end();
      const violations = [...judgeSystem(evidence), ...judgeCertificates(evidence, requests, detachedClusters(history))];
      return { history, violations, virtualMs: simulator.now, log: simulator.log, phases, conditions };
    })(),
  );
}

/** Returns an agent that the hub knows as the agent of its cluster, without a certificate. */
function knownAgent({ world, cluster, hubServer, server, network, evictionGraceMs }: CertifiedAgentOptions): SimulatedProcess {
  const groups = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP, 'system:authenticated'];
  const identity = { user: clusterAgentUser(cluster, 'agent'), groups };
  return new SimulatedProcess(world.simulator, `agent-${cluster}`, (runtime) =>
    createAgent({
      runtime,
      hub: hubServer.client(runtime, network, identity),
      cluster: server.client(runtime, network),
      clusterName: cluster,
      hubServer: 'https://hub',
      agentId: `id-${cluster}`,
      work: { evictionGraceMs },
    }),
  );
}
