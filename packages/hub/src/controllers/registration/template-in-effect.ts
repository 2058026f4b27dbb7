import type { AddOnTemplateSpec } from '@outrigger/api';
import type { CacheView } from '@outrigger/kube';
import { strategyLookups } from '../../lookups/strategy.js';
import { templateLookups } from '../../lookups/templates.js';
import { configLookup } from '../../lookups/configs.js';
import { isTemplate, supportedTest } from '@outrigger/rules/configuration';
import type { AddOnProjection, DeclarationProjection } from '@outrigger/rules/observed';
import { rollouts } from '../../resources/rollouts.js';
import { hasTemplate } from '@outrigger/rules/revisions';
import { membershipOf } from '@outrigger/rules/strategy';
import { isUnfollowable, knownTemplates, type VersionCatalog, versionsOf } from '@outrigger/rules/versions';
import { effectiveConfigs, overridesOf, pickTarget } from '@outrigger/rules/effective';

/** The versions of an add-on. `isFromTemplates` also means that this manager renders the add-on. */
export function catalogOf(view: CacheView, managementAddOn: DeclarationProjection): VersionCatalog {
  const { name } = managementAddOn.key;
  return versionsOf(
    managementAddOn,
    knownTemplates(templateLookups(view), name, managementAddOn.spec),
    hasTemplate(view.get(rollouts, { name })?.status),
  );
}

/**
 * Returns the template from which the add-on on one cluster is rendered, according to the rollout and the overrides. Returns undefined if
 * there is no such template.
 */
export function templateInEffect(
  view: CacheView,
  managementAddOn: DeclarationProjection,
  clusterAddOn: AddOnProjection,
): AddOnTemplateSpec | undefined {
  const { name, namespace = '' } = clusterAddOn.key;
  const catalog = catalogOf(view, managementAddOn);
  const rollout = view.get(rollouts, { name });
  const membership = membershipOf(strategyLookups(view), managementAddOn.spec, namespace, rollout?.status);
  const overrides = overridesOf({ clusterAddOn, catalog, membership, rollout, configs: configLookup(view) });
  const target = pickTarget(clusterAddOn, membership, rollout, overrides.kinds);
  const isSupported = supportedTest(managementAddOn.spec, catalog, clusterAddOn.status.supportedConfigs);
  // If the requested version or template cannot be used, the content that was assigned before stays in use.
  const isBlocked = isUnfollowable(overrides.choice);
  const kept = isBlocked ? target.assigned : undefined;
  const effective = kept
    ? effectiveConfigs({ ...target, configs: kept }, { ...overrides, configs: [], kinds: new Set() }, configLookup(view), isSupported)
    : effectiveConfigs(target, overrides, configLookup(view), isSupported);
  const template = effective.refs.find(isTemplate);
  return template && (effective.contentOf(template)?.['spec'] as AddOnTemplateSpec | undefined);
}
