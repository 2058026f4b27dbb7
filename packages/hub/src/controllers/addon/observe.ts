import { preDeleteWorkName } from '@outrigger/api';
import { type ObjectKey, findCondition, isConditionTrue, keyString } from '@outrigger/core';
import type { CacheView, KeyMemory } from '@outrigger/kube';
import { strategyLookups } from '../../lookups/strategy.js';
import { templateLookups } from '../../lookups/templates.js';
import type { OtherConfigs } from '@outrigger/rules/configuration';
import { configLookup } from '../../lookups/configs.js';
import { declaredCycles } from '../../lookups/dependency-cycles.js';
import type { DependencyLookups } from '@outrigger/rules/dependencies';
import type { RequestProblems } from '../../registration/request-problems.js';
import type { AddOnProjection, DeclarationProjection } from '@outrigger/rules/observed';
import { addOns } from '../../resources/add-ons.js';
import { type BindingProjection, permissionBindings } from '../../resources/bindings.js';
import { clusters } from '../../resources/clusters.js';
import { declarations } from '../../resources/declarations.js';
import { rollouts } from '../../resources/rollouts.js';
import { type TokenObjectProjection, tokenAccounts, tokenBindings, tokenRoles } from '../../resources/token-objects.js';
import { works } from '../../resources/works.js';
import { hasTemplate } from '@outrigger/rules/revisions';
import { membershipOf } from '@outrigger/rules/strategy';
import { knownTemplates, versionsOf } from '@outrigger/rules/versions';
import { requests } from '../registration/request.js';
import type { AddOnMemory, AddOnState, HubAccess, Leftovers } from './state.js';

export interface ObserveOptions {
  readonly otherConfigs: OtherConfigs;
  readonly contentNamespace: string;
  /** The known problems of the certificate requests of add-ons. */
  readonly requestProblems?: Pick<RequestProblems, 'of'>;
}

/** Without a declaration, no strategy selects clusters or removes add-ons. */
const NO_SPEC: DeclarationProjection['spec'] = {};

/** Reads all inputs of a pass in one synchronous turn. */
export function observe(
  view: CacheView,
  key: ObjectKey,
  memory: KeyMemory<AddOnMemory>,
  options: ObserveOptions,
): AddOnState | Leftovers | undefined {
  const clusterAddOn = view.get(addOns, key);
  if (!clusterAddOn) return leftovers(view, key);
  const cluster = key.namespace ?? '';
  const managementAddOn = view.get(declarations, { name: key.name });
  const rollout = view.get(rollouts, { name: key.name });
  const all = view.byIndex(works, 'addOn', keyString(key));
  const hookWork = all.find((work) => work.key.name === preDeleteWorkName(key.name));
  return {
    clusterAddOn,
    managementAddOn,
    cluster: view.get(clusters, { name: cluster }),
    membership: membershipOf(strategyLookups(view), managementAddOn?.spec ?? NO_SPEC, cluster, rollout?.status),
    rollout,
    catalog: versionsOf(
      managementAddOn,
      knownTemplates(templateLookups(view), key.name, managementAddOn?.spec),
      hasTemplate(rollout?.status),
    ),
    configs: configLookup(view, options.otherConfigs),
    contentNamespace: options.contentNamespace,
    dependencies: managementAddOn?.spec.dependencies ?? [],
    prerequisites: prerequisites(view, key, managementAddOn),
    works: all.filter((work) => work !== hookWork),
    hookWork,
    access: accessOf(view, key),
    requests: {
      problems: options.requestProblems?.of(key) ?? [],
      open: view.byIndex(requests, 'clusterAddOn', keyString(key)).map((request) => request.key.name),
    },
    outcomes: memory,
    ...recalled(memory.remembered),
  };
}

function recalled(memory: AddOnMemory | undefined): Pick<AddOnState, 'remembered' | 'rememberedDeletion'> {
  if (memory === undefined) return { remembered: undefined, rememberedDeletion: undefined };
  return 'deleted' in memory
    ? { remembered: undefined, rememberedDeletion: memory.deleted }
    : { remembered: memory, rememberedDeletion: undefined };
}

/**
 * The bindings and token objects that remain after an add-on was deleted. Only those without an owner must be deleted here, because the
 * garbage collector deletes the others.
 */
function leftovers(view: CacheView, key: ObjectKey): Leftovers | undefined {
  const { bindings, tokenObjects } = accessOf(view, key);
  const isOwnerless = ({ ownerReferences }: BindingProjection | TokenObjectProjection): boolean => ownerReferences.length === 0;
  const access = { bindings: bindings.filter(isOwnerless), outdatedBindings: [], tokenObjects: tokenObjects.filter(isOwnerless) };
  return access.bindings.length + access.tokenObjects.length > 0 ? { clusterAddOn: undefined, access } : undefined;
}

function accessOf(view: CacheView, key: ObjectKey): HubAccess {
  const id = keyString(key);
  return {
    bindings: view.byIndex(permissionBindings, 'addOn', id),
    outdatedBindings: outdatedBindings(view, key),
    tokenObjects: [tokenAccounts, tokenRoles, tokenBindings].flatMap((resource) => view.byIndex(resource, 'addOn', id)),
  };
}

/**
 * Bindings that upstream's manager created and that are outdated. A binding in the cluster's namespace serves only this add-on. A binding
 * in another namespace serves all clusters, so it is outdated only when every cluster of the add-on has its own binding in that namespace.
 */
function outdatedBindings(view: CacheView, key: ObjectKey): readonly BindingProjection[] {
  const upstream = view.byIndex(permissionBindings, 'upstream', key.name);
  if (upstream.length === 0) return [];
  const installed = view.byIndex(addOns, 'addOn', key.name);
  const isCluster = (namespace: string): boolean => installed.some((clusterAddOn) => clusterAddOn.key.namespace === namespace);
  return upstream.filter(({ key: { namespace = '' } }) =>
    namespace === key.namespace
      ? true
      : !isCluster(namespace) &&
        installed.every((clusterAddOn) =>
          view.byIndex(permissionBindings, 'addOn', keyString(clusterAddOn.key)).some((own) => own.key.namespace === namespace),
        ),
  );
}

/**
 * Looks up other add-ons on the add-on's cluster. Searches for cycles only among the declarations that this declaration depends on,
 * directly or indirectly.
 */
function prerequisites(view: CacheView, key: ObjectKey, managementAddOn: DeclarationProjection | undefined): DependencyLookups {
  const dependencies = managementAddOn?.spec.dependencies ?? [];
  const cycles = dependencies.length === 0 ? undefined : declaredCycles(view, key.name);
  return {
    prerequisite(name) {
      const other = view.get(addOns, { ...key, name });
      return other && summary(other);
    },
    cycle: (name) => cycles?.through(name),
  };
}

function summary(clusterAddOn: AddOnProjection): { isDeleting: boolean; isAvailable: boolean; degradedReason: string | undefined } {
  const { conditions } = clusterAddOn.status;
  const degraded = findCondition(conditions, 'Degraded');
  return {
    isDeleting: clusterAddOn.isDeleting,
    isAvailable: isConditionTrue(conditions, 'Available'),
    degradedReason: degraded?.status === 'True' ? degraded.reason : undefined,
  };
}
