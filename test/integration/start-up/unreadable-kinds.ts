import {
  KIND_DEFINITIONS,
  type PolicyRule,
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinition,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { type Kind, asJson, isApiError } from '@outrigger/core';
import { type Client, type Manager, type Trouble, unreadableKinds } from '@outrigger/kube';
import { expect } from 'vitest';
import type { Eventually } from '../../world/eventually.js';
import { crds } from '../work/world.js';

/** A hub whose CRDs and permissions the test changes, and the managers that run on the hub. */
export interface StartUpWorld {
  readonly admin: Client;
  readonly eventually: Eventually;
  /** Creates a manager that acts as this user; by default, as an administrator. It stops with the world. */
  manager(user?: string): Promise<Manager>;
}

const WITHOUT_RIGHTS = 'manager-without-rights';

/** The kinds that the hub's controllers need, each with its controllers, sorted by name. */
export type NeededKinds = ReadonlyMap<string, NeededKind>;

interface NeededKind {
  readonly kind: Kind;
  readonly controllers: ReadonlySet<string>;
  /** Whether the manager treats the kind as empty if the server does not serve it. No controller then waits for the kind. */
  readonly isEmptyIfNotServed: boolean;
}

/** Returns the kinds that a controller needs, from the errors of a manager that may read nothing. */
export async function neededKinds(world: StartUpWorld): Promise<NeededKinds> {
  const manager = await world.manager(WITHOUT_RIGHTS);
  await manager.start();
  const needed = kindsOf(manager.troubles);
  expect(manager.acting).toEqual([]);
  expect(needed.size).toBeGreaterThanOrEqual(20);
  await manager.stop();
  return needed;
}

function kindsOf(troubles: readonly Trouble[]): NeededKinds {
  const found = new Map<string, NeededKind & { readonly controllers: Set<string> }>();
  for (const { resource, controllers } of troubles) {
    if (controllers.length === 0) continue;
    const name = `${resource.kind.plural}.${resource.kind.group}`;
    const isEmptyIfNotServed = resource.isEmptyIfNotServed ?? false;
    const entry = found.get(name) ?? { kind: resource.kind, controllers: new Set<string>(), isEmptyIfNotServed };
    for (const controller of controllers) entry.controllers.add(controller);
    found.set(name, entry);
  }
  return new Map(Array.from(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function controllersOf(needed: NeededKinds): ReadonlySet<string> {
  return new Set(Array.from(needed.values()).flatMap(({ controllers }) => Array.from(controllers)));
}

/** Returns the controllers that act although this kind cannot be read. */
function unaffected(needed: NeededKinds, name: string): readonly string[] {
  const affected = needed.get(name)?.controllers;
  return Array.from(controllersOf(needed))
    .filter((controller) => !affected?.has(controller))
    .sort();
}

/**
 * Starts a manager that may read every kind but one. The controllers that need this kind wait until an administrator grants the permission.
 */
export async function startsWithoutRight(world: StartUpWorld, needed: NeededKinds, name: string): Promise<void> {
  const user = `manager-without-${name}`;
  const { kind } = needed.get(name) as NeededKind;
  const others = Array.from(needed.values(), (other) => other.kind).filter((other) => other !== kind);
  await grant(world.admin, user, others);
  const manager = await world.manager(user);
  await manager.start();
  await othersAct(world, manager, needed, name);
  expect(manager.troubles[0]?.problem).toContain('forbidden');
  await grant(world.admin, user, [...others, kind]);
  await allAct(world, manager, needed);
  await manager.stop();
}

/**
 * Starts a manager on a hub that does not serve one kind. The controllers that need the kind wait until it is served. No controller waits
 * for a kind that the manager treats as empty until then.
 */
export async function startsWithoutDefinition(world: StartUpWorld, needed: NeededKinds, name: string): Promise<void> {
  const definition = definitionOf(name);
  await world.admin.delete(crds, { name });
  await world.eventually(`${name} is not served`, async () => ((await isServed(world.admin, needed, name)) ? undefined : true));
  const manager = await world.manager();
  await manager.start();
  await (needed.get(name)?.isEmptyIfNotServed ? allAct(world, manager, needed) : othersAct(world, manager, needed, name));
  await world.admin.create(crds, definition);
  await allAct(world, manager, needed);
  await manager.stop();
}

/** Returns the names of the needed kinds that have a CRD, and so may be missing on a hub. */
export function definedKinds(needed: NeededKinds): readonly string[] {
  return Array.from(needed.keys()).filter((name) => KIND_DEFINITIONS.some(({ plural, group }) => `${plural}.${group}` === name));
}

/** On a hub without AddOnTemplates a cluster still joins, because the controllers that need no template do their work. */
export async function acceptsClustersWithoutTemplates(world: StartUpWorld): Promise<void> {
  const name = 'addontemplates.addon.open-cluster-management.io';
  const manager = await world.manager();
  await world.admin.delete(crds, { name });
  await world.eventually(`${name} is gone`, async () => {
    try {
      await world.admin.get(crds, { name });
      return undefined;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return true;
      throw error;
    }
  });
  await manager.start();
  await world.admin.create(managedClusters, {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'without-templates' },
    spec: { hubAcceptsClient: true },
  });
  await world.eventually('the cluster has its namespace', async () => {
    try {
      return await world.admin.get(namespaces, { name: 'without-templates' });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  });
  await world.admin.create(crds, definitionOf(name));
  await manager.stop();
}

/** Waits until only the controllers that do not need the kind are active. A new permission takes effect a moment after it is created. */
async function othersAct({ eventually }: StartUpWorld, manager: Manager, needed: NeededKinds, name: string): Promise<void> {
  await eventually(`the controllers that do not need ${name} act`, async () => {
    expect([...manager.acting].sort()).toEqual(unaffected(needed, name));
    expect(Array.from(kindsOf(manager.troubles).keys())).toEqual([name]);
    return true;
  });
}

async function allAct(world: StartUpWorld, manager: Manager, needed: NeededKinds): Promise<void> {
  const all = controllersOf(needed).size;
  await world.eventually('every controller acts', async () => (manager.acting.length === all && manager.isSynced ? true : undefined));
  expect(unreadableKinds(manager.troubles)).toEqual([]);
}

async function isServed(client: Client, needed: NeededKinds, name: string): Promise<boolean> {
  try {
    await client.list((needed.get(name) as NeededKind).kind);
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

export function definitionOf(name: string): ReturnType<typeof customResourceDefinition> {
  const definition = KIND_DEFINITIONS.find(({ plural, group }) => `${plural}.${group}` === name);
  if (!definition) throw new Error(`no definition of ${name}`);
  return customResourceDefinition(definition);
}

/** Replaces the permissions of a user with the permission to read the given kinds, and further ones. */
export async function grant(admin: Client, user: string, kinds: readonly Kind[], further: readonly PolicyRule[] = []): Promise<void> {
  const readable = kinds.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] }));
  const rules = [...readable, ...further];
  const meta = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user } };
  try {
    await admin.patch(clusterRoles, { name: user }, { type: 'merge', patch: { rules: asJson(rules) } });
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
    await admin.create(clusterRoles, { ...meta, kind: 'ClusterRole', rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user } as const;
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user } as const];
    await admin.create(clusterRoleBindings, { ...meta, kind: 'ClusterRoleBinding', roleRef, subjects });
  }
}
