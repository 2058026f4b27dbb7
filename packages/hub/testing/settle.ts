import { type Kind, type KubeObject, type ObjectKey, keyOf, keyString, mergePatch } from '@outrigger/core';
import type { AnyAction, CacheView, Controller, Decision, Outcomes, Resource } from '@outrigger/kube';
import { nowAt, passOf, viewOf } from '@outrigger/kube/testing';

/** A hub of plain objects, for tests that run passes of one controller without a server. */
export class ObjectHub {
  readonly #objects = new Map<string, KubeObject>();
  readonly #resources: readonly Resource[];
  #revision = 1;

  constructor(controller: Pick<Controller<never>, 'watches' | 'reads'>, objects: readonly KubeObject[]) {
    this.#resources = [...new Set([...controller.watches.map(({ resource }) => resource), ...(controller.reads ?? [])])];
    for (const object of objects) this.put(object);
  }

  get view(): CacheView {
    return viewOf(...this.#resources.map((resource) => [resource, this.list(resource.kind)] as const));
  }

  put(object: KubeObject): void {
    const id = idOf(object.kind, keyOf(object));
    const { uid = `uid-${id}` } = object.metadata;
    this.#objects.set(id, { ...object, metadata: { generation: 1, ...object.metadata, uid, resourceVersion: String(++this.#revision) } });
  }

  remove(kind: Kind, key: ObjectKey): void {
    this.#objects.delete(idOf(kind.kind, key));
  }

  list<T extends KubeObject>(kind: Kind<T>): readonly T[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind.kind) as T[];
  }

  find<T extends KubeObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.#objects.get(idOf(kind.kind, key)) as T | undefined;
  }

  /** Performs an action as a server would. Tests perform effects themselves. */
  perform(action: AnyAction): void {
    if (action.type === 'effect') return;
    if (action.type === 'create' || action.type === 'replace' || action.type === 'apply') {
      const { status: _, ...object } = action.object as KubeObject & { status?: unknown };
      this.put(action.type === 'create' && hasStatus(action.kind) ? object : action.object);
      return;
    }
    const found = this.find(action.kind, action.key);
    if (!found) throw new Error(`${action.type} of ${action.kind.kind} ${keyString(action.key)}, which does not exist`);
    if (action.precondition.uid !== found.metadata.uid) throw new Error(`${action.id}: another uid`);
    const { resourceVersion } = action.precondition;
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) throw new Error(`${action.id}: conflict`);
    if (action.type === 'patch') this.#patched(mergePatch<KubeObject>(found, action.patch));
    else if ((found.metadata.finalizers ?? []).length > 0)
      this.#patched({ ...found, metadata: { ...found.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    else this.remove(action.kind, action.key);
  }

  #patched(object: KubeObject): void {
    const isGone = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    this.put(object);
    if (isGone) this.#objects.delete(idOf(object.kind, keyOf(object)));
  }
}

/** Whether a create request drops the status of an object of this kind. A create request for a built-in kind keeps the status. */
function hasStatus({ group }: Kind): boolean {
  return group !== '' && group !== 'coordination.k8s.io' && group !== 'rbac.authorization.k8s.io';
}

function idOf(kind: string, key: ObjectKey): string {
  return `${kind} ${keyString(key)}`;
}

export interface Settling<Memory, Effects> {
  /** One decision for each pass that contained actions. */
  readonly decisions: readonly Decision<Memory, Effects>[];
  /** The decision of the last pass, which contained no actions. */
  readonly rest: Decision<Memory, Effects> | undefined;
  /** The value that the last pass stored, for a test that continues as the same process. */
  readonly remembered: Memory | undefined;
}

/** Runs passes over a key until a pass has no actions. Calls `afterStage` after every stage, in each state that a reader could observe. */
export function settle<State, Memory, Effects>(
  controller: Controller<State, Memory, Effects>,
  hub: ObjectHub,
  key: ObjectKey,
  options: {
    readonly now: number;
    /** The time of the passes on the monotonic clock. The default is 0. */
    readonly monotonic?: number;
    readonly outcomes?: Outcomes;
    readonly afterStage?: () => void;
    readonly remembered?: Memory | undefined;
  },
): Settling<Memory, Effects> {
  const decisions: Decision<Memory, Effects>[] = [];
  let { remembered } = options;
  for (let pass = 0; pass < 50; pass++) {
    const decision = passOf(controller, hub.view, key, nowAt(options.now, options.monotonic), options.outcomes, remembered);
    remembered = decision?.remember ?? remembered;
    if (!decision || decision.stages.flat().length === 0) return { decisions, rest: decision, remembered };
    decisions.push(decision);
    for (const stage of decision.stages) {
      for (const action of stage) hub.perform(action);
      options.afterStage?.();
    }
  }
  throw new Error(`${controller.name} ${keyString(key)} does not come to rest`);
}
