import { type ClusterFacts, appliedReport, clusterReport, needsAgent } from '@outrigger/agent';
import {
  MANIFEST_WORK_FINALIZER,
  type ManagedCluster,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@outrigger/api';
import { type Runtime, conditionStatus, errorMessage, isApiError, isConditionTrue, toTime } from '@outrigger/core';
import { type Client, type Now, reflect } from '@outrigger/kube';
import { LeaseRenewals } from './leases.js';
import { type KindOf, isReported, objectsOf } from './work.js';

export interface LightClustersOptions {
  readonly runtime: Runtime;
  /** A client with the permissions of the hub's administrator. */
  readonly hub: Client;
  /** The facts that each cluster reports. */
  readonly facts: ClusterFacts;
  readonly kindOf: KindOf;
  readonly readyAfterMs: number;
  /** Called once for a cluster that needs a separate API server and agent. LightClusters then does nothing more for that cluster. */
  readonly onNeedsAgent: (cluster: string) => void;
}

interface DueReport {
  readonly work: ManifestWork;
  /** The monotonic time at which the report is due. */
  readonly dueAt: number;
}

const TICK_MS = 200;
const RETRY_MS = 1_000;
const AT_ONCE = 16;
const DEFAULT_LEASE_SECONDS = 60;

/**
 * Simulated clusters without API servers. Three watches and two loops write for all of them what agents would write on clusters whose
 * workloads become ready. A cluster that needs more is passed to `onNeedsAgent`.
 */
export class LightClusters {
  readonly #options: LightClustersOptions;
  readonly #names = new Set<string>();
  readonly #leases: LeaseRenewals;
  /** The latest version of each work whose report has not been sent yet, keyed by namespace and name. */
  readonly #due = new Map<string, DueReport>();
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: LightClustersOptions) {
    this.#options = options;
    this.#leases = new LeaseRenewals(options.runtime, options.hub);
  }

  add(cluster: string): void {
    this.#names.add(cluster);
  }

  start(): void {
    const { signal } = this.#stop;
    this.#running = Promise.all([
      this.#watchClusters(signal),
      this.#watchAddOns(signal),
      this.#watchWorks(signal),
      this.#leases.run(signal),
      this.#reportDue(signal),
    ]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #watchClusters(signal: AbortSignal): Promise<void> {
    const { hub: client, runtime, facts } = this.#options;
    for await (const event of reflect({ client, runtime, kind: managedClusters }, signal)) {
      if (event.type === 'Delete') this.#leases.drop(event.object.metadata.name ?? '');
      if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
      const cluster = event.object;
      const name = cluster.metadata.name ?? '';
      if (!this.#names.has(name)) continue;
      if (!isAccepted(cluster)) {
        this.#leases.drop(name);
        continue;
      }
      const isMissed = conditionStatus(cluster.status?.conditions, AVAILABLE) === 'Unknown';
      this.#leases.hold(name, (cluster.spec.leaseDurationSeconds || DEFAULT_LEASE_SECONDS) * 1_000, isMissed);
      const report = clusterReport(cluster, facts, this.#now());
      if (!report) continue;
      // The patch replaces the list of conditions, so it must fail if the conditions of the ManagedCluster have changed meanwhile.
      const patch = { ...report, metadata: { resourceVersion: cluster.metadata.resourceVersion ?? '' } };
      await this.#write(name, signal, () =>
        client.patch(managedClusters, { name }, { type: 'merge', patch }, { subresource: 'status', signal }),
      );
    }
  }

  async #watchAddOns(signal: AbortSignal): Promise<void> {
    const { hub: client, runtime } = this.#options;
    for await (const event of reflect({ client, runtime, kind: managedClusterAddOns }, signal)) {
      if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
      if (needsAgent(event.object)) this.#release(event.object.metadata.namespace ?? '');
    }
  }

  async #watchWorks(signal: AbortSignal): Promise<void> {
    const { hub: client, runtime, readyAfterMs } = this.#options;
    for await (const event of reflect({ client, runtime, kind: manifestWorks }, signal)) {
      if (event.type !== 'Apply' && event.type !== 'InitApply' && event.type !== 'Delete') continue;
      const work = event.object;
      const { name = '', namespace = '' } = work.metadata;
      this.#due.delete(`${namespace}/${name}`);
      if (event.type === 'Delete' || !this.#names.has(namespace)) continue;
      const isDeleting = work.metadata.deletionTimestamp !== undefined;
      if (isDeleting ? !hasFinalizer(work) : isReported(work)) continue;
      this.#due.set(`${namespace}/${name}`, { work, dueAt: runtime.clock.monotonic() + (isDeleting ? 0 : readyAfterMs) });
    }
  }

  /** Sends the reports that are due, a few at a time. */
  async #reportDue(signal: AbortSignal): Promise<void> {
    const { timers, clock } = this.#options.runtime;
    while (!signal.aborted) {
      await timers.sleep(TICK_MS, signal).catch(() => undefined);
      const now = clock.monotonic();
      const due: ManifestWork[] = [];
      // Works are reported in the order in which they were added, so the search ends at the first work that is not due.
      for (const [key, { work, dueAt }] of this.#due) {
        if (dueAt > now) break;
        due.push(work);
        this.#due.delete(key);
      }
      for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE) {
        await Promise.all(due.slice(at, at + AT_ONCE).map((work) => this.#report(work, signal)));
      }
    }
  }

  async #report(work: ManifestWork, signal: AbortSignal): Promise<void> {
    const { hub, kindOf } = this.#options;
    const { name = '', namespace = '' } = work.metadata;
    if (!this.#names.has(namespace)) return;
    if (work.metadata.deletionTimestamp !== undefined) {
      // An agent set the finalizer in an earlier run. The work's objects were kept in the memory of that run's process, so nothing is left
      // to clean up.
      const finalizers = (work.metadata.finalizers ?? []).filter((finalizer) => finalizer !== MANIFEST_WORK_FINALIZER);
      const patch = { metadata: { resourceVersion: work.metadata.resourceVersion ?? '', finalizers } };
      await this.#write(namespace, signal, () => hub.patch(manifestWorks, { namespace, name }, { type: 'merge', patch }, { signal }), work);
      return;
    }
    const now = this.#now();
    const objects = objectsOf(work, kindOf, now.time);
    if (!objects) {
      this.#release(namespace);
      return;
    }
    const patch = appliedReport(work, objects, now);
    if (!patch) return;
    const key = { namespace, name };
    await this.#write(
      namespace,
      signal,
      () => hub.patch(manifestWorks, key, { type: 'merge', patch }, { subresource: 'status', signal }),
      work,
    );
  }

  /**
   * Sends a write. If it fails, the work is reported again later; if the object has changed meanwhile, its next event leads to a new
   * report.
   */
  async #write(cluster: string, signal: AbortSignal, send: () => Promise<unknown>, work?: ManifestWork): Promise<void> {
    const { runtime } = this.#options;
    try {
      await send();
    } catch (error) {
      if (signal.aborted || isApiError(error, 'NotFound') || isApiError(error, 'Conflict')) return;
      runtime.log.warn({ cluster, error: errorMessage(error) }, 'a report of a simulated cluster was not written');
      const key = `${work?.metadata.namespace}/${work?.metadata.name}`;
      if (work && !this.#due.has(key)) this.#due.set(key, { work, dueAt: runtime.clock.monotonic() + RETRY_MS });
    }
  }

  #release(cluster: string): void {
    if (!this.#names.delete(cluster)) return;
    this.#leases.drop(cluster);
    this.#options.onNeedsAgent(cluster);
  }

  #now(): Now {
    const { clock } = this.#options.runtime;
    const wall = clock.now();
    return { wall, time: toTime(wall), monotonic: clock.monotonic() };
  }
}

const AVAILABLE = 'ManagedClusterConditionAvailable';

function isAccepted({ metadata, status }: ManagedCluster): boolean {
  return metadata.deletionTimestamp === undefined && isConditionTrue(status?.conditions, 'HubAcceptedManagedCluster');
}

function hasFinalizer({ metadata }: ManifestWork): boolean {
  return (metadata.finalizers ?? []).includes(MANIFEST_WORK_FINALIZER);
}
