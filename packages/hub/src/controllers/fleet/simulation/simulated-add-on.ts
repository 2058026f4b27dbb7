import { type ManagedClusterAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { isTemplate } from '../../../configuration/references.js';
import { addOns, usesTemplate } from '../../../resources/add-ons.js';
import { declarations } from '../../../resources/declarations.js';
import { rollouts } from '../../../resources/rollouts.js';
import { templates } from '../../../resources/templates.js';
import { entriesOf } from '../../../strategy/entries.js';
import { membershipOf } from '../../../strategy/membership.js';
import { versionsOf } from '../../../versions/catalog.js';
import { effectiveConfigs, overridesOf } from '../../addon/steps/configuration.js';
import { pickTarget } from '../../addon/steps/target.js';
import { configLookup } from '../../../configuration/lookup.js';

/**
 * What the add-on pass of one cluster would write into its status: the revision it moves to, by the real rules, and that it has set out.
 * Rendering, works and health are left out; agents report by `World.report`. Undefined where there is nothing to write.
 */
export function statusAfterPass(view: CacheView, cluster: string, time: string): ManagedClusterAddOnStatus | undefined {
  const name = 'hello';
  const addOn = view.get(addOns, { namespace: cluster, name });
  const declaration = view.get(declarations, { name });
  if (!addOn || !declaration) return undefined;
  const membership = membershipOf(view, entriesOf(declaration.spec), cluster);
  const catalog = versionsOf(declaration, { own: view.byIndex(templates, 'addOn', name), referenced: [] }, usesTemplate(addOn));
  const overrides = overridesOf({ addOn, catalog, membership });
  const target = pickTarget(addOn, membership, view.get(rollouts, { name }), overrides.kinds);
  if (!target.configs) return undefined;
  const { refs } = effectiveConfigs(target, overrides, configLookup(view), () => true);
  const { status } = addOn;
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
  if (!isMoving) return undefined;
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Progressing');
  const progressing = { type: 'Progressing', status: 'True' as const, reason: 'Upgrading', message: '', lastTransitionTime: time };
  const isVersioned = refs.some(isTemplate);
  return {
    ...status,
    ...(isVersioned ? { installVersion: version, currentVersion: UNKNOWN_VERSION } : {}),
    configReferences,
    conditions: [...others, progressing],
  };
}
