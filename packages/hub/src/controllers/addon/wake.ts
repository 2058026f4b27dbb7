import { ADDON_GROUP, EVERY_CLUSTER } from '@outrigger/api';
import { type ObjectKey, conditionStatus, deepEqual, findCondition, keyString } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import {
  type ConfigRef,
  DEPLOYMENT_CONFIG_RESOURCE,
  type LiveConfig,
  refKey,
  TEMPLATE_RESOURCE,
  toRef,
} from '@outrigger/rules/configuration';
import { cycleMates } from '../../lookups/dependency-cycles.js';
import {
  type AddOnProjection,
  type ClusterProjection,
  type PlacementDecisionProjection,
  type DeclarationProjection,
  type DeploymentConfigProjection,
  homeOf,
  type RolloutProjection,
  type TemplateProjection,
} from '@outrigger/rules/observed';
import { addOns, versionKey } from '../../resources/add-ons.js';
import type { BindingProjection } from '../../resources/bindings.js';
import { declarations } from '../../resources/declarations.js';
import type { TokenObjectProjection } from '../../resources/token-objects.js';
import { strategyLookups } from '../../lookups/strategy.js';
import { hasGates } from '@outrigger/rules/revisions';
import { type StrategyEntry, entriesOf, isReselected } from '@outrigger/rules/strategy';
import type { WorkProjection } from '@outrigger/rules/works';

/** Each function returns the add-ons to wake for a change. The functions use indexes and never read all objects of a kind. */

/** Wakes the add-on itself and, if a field that dependents read changed, the add-ons on the same cluster that depend on it. */
export function wakeByAddOn({ before, after }: Change<AddOnProjection>, view: CacheView): ObjectKey[] {
  const clusterAddOn = after ?? before;
  if (!clusterAddOn) return [];
  // Wake a deleted add-on too, because some of its objects may remain.
  const own = [clusterAddOn.key];
  if (before && after && sameForDependents(before, after)) return own;
  const dependents = view.byIndex(declarations, 'dependency', clusterAddOn.key.name);
  return [...own, ...dependents.map((dependent) => ({ ...clusterAddOn.key, name: dependent.key.name }))];
}

function sameForDependents(a: AddOnProjection, b: AddOnProjection): boolean {
  const seen = ({ isDeleting, status: { conditions } }: AddOnProjection): unknown => [
    isDeleting,
    conditionStatus(conditions, 'Available'),
    findCondition(conditions, 'Degraded')?.reason,
  ];
  return deepEqual(seen(a), seen(b));
}

/**
 * Wakes all add-ons of a declaration if a field that they read changed. The add-ons do not read the counters in the declaration's status,
 * which change constantly. If the declaration's dependencies changed, also wakes the add-ons of declarations on a dependency cycle with
 * this declaration.
 */
export function wakeByDeclaration(change: Change<DeclarationProjection>, view: CacheView): ObjectKey[] {
  const { before, after } = change;
  const seen = (one: DeclarationProjection | undefined): unknown =>
    one && [one.uid, one.generation, one.isSelfManaged, one.status.supportedVersions, one.status.defaultVersion];
  if (deepEqual(seen(before), seen(after))) return [];
  const own = keysOfAddOn(view, (after ?? before)?.key.name);
  if (deepEqual(before?.spec.dependencies, after?.spec.dependencies)) return own;
  return [...own, ...cycleMates(view, change).flatMap((name) => keysOfAddOn(view, name))];
}

/**
 * A new target wakes all add-ons of the rollout; an admission wakes only the clusters that it names. The counters and the state of an entry
 * wake no add-on: they change with each cluster that joins, and an add-on pass does not read them.
 */
export function wakeByRollout({ before, after }: Change<RolloutProjection>, view: CacheView): Iterable<ObjectKey> {
  const name = (after ?? before)?.key.name;
  if (!before || !after || !deepEqual(readByAll(before), readByAll(after))) return keysOfAddOn(view, name);
  const then = admissions(before);
  const now = admissions(after);
  const changed = [...new Set([...then.keys(), ...now.keys()])].filter((cluster) => then.get(cluster) !== now.get(cluster));
  changed.push(...rehomed(before, after));
  return changed.map((cluster) => ({ namespace: cluster, name: name ?? '' }));
}

