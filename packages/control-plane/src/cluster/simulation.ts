import { deepEqual, type ObjectKey, toTime } from '@outrigger/core';
import { accepting } from '../controllers/accepting.js';
import type { ControllerContext, RunningController } from '../controllers/contract.js';
import { Worker } from '../controllers/worker.js';
import { everyEntry } from '../every-entry.js';
import { parseStorageKey, storageKey, storagePrefix } from '../store/key.js';
import { annotatedBehavior, type Behavior, LEASE_ANNOTATION } from './behavior.js';
import { type AwaitedPod, syncChildren } from './children-sync.js';
import { LEASE_RENEW_MS, renewLease } from './lease-holder.js';
import { createNodes } from './nodes.js';
import { isPodReady } from './pod-status.js';
import { REVISION_ANNOTATION } from './revisions.js';
import { type Progress, progressOf } from './rollout.js';
import { RolloutTracker } from './rollout-tracker.js';
import { SIMULATED_KINDS, type SimulatedKind } from './simulated-kinds.js';
import type { Workload } from './workload-status.js';

export interface SimulationOptions {
  /** The time in milliseconds that a workload needs to become ready. */
  readonly readyAfterMs?: number;
  /** The number of nodes of the cluster. A DaemonSet runs on each node. */
  readonly nodes?: number;
  /**
   * Whether to create the objects that the workload controllers would create: ReplicaSets and pods. Off by default, because they use
   * memory.
   */
  readonly pods?: boolean;
}

export interface WorkloadName {
  readonly kind: 'Deployment' | 'DaemonSet' | 'StatefulSet' | 'Job' | 'Pod';
  readonly namespace: string;
  readonly name: string;
}

/** Simulates a cluster whose workloads do not run: writes the statuses that real controllers and kubelets would write. */
export interface ClusterSimulation extends RunningController {
  /**
   * Sets a behavior that takes precedence over the workload's annotation. The workload need not exist yet. If `behavior` is undefined, the
   * annotation applies again.
   */
  setBehavior(workload: WorkloadName, behavior: Behavior | undefined): void;
  /**
   * Renews `lease` as long as the workload is ready. If `lease` is undefined, the simulation renews no lease for the workload, not even the
   * one that the workload's annotation names.
   */
  holdLease(workload: WorkloadName, lease: ObjectKey | undefined): void;
}

const READY_AFTER_MS = 1_000;
const NODES = 1;

export async function startSimulation(context: ControllerContext, options: SimulationOptions = {}): Promise<ClusterSimulation> {
  const { readyAfterMs = READY_AFTER_MS, nodes = NODES, pods = false } = options;
  await createNodes(context, nodes);
  return new Simulation(context, { readyAfterMs, nodes, pods });
}

class Simulation implements ClusterSimulation {
  readonly #context: ControllerContext;
  readonly #options: Required<SimulationOptions>;
  readonly #worker: Worker;
  readonly #rollouts = new RolloutTracker();
  readonly #behaviors = new Map<string, Behavior>();
  readonly #leases = new Map<string, ObjectKey | undefined>();
  readonly #simulated = new Map<string, SimulatedKind>();
  /** The pods that are not ready yet, by key, each with the key of the workload that waits for it. */
  readonly #awaited = new Map<string, AwaitedPod & { readonly workload: string }>();
  readonly #unsubscribe: () => void;

