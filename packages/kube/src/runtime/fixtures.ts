import { type Kind, type KubeObject, keyOf, type Projected } from '@outrigger/core';
import { createClient } from '../client/client.js';
import type { Client } from '../client/types.js';
import { type AnyController, type Controller, type Source, type SourceContext, defineController, watch } from '../controller.js';
import type { Action, Decision } from '../decision.js';
import { createMemoryApi, type MemoryApi, type MemoryApiOptions } from '../../testing/memory-api.js';
import { CALM, connect, type Faults } from '../../testing/network.js';
import { Simulator } from '../../testing/simulator.js';
import { createVirtualRuntime, type VirtualRuntime } from '../../testing/virtual-runtime.js';
import type { Resource } from '../resource.js';
import { createManager, type Manager, type ManagerOptions } from './manager.js';

/** Kinds for tests: a parent needs `size` children. */
export interface Parent extends KubeObject {
  readonly spec: { readonly size: number; readonly paused?: boolean };
  readonly status?: { readonly ready: number; readonly problem?: string };
}
export interface Child extends KubeObject {
  readonly spec: { readonly parent: string; readonly index: number };
}
export const PARENTS: Kind<Parent> = { group: 'toy.dev', version: 'v1', kind: 'Parent', plural: 'parents', namespaced: true };
export const CHILDREN: Kind<Child> = { group: 'toy.dev', version: 'v1', kind: 'Child', plural: 'children', namespaced: true };
export const PARENT_PATH = 'toy.dev/v1/parents';
export const CHILD_PATH = 'toy.dev/v1/children';
export const NAMESPACE = 'toy';

export interface ParentProjection extends Projected {
  readonly size: number;
  readonly paused: boolean;
  readonly ready: number;
  readonly problem: string;
}
export interface ChildProjection extends Projected {
  readonly parent: string;
  readonly index: number;
}

const identity = (object: KubeObject): Projected => ({
  key: keyOf(object),
  uid: object.metadata.uid ?? '',
  resourceVersion: object.metadata.resourceVersion ?? '',
});

export const parents: Resource<ParentProjection> = {
  name: 'parents',
  api: 'hub',
  kind: PARENTS,
  project: (object) => {
    const { spec, status } = object as Parent;
    if (spec.size < 0) throw new Error('a negative size');
    return {
      ...identity(object),
      size: spec.size,
      paused: spec.paused ?? false,
      ready: status?.ready ?? 0,
      problem: status?.problem ?? '',
    };
  },
  indexes: {},
};
export const children: Resource<ChildProjection, 'parent'> = {
  name: 'children',
  api: 'hub',
  kind: CHILDREN,
  project: (object, intern) => ({
    ...identity(object),
    parent: intern((object as Child).spec.parent),
    index: (object as Child).spec.index,
  }),
  indexes: { parent: ({ parent }) => [parent] },
};

export function parent(name: string, spec: Parent['spec']): Parent {
  return { apiVersion: 'toy.dev/v1', kind: 'Parent', metadata: { name, namespace: NAMESPACE }, spec };
}

export function child(of: string, index: number, metadata: KubeObject['metadata'] = { name: `${of}-${index}` }): Child {
  return { apiVersion: 'toy.dev/v1', kind: 'Child', metadata: { ...metadata, namespace: NAMESPACE }, spec: { parent: of, index } };
}

export function createChild(of: string, index: number): Action {
  return { type: 'create', api: 'hub', kind: CHILDREN, id: `child/${index}`, object: child(of, index) };
}

export function deleteChild({ key, uid, index }: ChildProjection): Action {
  return { type: 'delete', api: 'hub', kind: CHILDREN, id: `child/${index}`, key, precondition: { uid }, accept: ['NotFound'] };
}

export function patchStatus(projection: ParentProjection, status: Parent['status'] & {}): Action {
  const { key, uid, resourceVersion } = projection;
  const precondition = { uid, resourceVersion };
  return { type: 'patch', api: 'hub', kind: PARENTS, id: 'status', key, patch: { status }, precondition, subresource: 'status' };
}

export interface ToyState {
  readonly parent: ParentProjection | undefined;
  readonly children: readonly ChildProjection[];
  /** The message of the error response to the creation of the first child; empty if there was none. */
  readonly problem: string;
  readonly hasSucceeded: boolean;
}