/** Returns the clusters whose home changed. They must be woken, because the wildcard admission of the new home may admit them. */
function rehomed({ status: before }: RolloutProjection, { status: after }: RolloutProjection): readonly string[] {
  const isSame = (after.entries ?? []).every((entry, i) => deepEqual(entry.members, before.entries?.[i]?.members));
  if (isSame && before.entries?.length === after.entries?.length) return [];
  const clusters = new Set([...(before.entries ?? []), ...(after.entries ?? [])].flatMap(({ members = [] }) => members));
  return [...clusters].filter((cluster) => homeOf(before, cluster)?.name !== homeOf(after, cluster)?.name);
}

/** The fields of the record that every cluster's pass reads. */
function readByAll({ status }: RolloutProjection): unknown {
  const { entries = [], history = [] } = status;
  return [
    history.map(({ revision }) => revision),
    entries.map((entry) => {
      const { name, targetRevision, handMadeRevision, ownConfigsRevision, inFlight = [] } = entry;
      const wildcards = inFlight.filter(({ cluster }) => cluster === EVERY_CLUSTER).map(({ revision, except = [] }) => [revision, except]);
      return [name, hasGates(status, entry), targetRevision, handMadeRevision, ownConfigsRevision, wildcards];
    }),
  ];
}

/** The named admissions: for each cluster, the entries and revisions that admit it. */
function admissions({ status }: RolloutProjection): ReadonlyMap<string, string> {
  const byCluster = new Map<string, string>();
  for (const { name, inFlight = [] } of status.entries ?? []) {
    for (const { cluster, revision } of inFlight) byCluster.set(cluster, `${byCluster.get(cluster) ?? ''},${name}=${revision}`);
  }
  return byCluster;
}

/**
 * Wakes the add-ons of a cluster if a field that they read changed. A change of labels wakes an add-on only if the label selector of one of
 * its entries selects the cluster only before or only after the change. Other changes of labels are frequent, because the labels that list
 * a cluster's add-ons change with the health of every add-on.
 */
export function wakeByCluster(change: Change<ClusterProjection>, view: CacheView): ObjectKey[] {
  const { before, after } = change;
  const cluster = after ?? before;
  if (!cluster) return [];
  const seen = (one: ClusterProjection | undefined): unknown =>
    one && [one.isAccepted, one.isDeleting, one.available?.status, one.available?.reason, one.available?.message, one.imageRegistries];
  const isSeenByAll = !deepEqual(seen(before), seen(after));
  if (!isSeenByAll && before?.labels === after?.labels) return [];
  const lookups = strategyLookups(view);
  return view
    .byIndex(addOns, 'cluster', cluster.key.name)
    .filter(({ key }) => isSeenByAll || isReselected(lookups, entriesOfAddOn(view, key.name), cluster.key.name, change))
    .map(({ key }) => key);
}

function entriesOfAddOn(view: CacheView, name: string): readonly StrategyEntry[] {
  const managementAddOn = view.get(declarations, { name });
  return managementAddOn ? entriesOf(managementAddOn.spec) : [];
}

/**
 * Wakes the add-on that the work's label names. If the label changed, also wakes the add-on that the label named before, so that this
 * add-on restores its work.
 */
export function wakeByWork({ before, after }: Change<WorkProjection>): ObjectKey[] {
  return labelled(before, after);
}

function labelled(...projections: readonly (WorkProjection | TokenObjectProjection | undefined)[]): ObjectKey[] {
  const names = new Map(projections.flatMap((projection) => (projection ? [[projection.addOnName, projection.key] as const] : [])));
  return Array.from(names, ([name, { namespace = '' }]) => ({ namespace, name }));
}

/**
 * A template that is created or deleted, or whose version changes, wakes every add-on that may use it. A change of its content wakes the
 * add-ons whose own spec names the template or its version, because no rollout reports the change to them. It also wakes the add-ons that
 * already have the new content.
 */
export function wakeByTemplate({ before, after }: Change<TemplateProjection>, view: CacheView): ObjectKey[] {
  const template = after ?? before;
  if (!template) return [];
  const versions = before?.version !== after?.version || before?.addOnName !== after?.addOnName;
  const byVersion = versions
    ? keysOfAddOn(view, template.addOnName)
    : view.byIndex(addOns, 'version', versionKey(template.addOnName, template.version)).map((clusterAddOn) => clusterAddOn.key);
  const ref = toRef({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE, name: template.key.name });
  const having = versions ? [] : view.byIndex(addOns, 'addOn', template.addOnName).filter(hasEarlierGeneration(ref, after));
  return [...byVersion, ...having.map(({ key }) => key), ...addOnsUsing(view, ref, { hasComeOrGone: versions, content: after })];
}

