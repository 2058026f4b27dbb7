import { FLEET_ROLLOUT } from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import type { CacheView, KeyMemory } from '@outrigger/kube';
import { strategyLookups } from '../../lookups/strategy.js';
import { templateLookups } from '../../lookups/templates.js';
import type { OtherConfigs } from '@outrigger/rules/configuration';
import { configLookup } from '../../lookups/configs.js';
import { dependencyCycle } from '../../lookups/dependency-cycles.js';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { targetRecords } from '../../resources/target-records.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { approvals, policies } from '../../resources/rollout-policies.js';
import { rollouts } from '../../resources/rollouts.js';
import type { DeclarationProjection } from '@outrigger/rules/observed';
import type { CompiledPolicy } from '@outrigger/rules/policy';
import { hasTemplate } from '@outrigger/rules/revisions';
import { defaultConfigs, defaultEntry, entriesOf, observeEntry } from '@outrigger/rules/strategy';
import { knownTemplates, versionsOf } from '@outrigger/rules/versions';
import type { Measurements } from '../../rollout-policies/measurements.js';
import type { RequestedPredictions } from '../../rollout-policies/predictions.js';
import { type FleetMemory, memoryOf } from './memory.js';
import type { RemovalPolicy } from './removal.js';
import type { FleetState } from './state.js';

export interface ObserveContext {
  readonly memory: KeyMemory<FleetMemory>;
  readonly removal: RemovalPolicy;
  readonly decisionsEnforcedSince: () => number | undefined;
  readonly isClockTrusted: () => boolean;
  readonly contentNamespace: string;
  readonly renderer: number;
  readonly otherConfigs: OtherConfigs;
  readonly measurements: Pick<Measurements, 'of'>;
  readonly predictions: { readonly of: (addOn: string) => RequestedPredictions };
}

/** Reads all inputs of a fleet pass in one synchronous turn. */
export function observe(view: CacheView, key: ObjectKey, context: ObserveContext): FleetState | undefined {
  const managementAddOn = view.get(declarations, key);
  if (!managementAddOn) return undefined;
  const configs = configLookup(view, context.otherConfigs);
  const named = [...defaultConfigs(managementAddOn.spec), ...entriesOf(managementAddOn.spec).flatMap((entry) => entry.configs)];
  const rollout = view.get(rollouts, key);
  const installed = view.byIndex(addOns, 'addOn', key.name);
  const lookups = strategyLookups(view);
  const decided = view.byIndex(approvals, 'addOn', key.name);
  return {
    managementAddOn,
    rollout,
    // Distinguish a config that has not been read yet from a missing config.
    hasUnreadConfig: named.some((ref) => configs.live(ref) === 'Unread'),
    isFleetPaused: view.get(rollouts, { name: FLEET_ROLLOUT })?.spec.paused === true,
    // The default entry comes first, because every other entry that selects a cluster takes precedence over it.
    entries: [defaultEntry, ...entriesOf(managementAddOn.spec)].map((entry) => observeEntry(lookups, entry)),
    addOns: installed,
    cluster: (name) => view.get(clusters, { name }),
    catalog: versionsOf(
      managementAddOn,
      knownTemplates(templateLookups(view), key.name, managementAddOn.spec),
      hasTemplate(rollout?.status),
    ),
    configs,
    policies: governing(view, managementAddOn),
    decisions: decided.map(({ decision }) => decision),
    approvals: decided,
    decisionsEnforcedSince: context.decisionsEnforcedSince(),
    isClockTrusted: context.isClockTrusted(),
    measurements: context.measurements.of(key.name),
    predictions: context.predictions.of(key.name),
    contents: view.byIndex(storedContents, 'owner', managementAddOn.uid),
    storedContent: (specHash) => view.byIndex(storedContents, 'specHash', specHash)[0],
    targetRecords: view.byIndex(targetRecords, 'owner', managementAddOn.uid),
    cycle: dependencyCycle(view, key.name),
    memory: memoryOf(context.memory.remembered, managementAddOn.uid),
    removal: context.removal,
    outcomes: context.memory,
    renderer: context.renderer,
    contentNamespace: context.contentNamespace,
  };
}

function governing(view: CacheView, { key, labels }: DeclarationProjection): readonly CompiledPolicy[] {
  const all = Array.from(view.list(policies), ({ policy }) => policy);
  return all.length === 0 ? all : all.filter((policy) => policy.governs(key.name, labels));
}
