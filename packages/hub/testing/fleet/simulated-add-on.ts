import { type ManagedClusterAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { isTemplate } from '@outrigger/rules/configuration';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { addOns } from '../../src/resources/add-ons.js';
import { declarations } from '../../src/resources/declarations.js';
import { rollouts } from '../../src/resources/rollouts.js';
import { templates } from '../../src/resources/templates.js';
import { membershipOf } from '@outrigger/rules/strategy';
import { hasTemplate } from '@outrigger/rules/revisions';
import { versionsOf } from '@outrigger/rules/versions';
import { effectiveConfigs, overridesOf, pickTarget } from '@outrigger/rules/effective';
import { strategyLookups } from '../../src/lookups/strategy.js';
import { configLookup } from '../../src/lookups/configs.js';

/** The writes of one add-on pass. */
export interface AddOnWrites {
  readonly clusterAddOn: AddOnProjection;
  /** The next value of the revision annotation. */
  readonly revision: number | undefined;
  /** The next status; undefined if it does not change. */
  readonly status: ManagedClusterAddOnStatus | undefined;
}

/**
 * Decides with the production rules to which revision a cluster moves, and reports that the move has started. Leaves out rendering, works
 * and health; agents report through `World.report`. Returns undefined if there is nothing to write.
 */
export function writesOfPass(view: CacheView, cluster: string, time: string): AddOnWrites | undefined {
  const name = 'hello';
  const clusterAddOn = view.get(addOns, { namespace: cluster, name });
  const managementAddOn = view.get(declarations, { name });
  if (!clusterAddOn || !managementAddOn) return undefined;
  const rollout = view.get(rollouts, { name });
  const membership = membershipOf(strategyLookups(view), managementAddOn.spec, cluster, rollout?.status);
  const catalog = versionsOf(
    managementAddOn,
    { own: view.byIndex(templates, 'addOn', name), referenced: [] },
    hasTemplate(rollout?.status),
  );
  const overrides = overridesOf({ clusterAddOn, catalog, membership, rollout, configs: configLookup(view) });
  const target = pickTarget(clusterAddOn, membership, rollout, overrides.kinds);
  if (!target.configs) return undefined;
  const { refs } = effectiveConfigs(target, overrides, configLookup(view), () => true);
  const { status } = clusterAddOn;
  const version = overrides.choice?.type === 'template' ? overrides.choice.template.version : target.version;
  const before = new Map((status.configReferences ?? []).map((ref) => [`${ref.resource}`, ref]));
  const configReferences = refs.map(({ group, resource, name: config, specHash }) => {
    const lastAppliedConfig = before.get(resource)?.lastAppliedConfig;
    return {
      group,
      resource,
      name: config,
      desiredConfig: { name: config, specHash },
      ...(lastAppliedConfig ? { lastAppliedConfig } : {}),
    };
  });
  const isMoving = !deepEqual(configReferences, status.configReferences) || status.installVersion !== version;
  if (!isMoving) return { clusterAddOn, revision: target.admitted, status: undefined };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Progressing');
  const progressing = { type: 'Progressing', status: 'True' as const, reason: 'Upgrading', message: '', lastTransitionTime: time };
  const isVersioned = refs.some(isTemplate);
  const next = {
    ...status,
    ...(isVersioned ? { installVersion: version, currentVersion: UNKNOWN_VERSION } : {}),
    configReferences,
    conditions: [...others, progressing],
  };
  return { clusterAddOn, revision: target.admitted, status: next };
}
