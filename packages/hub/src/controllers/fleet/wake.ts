import { type ObjectKey, deepEqual } from '@outrigger/core';
import type { CacheView, Change } from '@outrigger/kube';
import { ADDON_GROUP, FLEET_ROLLOUT } from '@outrigger/api';
import { DEPLOYMENT_CONFIG_RESOURCE, TEMPLATE_RESOURCE } from '@outrigger/rules/configuration';
import { cycleMates } from '../../lookups/dependency-cycles.js';
import type {
  AddOnProjection,
  ApprovalProjection,
  ClusterProjection,
  PlacementDecisionProjection,
  DeclarationProjection,
  DeploymentConfigProjection,
  PlacementProjection,
  PolicyProjection,
  RolloutProjection,
  TemplateProjection,
} from '@outrigger/rules/observed';
import { strategyLookups } from '../../lookups/strategy.js';
import { WOKEN_BY_CLUSTERS, declarations } from '../../resources/declarations.js';
import { policies } from '../../resources/rollout-policies.js';
import { entriesOf, isReselected } from '@outrigger/rules/strategy';

/** Each function returns the declarations to wake for a change. */

/** Wakes the declaration itself and, if its dependencies changed, the declarations that may have joined or left a cycle with it. */
export function wakeByDeclaration(change: Change<DeclarationProjection>, view: CacheView): ObjectKey[] {
  const { before, after } = change;
  const own = after ? [after.key] : [];
  if (deepEqual(before?.spec.dependencies, after?.spec.dependencies)) return own;
  return [...own, ...cycleMates(view, change).map((name) => ({ name }))];
}

/** Wakes the declaration of the rollout. The rollout for all add-ons wakes all declarations. */
export function wakeByRollout({ before, after }: Change<RolloutProjection>, view: CacheView): ObjectKey[] {
  const record = after ?? before;
  if (record?.key.name === FLEET_ROLLOUT) return [...view.list(declarations)].map(({ key }) => key);
  return record ? [record.key] : [];
}

/** Wakes the declaration if a field of the add-on that a fleet pass reads has changed. */
export function wakeByAddOn({ before, after }: Change<AddOnProjection>): ObjectKey[] {
  const record = after ?? before;
  if (!record) return [];
  const seen = (clusterAddOn: AddOnProjection | undefined): unknown =>
    clusterAddOn && [
      clusterAddOn.isDeleting,
      clusterAddOn.spec,
      clusterAddOn.owners,
      clusterAddOn.installedSpec,
      clusterAddOn.revision,
      clusterAddOn.status.conditions,
      clusterAddOn.status.configReferences,
      clusterAddOn.status.supportedConfigs,
    ];
  return deepEqual(seen(before), seen(after)) ? [] : [{ name: record.key.name }];
}

/**
 * Wakes every declaration that depends on clusters if a field of the cluster that a fleet pass reads has changed. A change of labels wakes a
 * declaration only if a label selector of its entries, or of a window that governs it, selects the cluster only before or only after the
 * change. Other changes of labels are frequent, because the labels that list a cluster's add-ons change with the health of every add-on.
 */
export function wakeByCluster(change: Change<ClusterProjection>, view: CacheView): ObjectKey[] {
  const { before, after } = change;
  const seen = (cluster: ClusterProjection | undefined): unknown =>
    cluster && [cluster.isAccepted, cluster.isDeleting, cluster.timeZones, cluster.isInstallDisabled, cluster.available?.status];
  const isSeenByAll = !deepEqual(seen(before), seen(after));
  if (!isSeenByAll && before?.labels === after?.labels) return [];
  const woken = dependingOnClusters(view);
  return (isSeenByAll ? woken : woken.filter(relabelledTest(change, view))).map(({ key }) => key);
}

/**
 * The declarations whose strategy depends on clusters, and those that a policy governs. With strategy Manual only policies depend on
 * clusters: windows read labels and time zones, and a cluster that is not available waits until it is.
 */
function dependingOnClusters(view: CacheView): readonly DeclarationProjection[] {
  const byStrategy = view.byIndex(declarations, 'wakes', WOKEN_BY_CLUSTERS);
  const all = Array.from(view.list(policies), ({ policy }) => policy);
  if (all.length === 0) return byStrategy;
  const governed = Array.from(view.list(declarations)).filter(({ key, labels }) => all.some((policy) => policy.governs(key.name, labels)));
  return [...new Set([...byStrategy, ...governed])];
}

/**
 * Returns a function that reports whether the change of the cluster's labels affects an entry of a declaration, or a window of a policy
 * that governs it.
 */
function relabelledTest(change: Change<ClusterProjection>, view: CacheView): (declaration: DeclarationProjection) => boolean {
  const { before, after } = change;
  const name = (after ?? before)?.key.name ?? '';
  const lookups = strategyLookups(view);
  const regated = Array.from(view.list(policies), ({ policy }) => policy).filter(({ windows }) =>
    windows.some(({ clusters }) => clusters?.matches(before?.labels ?? {}) !== clusters?.matches(after?.labels ?? {})),
  );
  return ({ key, labels, spec }) =>
    isReselected(lookups, entriesOf(spec), name, change) || regated.some((policy) => policy.governs(key.name, labels));
}

export function wakeByPlacement({ before, after }: Change<PlacementProjection>, view: CacheView): ObjectKey[] {
  const record = after ?? before;
  return record ? followers(view, `${record.key.namespace ?? ''}/${record.key.name}`) : [];
}

export function wakeByDecision({ before, after }: Change<PlacementDecisionProjection>, view: CacheView): ObjectKey[] {
  return [...new Set([before?.placement, after?.placement])].flatMap((placement) =>
    placement === undefined ? [] : followers(view, placement),
  );
}

/** Wakes the declarations that the policy governs, or governed before the change. */
export function wakeByPolicy({ before, after }: Change<PolicyProjection>, view: CacheView): ObjectKey[] {
  const versions = [before, after].filter((record) => record !== undefined);
  return Array.from(view.list(declarations))
    .filter(({ key, labels }) => versions.some(({ policy }) => policy.governs(key.name, labels)))
    .map(({ key }) => key);
}

export function wakeByApproval({ before, after }: Change<ApprovalProjection>): ObjectKey[] {
  return [...new Set([before, after].flatMap((record) => (record ? [record.decision.addOn] : [])))].map((name) => ({ name }));
}

export function wakeByTemplate({ before, after }: Change<TemplateProjection>, view: CacheView): ObjectKey[] {
  const names = [before?.addOnName, after?.addOnName].filter((name) => name !== undefined);
  const record = after ?? before;
  return [...names.map((name) => ({ name })), ...users(view, TEMPLATE_RESOURCE, '', record?.key.name ?? '')];
}

export function wakeByDeploymentConfig({ before, after }: Change<DeploymentConfigProjection>, view: CacheView): ObjectKey[] {
  const record = after ?? before;
  return record ? users(view, DEPLOYMENT_CONFIG_RESOURCE, record.key.namespace ?? '', record.key.name) : [];
}

function followers(view: CacheView, placement: string): ObjectKey[] {
  return view.byIndex(declarations, 'placement', placement).map(({ key }) => key);
}

function users(view: CacheView, resource: string, namespace: string, name: string): ObjectKey[] {
  return view.byIndex(declarations, 'config', `${ADDON_GROUP}/${resource}/${namespace}/${name}`).map(({ key }) => key);
}
