import { KIND_DEFINITIONS, type ManagedCluster, managedClusters, namespaces } from '@outrigger/api';
import { type Kind, findCondition, isApiError } from '@outrigger/core';
import type { Client, Manager } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Eventually } from '../../world/eventually.js';
import { crds } from '../work/world.js';
import { definitionOf, grant } from './unreadable-kinds.js';

/** Rules that let an agent write the status of its cluster, and Leases. */
const WRITES = [
  { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters/status'], verbs: ['patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
];

/**
 * The side on which the agent lacks permissions. The hub and the managed cluster are one API server here, but the agent uses a different
 * user for each.
 */
export type Side = 'hub' | 'cluster';

export interface AgentStartWorld {
  readonly admin: Client;
  readonly eventually: Eventually;
  /**
   * Creates an agent that connects to one of the two servers (hub or managed cluster) as this user, and to the other as an administrator.
   */
  agent(clusterName: string, side: Side, user?: string): Promise<Manager>;
}

/** The kinds that an agent reads on one side, each with the controllers that wait for it. No controller waits for an optional kind. */
export interface AgentKinds {
  readonly all: readonly string[];
  readonly kinds: ReadonlyMap<string, KindOfAgent>;
}

interface KindOfAgent {
  readonly kind: Kind;
  readonly controllers: ReadonlySet<string>;
  /** Whether the agent treats the kind as empty if the server does not serve it. No controller then waits for the kind. */
  readonly isEmptyIfNotServed: boolean;
}

/**
 * Returns the controllers of an agent and the kinds that they need on one side. Starts an agent that may read nothing on that side and
 * reports the needed kinds, and then an agent that may read everything.
 */
export async function agentKinds(world: AgentStartWorld, side: Side): Promise<AgentKinds> {
  const blind = `blind-${side}`;
  await declare(world.admin, blind);
  const agent = await world.agent(blind, side, blind);
  void agent.start();
  await world.eventually('the agent has tried to read', async () => (agent.troubles.length > 0 && agent.hasReadAll ? true : undefined));
  const kinds = kindsOf(agent);
  await agent.stop();
  const sighted = await world.agent(blind, side);
  await sighted.start();
  const all = [...sighted.acting].sort();
  await sighted.stop();
  expect(kinds.size).toBeGreaterThanOrEqual(3);
  return { all, kinds };
}

function kindsOf({ troubles }: Manager): AgentKinds['kinds'] {
  const found = new Map<string, KindOfAgent & { readonly controllers: Set<string> }>();
  for (const { resource, controllers } of troubles) {
    const { group, plural } = resource.kind;
    const name = group === '' ? plural : `${plural}.${group}`;
    const isEmptyIfNotServed = resource.isEmptyIfNotServed ?? false;
    const entry = found.get(name) ?? { kind: resource.kind, controllers: new Set<string>(), isEmptyIfNotServed };
    for (const controller of controllers) entry.controllers.add(controller);
    found.set(name, entry);
  }
  return found;
}

/**
 * Starts an agent that may read every kind except one on one of the two servers. The controllers that need the kind wait, the others act,
 * and the ManagedCluster names the kind. All controllers act once the permission is granted.
 */
export async function startsAgentWithoutRight(world: AgentStartWorld, side: Side, { all, kinds }: AgentKinds, name: string): Promise<void> {
  const user = `${side}-without-${name.split('.')[0]}`;
  const missing = kinds.get(name) as KindOfAgent;
  const others = Array.from(kinds.values(), ({ kind }) => kind).filter((kind) => kind !== missing.kind);
  await declare(world.admin, user);
  await grant(world.admin, user, others, WRITES);
  const agent = await world.agent(user, side, user);
  void agent.start();
  await actsExcept(world, agent, { side, cluster: user, known: { all, kinds }, name, problem: 'forbidden' });
  await grant(world.admin, user, [...others, missing.kind], WRITES);
  await allAct(world, agent, user, all);
  await agent.stop();
}

/**
 * Starts an agent whose hub or managed cluster does not serve one kind. The controllers that need the kind wait, the others act, and the
 * ManagedCluster names the kind. All controllers act once the kind is served.
 */
export async function startsAgentWithoutDefinition(world: AgentStartWorld, side: Side, known: AgentKinds, name: string): Promise<void> {
  const cluster = `${side}-without-definition-${name.split('.')[0]}`;
  await declare(world.admin, cluster);
  await world.admin.delete(crds, { name });
  const { kind, isEmptyIfNotServed } = known.kinds.get(name) as KindOfAgent;
  await world.eventually(`${name} is gone`, async () => {
    return (await isAbsent(world.admin.get(crds, { name }))) && (await isAbsent(world.admin.list(kind))) ? true : undefined;
  });
  const agent = await world.agent(cluster, side);
  void agent.start();
  if (isEmptyIfNotServed) await allAct(world, agent, cluster, known.all);
  else await actsExcept(world, agent, { side, cluster, known, name, problem: 'cannot be read' });
  await world.admin.create(crds, definitionOf(name));
  await allAct(world, agent, cluster, known.all);
  await agent.stop();
}

/** Returns the kinds of a side that have a CRD, except ManagedClusters, because the agent reports to its ManagedCluster. */
export function definedKindsOf({ kinds }: AgentKinds): readonly string[] {
  const hasDefinition = (name: string): boolean => KIND_DEFINITIONS.some(({ plural, group }) => `${plural}.${group}` === name);
  return Array.from(kinds.keys()).filter((name) => hasDefinition(name) && !name.startsWith('managedclusters.'));
}

interface Exception {
  readonly side: Side;
  readonly cluster: string;
  readonly known: AgentKinds;
  /** The kind that cannot be read. */
  readonly name: string;
  /** A part of the message about the kind. */
  readonly problem: string;
}

/** Expects that the controllers that do not need the kind act, and that the ManagedCluster names the kind. */
async function actsExcept(world: AgentStartWorld, agent: Manager, { side, cluster, known, name, problem }: Exception): Promise<void> {
  const { controllers } = known.kinds.get(name) as KindOfAgent;
  await world.eventually(`the controllers of the agent that do not need ${name} act`, async () => {
    expect({ [name]: [...agent.acting].sort() }).toEqual({ [name]: known.all.filter((controller) => !controllers.has(controller)) });
    return true;
  });
  const isReported = controllers.size > 0 || name === 'nodes';
  if (!isReported || controllers.has('cluster')) return;
  const server = side === 'hub' ? 'the hub' : 'the managed cluster';
  await world.eventually(`the ManagedCluster names ${name}`, async () => {
    const { status } = await ownCluster(world.admin, cluster);
    const condition = findCondition(status?.conditions, 'AgentKindsReadable');
    expect(condition?.message ?? '').toContain(`${name} on ${server} cannot be read`);
    expect(condition?.message).toContain(problem);
    return true;
  });
}

async function allAct(world: AgentStartWorld, agent: Manager, cluster: string, all: readonly string[]): Promise<void> {
  await world.eventually('every controller of the agent acts', async () => {
    expect([...agent.acting].sort()).toEqual(all);
    expect(agent.troubles).toEqual([]);
    expect(findCondition((await ownCluster(world.admin, cluster)).status?.conditions, 'AgentKindsReadable')).toBeUndefined();
    return true;
  });
}

async function isAbsent(read: Promise<unknown>): Promise<boolean> {
  return read.then(
    () => false,
    (error: unknown) => {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    },
  );
}

function ownCluster(admin: Client, name: string): Promise<ManagedCluster> {
  return admin.get(managedClusters, { name });
}

/** Creates an accepted cluster with this name, and its namespace. */
async function declare(admin: Client, name: string): Promise<void> {
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await admin.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name },
    spec: { hubAcceptsClient: true },
  });
  // The test sets this condition, because the hub's manager does not run.
  const accepted = {
    type: 'HubAcceptedManagedCluster',
    status: 'True',
    reason: 'HubClusterAdminAccepted',
    message: 'accepted',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const patch = { status: { conditions: [accepted] } };
  await admin.patch(managedClusters, { name }, { type: 'merge', patch }, { subresource: 'status' });
}
