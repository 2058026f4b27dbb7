import { compileLabelSelector, deepEqual, errorMessage, type JsonObject, type KubeObject, type Selector } from '@outrigger/core';
import type { PolicyRule, Role } from '../authz/policy.js';
import { everyEntry } from '../every-entry.js';
import { storagePrefix } from '../store/key.js';
import type { ControllerContext, RunningController } from './contract.js';
import { lookUp } from './follow.js';
import { clusterRoles } from './kinds.js';
import { Worker } from './worker.js';

/** Fills ClusterRoles that have an aggregation rule with the rules of the ClusterRoles it selects. */
export function startRoleAggregation(context: ControllerContext): RunningController {
  const { runtime, store } = context;
  /** By the name of the role that aggregates: a fleet has many roles, and few of them concern anybody else. */
  const selectors = new Map<string, readonly Selector[]>();
  const worker = new Worker(runtime, 'role-aggregation', (name) => aggregate(context, name));
  const note = (role: Role | undefined, last: Role, previous: Role | undefined): void => {
    const name = last.metadata.name ?? '';
    if (role && aggregates(role)) selectors.set(name, readSelectors(context, role));
    else selectors.delete(name);
    for (const [target, wanted] of selectors) {
      const concerns = (part: Role | undefined): boolean => part !== undefined && wanted.some((one) => one.matches(part.metadata.labels));
      if (target === name || concerns(role) || concerns(previous)) worker.add(target);
    }
  };
  for (const role of everyRole(context)) note(role, role, undefined);
  const unsubscribe = store.subscribe(({ type, key, object, previous }) => {
    if (key.startsWith(PREFIX)) note(type === 'put' ? object : undefined, object, previous);
  });
  worker.start();
  return {
    stop: () => {
      unsubscribe();
      return worker.stop();
    },
  };
}

const PREFIX = storagePrefix(clusterRoles);

/** Runs inside somebody's write, which a selector nobody can read must not break. */
function readSelectors({ runtime }: ControllerContext, role: Role): readonly Selector[] {
  try {
    return selectorsOf(role);
  } catch (error) {
    runtime.log.warn({ clusterRole: role.metadata.name, error: errorMessage(error) }, 'aggregation rule cannot be read');
    return [];
  }
}

async function aggregate(context: ControllerContext, name: string): Promise<undefined> {
  const role = lookUp<Role>(context.store, clusterRoles, name);
  if (!role || !aggregates(role)) return;
  const rules = aggregatedRules(role, everyRole(context));
  if (deepEqual(rules, role.rules ?? [])) return;
  const { resourceVersion } = role.metadata;
  await context.api.mergePatch(clusterRoles, { name }, { metadata: { resourceVersion }, rules: rules as unknown as JsonObject[] });
}

/** The selected roles' rules, by role name, each distinct rule once. A role never selects itself. */
export function aggregatedRules(role: Role, roles: readonly Role[]): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const wanted of selectorsOf(role)) {
    const selected = roles.filter(({ metadata }) => metadata.name !== role.metadata.name && wanted.matches(metadata.labels));
    for (const { rules: own } of selected.sort(byName)) for (const rule of own ?? []) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

function selectorsOf(role: Role): Selector[] {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).map((selector) => compileLabelSelector(selector));
}

function everyRole({ store }: ControllerContext): Role[] {
  return [...everyEntry(store, PREFIX)].map(({ object }) => object);
}

function aggregates(role: Role): boolean {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