export function wakeByDeploymentConfig({ before, after }: Change<DeploymentConfigProjection>, view: CacheView): ObjectKey[] {
  const config = after ?? before;
  if (!config) return [];
  const ref = toRef({
    group: ADDON_GROUP,
    resource: DEPLOYMENT_CONFIG_RESOURCE,
    namespace: config.key.namespace ?? '',
    name: config.key.name,
  });
  return addOnsUsing(view, ref, { hasComeOrGone: !before || !after, content: after });
}

/** A change of a config: whether the object was created or deleted, and the content after the change, if the hub could read it. */
interface ContentChange {
  readonly hasComeOrGone: boolean;
  readonly content?: Content | undefined;
}

type Content = Pick<LiveConfig, 'specHash' | 'generation'>;

/**
 * Returns the add-ons to wake for a change of a config: those that reference the config in their own spec. If the object is created or
 * deleted, also returns all add-ons of the declarations that reference it. Other changes of content that a declaration references reach
 * add-ons through the rollout. The exception is a change back to content that an add-on already has: it changes no target, but the
 * generation in the add-on's status must change.
 */
export function addOnsUsing(view: CacheView, ref: ConfigRef, { hasComeOrGone, content }: ContentChange): ObjectKey[] {
  const id = refKey(ref);
  const own = view.byIndex(addOns, 'config', id);
  const declared = view.byIndex(declarations, 'config', id).flatMap(({ key }) => view.byIndex(addOns, 'addOn', key.name));
  return [...own, ...(hasComeOrGone ? declared : declared.filter(hasEarlierGeneration(ref, content)))].map(({ key }) => key);
}

/** Returns a function that reports whether an add-on's status lists the content with an earlier generation of its object. */
function hasEarlierGeneration(ref: ConfigRef, content: Content | undefined): (clusterAddOn: AddOnProjection) => boolean {
  const id = refKey(ref);
  return ({ status }) =>
    content !== undefined &&
    (status.configReferences ?? []).some(
      (one) =>
        one.desiredConfig?.specHash === content.specHash && one.lastObservedGeneration !== content.generation && refKey(toRef(one)) === id,
    );
}

/**
 * Wakes the add-on of a binding. A binding that upstream's manager created in a cluster's namespace wakes the add-on on that cluster; a
 * binding that it created in another namespace wakes the add-on on every cluster.
 */
export function wakeByBinding({ before, after }: Change<BindingProjection>, view: CacheView): ObjectKey[] {
  const ours = [before, after].flatMap((binding) => {
    const isOurs = binding?.maker === 'manager' && binding.cluster !== undefined;
    return isOurs ? [{ namespace: binding.cluster ?? '', name: binding.addOnName }] : [];
  });
  if (after?.maker !== 'upstream') return [...new Map(ours.map((key) => [keyString(key), key])).values()];
  return after.cluster === undefined ? keysOfAddOn(view, after.addOnName) : [{ namespace: after.cluster, name: after.addOnName }];
}

export function wakeByTokenObject({ before, after }: Change<TokenObjectProjection>): ObjectKey[] {
  return labelled(before, after);
}

/** Wakes the add-ons of every declaration that follows the Placement, on the clusters that the PlacementDecision gained or lost. */
export function wakeByDecision({ before, after }: Change<PlacementDecisionProjection>, view: CacheView): ObjectKey[] {
  const then = new Set(before?.clusters ?? []);
  const now = new Set(after?.clusters ?? []);
  const moved = [...new Set([...then, ...now])].filter((cluster) => then.has(cluster) !== now.has(cluster));
  const followers = view.byIndex(declarations, 'placement', (after ?? before)?.placement ?? '');
  return followers.flatMap((follower) => moved.map((cluster) => ({ namespace: cluster, name: follower.key.name })));
}

function keysOfAddOn(view: CacheView, name: string | undefined): ObjectKey[] {
  return name === undefined ? [] : view.byIndex(addOns, 'addOn', name).map((clusterAddOn) => clusterAddOn.key);
}