  constructor(context: ControllerContext, options: Required<SimulationOptions>) {
    this.#context = context;
    this.#options = options;
    this.#worker = new Worker(context.runtime, 'cluster-simulation', (key) => this.#pass(key));
    for (const simulated of SIMULATED_KINDS) {
      const prefix = storagePrefix(simulated.kind);
      this.#simulated.set(prefix, simulated);
      for (const { key } of everyEntry(context.store, prefix)) this.#worker.add(key);
    }
    this.#unsubscribe = context.store.subscribe(({ type, key }) => {
      if (!this.#kindOf(key)) return;
      if (type === 'put') this.#worker.add(key);
      else this.#rollouts.forget(key);
      this.#wakeWaiting(key);
    });
    this.#worker.start();
  }

  setBehavior(workload: WorkloadName, behavior: Behavior | undefined): void {
    const key = keyOf(workload);
    if (behavior === undefined) this.#behaviors.delete(key);
    else this.#behaviors.set(key, behavior);
    this.#worker.add(key);
  }

  holdLease(workload: WorkloadName, lease: ObjectKey | undefined): void {
    this.#leases.set(keyOf(workload), lease);
    this.#worker.add(keyOf(workload));
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#worker.stop();
  }

  async #pass(key: string): Promise<number | undefined> {
    const workload: Workload | undefined = this.#context.store.get(key)?.object;
    const simulated = this.#kindOf(key);
    if (!workload || !simulated) return undefined;
    if (workload.metadata.deletionTimestamp !== undefined) return this.#terminate(workload, simulated);
    if (simulated.isOver?.(workload.status ?? {})) return undefined;

    const now = this.#context.runtime.clock.monotonic();
    const progress = await this.#advance(key, workload, simulated, now);
    if (progress.phase === 'complete') return this.#renew(key, workload);
    return progress.nextAt === undefined ? undefined : progress.nextAt - now;
  }

  async #advance(key: string, workload: Workload, simulated: SimulatedKind, now: number): Promise<Progress> {
    const { nodes: nodeCount, readyAfterMs } = this.#options;
    const behavior = this.#behaviors.get(key) ?? annotatedBehavior(workload) ?? 'ready';
    const rollout = this.#rollouts.rolloutOf({ key, workload, simulated, behavior, nodeCount, now });
    const deadlineMs = simulated.deadlineMs?.(workload);
    const timing = { readyAfterMs, isReplacing: simulated.isReplacing ?? false, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
    const desired = simulated.desired(workload, nodeCount);
    const timed = progressOf(rollout, desired, now, timing);
    const hasChildren = this.#options.pods && simulated.kind.kind !== 'Pod';
    const input = { workload, kind: simulated.kind, progress: timed, behavior, nodeCount };
    const children = hasChildren ? await syncChildren(this.#context, input) : undefined;
    const seen = { ...rollout, hadCompleted: rollout.hadCompleted || this.#rollouts.hasCompleted(key) };
    const progress = children ? progressOf(seen, desired, now, timing, children.readyPods) : timed;
    if (progress.phase === 'complete') this.#rollouts.markComplete(key);
    const time = toTime(this.#context.runtime.clock.now());
    const status = simulated.status(workload, { progress, behavior, nodeCount, now: time });
    if (!deepEqual(status, workload.status)) await this.#write(simulated, { ...workload, status });
    if (children?.revision !== undefined) await this.#number(simulated, workload, String(children.revision));
    if (children?.awaited !== undefined && timed.phase === 'complete') this.#await(children.awaited, key);
    return progress;
  }

  /**
   * Runs another pass over a workload when the pod becomes ready or is deleted. The pod is checked now as well, because this may have
   * happened after the current pass observed it.
   */
  #await(pod: AwaitedPod, workload: string): void {
    this.#awaited.set(pod.key, { ...pod, workload });
    this.#wakeWaiting(pod.key);
  }

  #wakeWaiting(pod: string): void {
    const awaited = this.#awaited.get(pod);
    if (!awaited) return;
    const found: Workload | undefined = this.#context.store.get(pod)?.object;
    if (found && !isPodReady(found, awaited.ownerUid)) return;
    this.#awaited.delete(pod);
    this.#worker.add(awaited.workload);
  }

  /** Writes the revision number to the Deployment, as the Deployment controller does, because `kubectl rollout undo` reads it there. */
  async #number({ kind }: SimulatedKind, { metadata }: Workload, revision: string): Promise<void> {
    if (metadata.annotations?.[REVISION_ANNOTATION] === revision) return;
    const { name = '', namespace = '' } = metadata;
    const patch = { metadata: { annotations: { [REVISION_ANNOTATION]: revision } } };
    await accepting(this.#context.api.mergePatch(kind, { name, namespace }, patch), 'NotFound');
  }

  /** Deletes a pod without waiting for its grace period, because there is no kubelet that stops containers. */
  async #terminate({ metadata }: Workload, { kind }: SimulatedKind): Promise<undefined> {
    const { name = '', namespace = '', uid, finalizers = [] } = metadata;
    if (kind.kind !== 'Pod' || finalizers.length > 0) return undefined;
    await accepting(this.#context.api.remove(kind, { namespace, name }, { preconditions: { uid }, gracePeriodSeconds: 0 }), 'NotFound');
    return undefined;
  }

  async #renew(key: string, { metadata }: Workload): Promise<number | undefined> {
    const annotated = metadata.annotations?.[LEASE_ANNOTATION];
    const own = annotated === undefined ? undefined : { namespace: metadata.namespace ?? '', name: annotated };
    const lease = this.#leases.has(key) ? this.#leases.get(key) : own;
    if (!lease) return undefined;
    await renewLease(this.#context, lease);
    return LEASE_RENEW_MS;
  }

  async #write({ kind }: SimulatedKind, workload: Workload): Promise<void> {
    await accepting(this.#context.api.replace(kind, workload, 'status'), 'NotFound');
  }

  #kindOf(key: string): SimulatedKind | undefined {
    const { group, plural } = parseStorageKey(key);
    return this.#simulated.get(storagePrefix({ group, plural }));
  }
}

function keyOf({ kind, namespace, name }: WorkloadName): string {
  const simulated = SIMULATED_KINDS.find((candidate) => candidate.kind.kind === kind);
  if (!simulated) throw new Error(`${kind} is not simulated`);
  return storageKey({ group: simulated.kind.group, plural: simulated.kind.plural, namespace, name });
}