/** A controller that follows every rule of the contract. Each test replaces the part that it tests. */
export function toyController(overrides: Partial<Controller<ToyState>> = {}): Controller<ToyState> {
  return defineController({
    name: 'toy',
    watches: [
      watch(parents, ({ before, after }) => [(after ?? before)?.key ?? { name: '' }]),
      watch(children, ({ before, after }) =>
        [before, after].flatMap((projection) => (projection ? [{ namespace: NAMESPACE, name: projection.parent }] : [])),
      ),
    ],
    observe(view, key, outcomes) {
      const found = view.byIndex(children, 'parent', key.name);
      const owner = view.get(parents, key);
      if (!owner && found.length === 0) return undefined;
      return {
        parent: owner,
        children: found,
        problem: outcomes.refusal('child/0')?.message ?? '',
        hasSucceeded: outcomes.hasSucceeded('child/0'),
      };
    },
    decide: decideToy,
    ...overrides,
  });
}

export function decideToy({ parent: owner, children: found, problem, hasSucceeded }: ToyState): Decision {
  const size = owner?.size ?? 0;
  const sorted = [...found].sort((a, b) => a.index - b.index);
  const surplus = sorted.filter(({ index }) => index >= size).map(deleteChild);
  if (!owner) return { stages: [surplus] };
  if (owner.paused) return { stages: [] };
  const present = new Set(found.map(({ index }) => index));
  const missing = Array.from({ length: size }, (_, index) => index).filter((index) => !present.has(index));
  const wantedProblem = problem || (hasSucceeded ? '' : owner.problem);
  const isReported = owner.ready === found.length && owner.problem === wantedProblem;
  const status = isReported ? [] : [patchStatus(owner, { ready: found.length, problem: wantedProblem })];
  return { stages: [[...missing.map((index) => createChild(owner.key.name, index)), ...surplus, ...status]] };
}

export interface World {
  readonly simulator: Simulator;
  readonly api: MemoryApi;
  /** A client without faults that belongs to no process under test. */
  readonly user: Client;
  readonly faults: Faults;
  /**
   * Starts a process that runs the controllers. `wire` may change the options of the runtime's `Manager`. Each controller gets a source for
   * tests; `source` returns the context of one controller's source, with which a test can wake keys and add watches.
   */
  start(
    controllers: readonly AnyController[],
    wire?: (options: ManagerOptions) => ManagerOptions,
  ): { manager: Manager; runtime: VirtualRuntime; source: (controller: string) => SourceContext };
  /** Returns one line per write since the last call, such as `DELETE children/a-0 409`. Writes by `user` are left out. */
  writes(): readonly string[];
}

export function world(
  options: { readonly seed?: number; readonly faults?: Partial<Faults>; readonly admit?: MemoryApiOptions['admit'] } = {},
): World {
  const simulator = new Simulator({ seed: options.seed ?? 1 });
  const server = createVirtualRuntime(simulator, 'server');
  const api = createMemoryApi({ runtime: server, ...(options.admit ? { admit: options.admit } : {}) });
  const faults: Faults = { ...CALM, ...options.faults };
  const user = createVirtualRuntime(simulator, 'user');
  let processes = 0;
  let read = 0;
  return {
    simulator,
    api,
    user: createClient({ transport: connect(simulator, api.transport, { client: user, faults: CALM }), runtime: user }),
    faults,
    start(controllers, wire = (same) => same) {
      const runtime = createVirtualRuntime(simulator, `process-${processes++}`);
      const hub = createClient({ transport: connect(simulator, api.transport, { client: runtime, faults }), runtime });
      const contexts = new Map<string, SourceContext>();
      const sourced = controllers.map((controller) => {
        const source: Source = {
          start(context) {
            contexts.set(controller.name, context);
            return () => undefined;
          },
        };
        return { ...controller, sources: [...(controller.sources ?? []), source] };
      });
      const manager = createManager(wire({ runtime, apis: { hub }, controllers: sourced }));
      void manager.start();
      return { manager, runtime, source: (controller) => contexts.get(controller) as SourceContext };
    },
    writes() {
      const lines = simulator.log.slice(read).flatMap((line) => {
        const match = /^\S+ process-\d+: (POST|PUT|PATCH|DELETE) (\S+) (\d+|lost.*)$/.exec(line);
        return match ? [`${match[1]} ${(match[2] as string).split('/').slice(6).join('/')} ${match[3]}`] : [];
      });
      read = simulator.log.length;
      return lines;
    },
  };
}
