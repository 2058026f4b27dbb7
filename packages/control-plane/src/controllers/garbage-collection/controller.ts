import { deepEqual, errorMessage, type JsonObject, type Kind, type KubeObject, type OwnerReference } from '@outrigger/core';
import { parseStorageKey, storageKey } from '../../store/key.js';
import type { Change } from '../../store/contract.js';
import { accepting } from '../accepting.js';
import type { ControllerContext, RunningController } from '../contract.js';
import { everyEntry, PAGE } from '../../every-entry.js';
import { Worker } from '../worker.js';
import {
  decideGarbage,
  FOREGROUND_FINALIZER,
  type GarbageDecision,
  isDeleting,
  isDeletingForeground,
  ORPHAN_FINALIZER,
  type OwnerState,
} from './decide.js';
import { OwnerGraph, ownersOf } from './owner-graph.js';

/** The time in milliseconds after which the collector checks an object again if the kind of one of its owners is not served. */
const UNRESOLVABLE_RETRY_MS = 30_000;

/** Starts a controller that deletes objects whose owners no longer exist, and performs foreground and orphaning deletion. */
export function startGarbageCollection(context: ControllerContext): RunningController {
  const collector = new Collector(context);
  return { stop: () => collector.stop() };
}

class Collector {
  readonly #context: ControllerContext;
  readonly #graph = new OwnerGraph();
  readonly #worker: Worker;
  readonly #unsubscribe: () => void;
  readonly #scanned: Promise<void>;
  #isStopped = false;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#worker = new Worker(context.runtime, 'garbage-collection', (key) => this.#pass(key));
    this.#unsubscribe = context.store.subscribe((change) => this.#observe(change));
    this.#scanned = this.#scan().catch((error: unknown) => {
      context.runtime.log.error({ error: errorMessage(error) }, 'garbage collection cannot read the store: nothing is collected');
    });
  }

  /**
   * Reads all objects in the store, page by page, and yields between pages, so that a large store does not block requests. No object is
   * collected before all objects are known. An object that need not change gets no pass now, because a later change of the object or of its
   * owners causes a pass.
   */
  async #scan(): Promise<void> {
    let count = 0;
    /**
     * The owners that were found `solid` while reading this page, each by storage key and uid. Objects of a page often have the same owner.
     */
    const solid = new Set<string>();
    for (const { key, object } of everyEntry(this.#context.store, '')) {
      this.#graph.update(key, undefined, object);
      if (concerns(object) && !this.#stays(key, object, solid)) this.#worker.add(key);
      count += 1;
      if (count % PAGE === 0) {
        solid.clear();
        await this.#context.runtime.timers.yield();
      }
      if (this.#isStopped) return;
    }
    this.#worker.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#scanned;
    await this.#worker.stop();
  }

  #observe({ type, key, object, previous }: Change): void {
    const after = type === 'put' ? object : undefined;
    if (type === 'put' && ((!concerns(object) && !concerns(previous)) || hasSameLinks(previous, object))) return;
    this.#graph.update(key, previous, after);
    if (after) this.#worker.add(key);
    else for (const dependent of this.#graph.dependentsOf(object.metadata.uid ?? '')) this.#worker.add(dependent);
    // An owner that is being deleted in the foreground may be waiting until this object is deleted or no longer names it.
    for (const owner of ownersOf(previous)) this.#addIfWaiting(key, owner);
  }

  #addIfWaiting(dependentKey: string, owner: OwnerReference): void {
    const ownerKey = this.#ownerKey(dependentKey, owner);
    if (ownerKey !== undefined && isDeletingForeground(this.#context.store.get(ownerKey)?.object)) this.#worker.add(ownerKey);
  }

  async #pass(key: string): Promise<number | undefined> {
    const object = this.#context.store.get(key)?.object;
    if (!object) return undefined;
    const uid = object.metadata.uid ?? '';
    const decision = decideGarbage({
      object,
      ownerState: (owner) => this.#ownerState(key, owner),
      dependents: this.#graph.dependentsOf(uid),
      blockingDependents: this.#graph.blockingDependentsOf(uid),
      isDeletingForeground: (dependent) => isDeletingForeground(this.#context.store.get(dependent)?.object),
    });
    return this.#carryOut(decision, key, object);
  }

  async #carryOut(decision: GarbageDecision, key: string, object: KubeObject): Promise<number | undefined> {
    switch (decision.type) {
      case 'keep':
        return undefined;
      case 'wait':
        return UNRESOLVABLE_RETRY_MS;
      case 'delete':
        if (decision.unblockFirst) return this.#unblockAndDelete(key, object);
        await this.#remove(key, object, decision.propagation);
        return undefined;
      case 'dropOwners':
        await this.#dropOwners(key, object, decision.uids);
        return undefined;
      case 'removeFinalizer':
        await this.#removeFinalizer(key, object, decision.finalizer);
        return undefined;
      case 'orphanDependents':
        await this.#orphan(object, decision.keys);
        await this.#removeFinalizer(key, object, ORPHAN_FINALIZER);
        return undefined;
      case 'collectDependents':
        for (const dependent of decision.keys) this.#worker.add(dependent);
        return undefined;
    }
  }

  /**
   * Whether the collector leaves an object unchanged. `solid` contains the owners that were found `solid` since the last yield; this method
   * adds to it.
   */
  #stays(key: string, object: KubeObject, solid: Set<string>): boolean {
    if (isDeleting(object)) return false;
    return ownersOf(object).every((owner) => {
      const id = `${this.#ownerKey(key, owner)} ${owner.uid}`;
      if (solid.has(id)) return true;
      if (this.#ownerState(key, owner) !== 'solid') return false;
      solid.add(id);
      return true;
    });
  }

  #ownerState(dependentKey: string, owner: OwnerReference): OwnerState {
    const kind = this.#kindOf(owner);
    if (!kind) return 'unresolvable';
    if (kind.namespaced && parseStorageKey(dependentKey).namespace === '') return 'misplaced';
    const found = this.#context.store.get(this.#ownerKey(dependentKey, owner) ?? '')?.object;
    if (!found || found.metadata.uid !== owner.uid) return 'absent';
    return isDeletingForeground(found) ? 'waitingForDependents' : 'solid';
  }

  #kindOf(owner: OwnerReference): Kind | undefined {
    const slash = owner.apiVersion.indexOf('/');
    return this.#context.catalog.byGroupKind(slash < 0 ? '' : owner.apiVersion.slice(0, slash), owner.kind);
  }

  /** Returns the storage key of an owner. A namespaced owner is in the namespace of its dependent. */
  #ownerKey(dependentKey: string, owner: OwnerReference): string | undefined {
    const kind = this.#kindOf(owner);
    if (!kind) return undefined;
    const namespace = kind.namespaced ? parseStorageKey(dependentKey).namespace : '';
    return storageKey({ group: kind.group, plural: kind.plural, namespace, name: owner.name });
  }

  async #remove(key: string, object: KubeObject, propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Promise<void> {
    const target = this.#target(key);
    if (!target) return;
    const { uid, resourceVersion } = object.metadata;
    await accepting(
      this.#context.api.remove(target.kind, target.key, { preconditions: { uid, resourceVersion }, propagationPolicy }),
      'NotFound',
    );
  }

  async #unblockAndDelete(key: string, object: KubeObject): Promise<undefined> {
    const ownerReferences = ownersOf(object).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    const unblocked = await this.#patchMeta(key, object, { ownerReferences });
    if (unblocked) await this.#remove(key, unblocked, 'Foreground');
    return undefined;
  }

  async #dropOwners(key: string, object: KubeObject, uids: readonly string[]): Promise<void> {
    const ownerReferences = ownersOf(object).filter((owner) => !uids.includes(owner.uid));
    await this.#patchMeta(key, object, { ownerReferences: ownerReferences.map((owner) => ({ ...owner })) });
  }

  async #orphan(owner: KubeObject, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const dependent = this.#context.store.get(key)?.object;
      if (dependent) await this.#dropOwners(key, dependent, [owner.metadata.uid ?? '']);
    }
  }

  async #removeFinalizer(key: string, object: KubeObject, finalizer: string): Promise<void> {
    await this.#patchMeta(key, object, { finalizers: (object.metadata.finalizers ?? []).filter((name) => name !== finalizer) });
  }

  /** Patches the metadata of an object. Resolves with undefined if the object no longer exists. */
  async #patchMeta(key: string, object: KubeObject, metadata: JsonObject): Promise<KubeObject | undefined> {
    const target = this.#target(key);
    if (!target) return undefined;
    const { uid, resourceVersion } = object.metadata;
    return accepting(
      this.#context.api.mergePatch(target.kind, target.key, { metadata: { ...metadata, uid, resourceVersion } }),
      'NotFound',
    );
  }

  #target(key: string): { readonly kind: Kind; readonly key: { readonly name: string; readonly namespace?: string } } | undefined {
    const { group, plural, namespace, name } = parseStorageKey(key);
    const kind = this.#context.catalog.byResource(group, plural);
    if (!kind) return undefined;
    return { kind, key: kind.namespaced ? { namespace, name } : { name } };
  }
}

/**
 * Whether two states of an object are the same for the collector, so that it need not check the object again. Most changes only write a
 * status, which the collector does not read.
 */
function hasSameLinks(before: KubeObject | undefined, { metadata: after }: KubeObject): boolean {
  if (!before) return false;
  const { ownerReferences, finalizers, deletionTimestamp } = before.metadata;
  return (
    deletionTimestamp === after.deletionTimestamp &&
    deepEqual(ownerReferences ?? [], after.ownerReferences ?? []) &&
    deepEqual(finalizers ?? [], after.finalizers ?? [])
  );
}

/** Whether the collector has to check an object: the object has owners, or a finalizer of the garbage collector. */
function concerns(object: KubeObject | undefined): boolean {
  if (!object) return false;
  const ownerReferences = object.metadata.ownerReferences ?? [];
  const finalizers = object.metadata.finalizers ?? [];
  return ownerReferences.length > 0 || finalizers.includes(FOREGROUND_FINALIZER) || finalizers.includes(ORPHAN_FINALIZER);
}
