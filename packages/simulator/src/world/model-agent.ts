import {
  CLUSTER_LEASE_NAME,
  MANIFEST_WORK_FINALIZER,
  type ManagedCluster,
  type ManifestWork,
  leases,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import {
  type Condition,
  type JsonObject,
  type SeededRandom,
  asJson,
  isApiError,
  keyOf,
  keyString,
  setCondition,
  toMicroTime,
  toTime,
} from '@outrigger/core';
import type { Agenda, Actor, ApiEvent, MemoryApi } from '../engine/index.js';
import { type ClusterName, LEASE_SECONDS } from './objects.js';
import { fateOfImage } from './workload.js';

const AVAILABLE = 'ManagedClusterConditionAvailable';

/**
 * Simulates the agent of one cluster and the cluster itself: claims works, reports on them and their workloads, removes the applied
 * objects, and renews the Lease. It reads the API server without a cache, because runs with a model agent do not test the agent's races.
 */
export class ModelAgent {
  readonly cluster: ClusterName;
  readonly #api: MemoryApi;
  readonly #agenda: Agenda;
  readonly #random: SeededRandom;
  readonly #actor: Actor;
  /**
   * Whether the model agent handles works. If a real agent applies the works, the model agent only reports that the cluster is available.
   */
  readonly #appliesWorks: boolean;
  readonly #isRegistered: (cluster: ClusterName) => boolean;
  /** The time at which each generation of a work was applied. */
  readonly #appliedAt = new Map<string, number>();
  /** Works with objects on the cluster, by uid. */
  readonly #onCluster = new Map<string, string>();
  #isAway = false;
  #unhealthyUntil = 0;
  #isBeating = false;

  constructor(
    cluster: ClusterName,
    world: { api: MemoryApi; agenda: Agenda; random: SeededRandom; isRegistered: (cluster: ClusterName) => boolean },
    appliesWorks: boolean = true,
  ) {
    const { api, agenda, random } = world;
    this.cluster = cluster;
    this.#isRegistered = (name) => world.isRegistered(name);
    this.#appliesWorks = appliesWorks;
    this.#api = api;
    this.#agenda = agenda;
    this.#random = random;
    this.#actor = { name: `agent ${cluster}` };
  }

  /** Names of works whose objects are on the cluster. */
  get applied(): readonly string[] {
    return [...this.#onCluster.values()];
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Takes over the works of an earlier agent at the start of a run. */
  start(): void {
    for (const work of this.#works()) this.#plan(work);
    if (this.#api.find(managedClusters, { name: this.cluster })) this.#beat();
  }

  notice({ kind, after }: ApiEvent): void {
    if (this.#appliesWorks && kind.plural === manifestWorks.plural && after?.metadata.namespace === this.cluster)
      this.#plan(after as ManifestWork);
    if (kind.plural === managedClusters.plural && after?.metadata.name === this.cluster && !this.#isBeating) this.#beat();
  }

  /** Called when the cluster has its first certificate, with which its agent can report. */
  joined(): void {
    if (!this.#isBeating) this.#beat();
  }

  leave(): void {
    this.#isAway = true;
  }

  comeBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#isBeating = false;
    this.start();
  }

  /** Makes the cluster's workloads report that they are not available, until the given time has passed. */
  flap(forMs: number): void {
    this.#unhealthyUntil = this.#agenda.now + forMs;
    for (const work of this.#works()) this.#plan(work);
    this.#agenda.after(forMs, () => {
      for (const work of this.#works()) this.#plan(work);
    });
  }

  #works(): readonly ManifestWork[] {
    if (!this.#appliesWorks) return [];
    return [...this.#api.list(manifestWorks)].filter(({ metadata }) => metadata.namespace === this.cluster);
  }

  #plan(work: ManifestWork): void {
    const key = keyOf(work);
    this.#agenda.after(1 + this.#random.below(8), () => this.#reconcile(keyString(key), key));
  }

  #reconcile(id: string, key: { readonly name: string; readonly namespace?: string }): void {
    if (this.#isAway || !this.#api.find(managedClusters, { name: this.cluster })) return;
    const work = this.#api.find(manifestWorks, key);
    if (!work) return;
    const { uid = '', resourceVersion, finalizers = [], deletionTimestamp, generation = 1 } = work.metadata;
    const precondition = { uid, resourceVersion };
    if (deletionTimestamp !== undefined) {
      this.#onCluster.delete(uid);
      if (!finalizers.includes(MANIFEST_WORK_FINALIZER)) return;
      const rest = finalizers.filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER);
      this.#write(() => this.#api.patch(this.#actor, manifestWorks, key, { metadata: { finalizers: rest } }, { precondition }));
      return;
    }
    if (!finalizers.includes(MANIFEST_WORK_FINALIZER)) {
      const all = [...finalizers, MANIFEST_WORK_FINALIZER];
      this.#write(() => this.#api.patch(this.#actor, manifestWorks, key, { metadata: { finalizers: all } }, { precondition }));
      return;
    }
    this.#onCluster.set(uid, id);
    const applied = `${uid}/${generation}`;
    const appliedAt = this.#appliedAt.get(applied) ?? this.#agenda.now;
    this.#appliedAt.set(applied, appliedAt);
    const { status, recheckAt } = this.#statusOf(work, generation, appliedAt);
    if (recheckAt !== undefined) this.#agenda.at(recheckAt, () => this.#reconcile(id, key));
    this.#write(() => this.#api.patch(this.#actor, manifestWorks, key, asJson({ status }), { precondition, subresource: 'status' }));
  }

  #statusOf(work: ManifestWork, generation: number, appliedAt: number): { status: object; recheckAt: number | undefined } {
    const manifest = (work.spec.workload?.manifests ?? [])[0] as unknown as JsonObject | undefined;
    const image = imageOf(manifest);
    const { now } = this.#agenda;
    const { isReady, isStuck, recheckAt } = fateOfImage(image, appliedAt, now);
    const isDown = now < this.#unhealthyUntil;
    const values = [
      integer('Generation', generation),
      integer('ObservedGeneration', generation),
      integer('DesiredReplicas', 1),
      integer('UpdatedReplicas', 1),
      integer('Replicas', 1),
      integer('ReadyReplicas', isReady && !isDown ? 1 : 0),
      integer('AvailableReplicas', isReady && !isDown ? 1 : 0),
      text('AvailableCondition', isReady && !isDown ? 'True' : 'False'),
      text('ProgressingReason', isStuck ? 'ProgressDeadlineExceeded' : 'NewReplicaSetAvailable'),
    ];
    const metadata = (manifest?.['metadata'] ?? {}) as { name?: string; namespace?: string };
    const time = toTime(now);
    const condition = (type: string): Condition => ({
      type,
      status: 'True',
      reason: 'Applied',
      message: '',
      observedGeneration: generation,
      lastTransitionTime: time,
    });
    const stamp = { generation, now: time };
    let conditions: readonly Condition[] = work.status?.conditions ?? [];
    for (const type of ['Applied', 'Available']) conditions = setCondition(conditions, condition(type), stamp);
    const resourceMeta = { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', ...metadata };
    const { annotations: _, ...meta } = resourceMeta as typeof resourceMeta & { annotations?: unknown };
    return {
      status: { conditions, resourceStatus: { manifests: [{ resourceMeta: meta, conditions: [], statusFeedback: { values } }] } },
      recheckAt,
    };
  }

  /** Renews the Lease and reports that the cluster is available, as long as the ManagedCluster exists. */
  #beat(): void {
    this.#isBeating = true;
    const cluster = this.#api.find(managedClusters, { name: this.cluster });
    if (!cluster || this.#isAway || !this.#isRegistered(this.cluster)) {
      this.#isBeating = false;
      return;
    }
    this.#agenda.after(LEASE_SECONDS * 1000, () => this.#beat());
    this.#agenda.after(1 + this.#random.below(8), () => this.#renew());
  }

  #renew(): void {
    const cluster = this.#api.find(managedClusters, { name: this.cluster });
    if (!cluster || this.#isAway) return;
    const key = { namespace: this.cluster, name: CLUSTER_LEASE_NAME };
    if (this.#api.find(leases, key)) {
      const patch = { spec: { renewTime: toMicroTime(this.#agenda.now) } };
      this.#write(() => this.#api.patch(this.#actor, leases, key, patch));
    }
    this.#write(() => this.#reportAvailable(cluster));
  }

  #reportAvailable({ metadata, status }: ManagedCluster): void {
    const { uid, resourceVersion, generation = 1 } = metadata;
    const stamp = { generation, now: toTime(this.#agenda.now) };
    const condition = (type: string, reason: string): Condition => ({ type, status: 'True', reason, message: '' }) as unknown as Condition;
    let conditions: readonly Condition[] = status?.conditions ?? [];
    conditions = setCondition(conditions, condition('ManagedClusterJoined', 'ManagedClusterJoined'), stamp);
    conditions = setCondition(conditions, condition(AVAILABLE, 'ManagedClusterAvailable'), stamp);
    if (conditions === status?.conditions) return;
    this.#api.patch(this.#actor, managedClusters, { name: this.cluster }, asJson({ status: { conditions } }), {
      precondition: { uid, resourceVersion },
      subresource: 'status',
    });
  }

  /** Sends a write. Ignores conflicts, because the change that caused the conflict triggers the agent again. */
  #write(send: () => unknown): void {
    try {
      send();
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }
}

function imageOf(manifest: JsonObject | undefined): string {
  const spec = manifest?.['spec'] as { template?: { spec?: { containers?: { image?: string }[] } } } | undefined;
  return spec?.template?.spec?.containers?.[0]?.image ?? '';
}

function integer(name: string, value: number): object {
  return { name, fieldValue: { type: 'Integer', integer: value } };
}

function text(name: string, value: string): object {
  return { name, fieldValue: { type: 'String', string: value } };
}
