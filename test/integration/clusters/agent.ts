import {
  CLUSTER_LEASE_NAME,
  type ManagedCluster,
  type ManifestWork,
  clusterAgentGroup,
  clusterAgentUser,
  leases,
  managedClusters,
  manifestWorks,
  namespaces,
} from '@outrigger/api';
import { type Condition, findCondition, toMicroTime, toTime } from '@outrigger/core';
import type { Identity } from '@outrigger/control-plane';
import type { Client } from '@outrigger/kube';
import type { HubWorld } from '../placement/world.js';

/** A hub on which a scenario can act with any identity. */
export interface LifeWorld extends HubWorld {
  as(identity: Identity): Client;
  /** Returns the wall time in milliseconds. */
  now(): number;
}

/** Returns the identity in the certificate of a cluster's agent. */
export function agentIdentity(cluster: string): Identity {
  return { user: clusterAgentUser(cluster, 'agent'), groups: [clusterAgentGroup(cluster), 'system:authenticated'] };
}

export function declaredCluster(name: string, accept = true, annotations: Readonly<Record<string, string>> = {}): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, annotations },
    spec: { hubAcceptsClient: accept },
  };
}

/** A stand-in agent that sends the requests of these scenarios with only the permissions of the cluster's agent. */
export class HandAgent {
  readonly #world: LifeWorld;
  readonly #hub: Client;
  readonly #name: string;

  constructor(world: LifeWorld, name: string) {
    this.#world = world;
    this.#hub = world.as(agentIdentity(name));
    this.#name = name;
  }

  get hub(): Client {
    return this.#hub;
  }

  async renew(clockSkewMs = 0): Promise<void> {
    const key = { namespace: this.#name, name: CLUSTER_LEASE_NAME };
    const lease = await this.#hub.get(leases, key);
    await this.#hub.replace(leases, { ...lease, spec: { ...lease.spec, renewTime: toMicroTime(this.#world.now() + clockSkewMs) } });
  }

  /** Reports that the cluster has joined and is available. */
  async report(): Promise<void> {
    const { status } = await this.#hub.get(managedClusters, { name: this.#name });
    const own = [
      said('ManagedClusterJoined', 'ManagedClusterJoined', this.#world.now()),
      said('ManagedClusterConditionAvailable', 'ManagedClusterAvailable', this.#world.now()),
    ];
    const types = own.map(({ type }) => type);
    const conditions = [...(status?.conditions ?? []).filter(({ type }) => !types.includes(type)), ...own];
    await this.#hub.patch(
      managedClusters,
      { name: this.#name },
      { type: 'merge', patch: { status: { conditions: conditions as never } } },
      { subresource: 'status' },
    );
  }

  /**
   * Removes the finalizers of works that are being deleted, as if the agent had removed their objects from its cluster. Returns the names
   * of the works.
   */
  async cleanUp(): Promise<readonly string[]> {
    const released: string[] = [];
    const { items } = await this.#hub.list(manifestWorks, { namespace: this.#name });
    for (const { metadata } of items) {
      if (metadata.deletionTimestamp === undefined) continue;
      const { name = '', namespace = '' } = metadata;
      await this.#hub.patch(manifestWorks, { name, namespace }, { type: 'merge', patch: { metadata: { finalizers: null } } });
      released.push(name);
    }
    return released;
  }
}

function said(type: string, reason: string, now: number): Condition {
  return { type, status: 'True', reason, message: '', lastTransitionTime: toTime(now) };
}

/** Returns a work with the finalizer of the agent. */
export function heldWork(cluster: string, name: string, priority?: number): ManifestWork {
  const annotations = priority === undefined ? {} : { 'open-cluster-management.io/cleanup-priority': String(priority) };
  const manifests = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tools' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-settings`, namespace: 'tools' } },
  ];
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: { name, namespace: cluster, annotations, finalizers: ['cluster.open-cluster-management.io/manifest-work-cleanup'] },
    spec: { workload: { manifests } },
  };
}

/** Waits until the condition has this status. Returns `reason: message`. */
export function conditionOf(world: HubWorld, cluster: string, type: string, status: Condition['status']): Promise<string> {
  return world.eventually(`${type} ${status} of ${cluster}`, async () => {
    const { status: told } = await world.hub.get(managedClusters, { name: cluster });
    const condition = findCondition(told?.conditions, type);
    return condition?.status === status ? `${condition.reason}: ${condition.message}` : undefined;
  });
}

/** Creates an accepted cluster and waits until its agent may start. */
export async function accepted(world: LifeWorld, name: string): Promise<HandAgent> {
  await world.hub.create(managedClusters, declaredCluster(name));
  await conditionOf(world, name, 'HubAcceptedManagedCluster', 'True');
  const agent = new HandAgent(world, name);
  await world.eventually('the lease', async () =>
    (await world.hub.list(leases, { namespace: name })).items.length > 0 ? true : undefined,
  );
  await agent.renew();
  await agent.report();
  return agent;
}

export async function namespaceExists(hub: Client, name: string): Promise<boolean> {
  const { items } = await hub.list(namespaces, { fieldSelector: `metadata.name=${name}` });
  return items.length > 0;
}
