import { asJson, deepEqual, errorMessage, type Selector } from '@outrigger/core';
import { aggregatedRules, aggregates, selectorsOf } from '../authz/aggregation.js';
import type { Role } from '../authz/policy.js';
import { everyEntry } from '../every-entry.js';
import { storagePrefix } from '../store/key.js';
import type { ControllerContext, RunningController } from './contract.js';
import { lookUp } from './follow.js';
import { clusterRoles } from './kinds.js';
import { Worker } from './worker.js';

/** Keeps the rules of each ClusterRole that has an aggregation rule equal to the rules of the ClusterRoles that it selects. */
export function startRoleAggregation(context: ControllerContext): RunningController {
  const { runtime, store } = context;
  /** The selectors of each aggregated role, by the role's name. A fleet has many roles, but few aggregated ones. */
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

/**
 * Returns the selectors of a role, or none if one of them is invalid. This function must not throw, because it runs inside the write of the
 * role, and the write must succeed.
 */
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
  await context.api.mergePatch(clusterRoles, { name }, { metadata: { resourceVersion }, rules: asJson(rules) });
}

function everyRole({ store }: ControllerContext): Role[] {
  return [...everyEntry(store, PREFIX)].map(({ object }) => object);
}
