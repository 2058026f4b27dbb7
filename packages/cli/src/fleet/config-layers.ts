import type { AddOnRolloutStatus, ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { type ConfigRef, groupResource, isDeploymentConfig, toRef } from '@outrigger/rules/configuration';
import { projectAddOn } from '@outrigger/rules/observed';
import { type StrategyLookups, defaultConfigs, entriesOf, isPersons, membershipOf } from '@outrigger/rules/strategy';

/** A source of an add-on's config references. */
export interface ConfigLayer {
  /** The display name: `declaration`, `entry default/canary`, `override on cluster1`. */
  readonly name: string;
  readonly refs: readonly ConfigRef[];
}

/** Identifies the cluster whose layers are read. */
export interface ClusterPlace {
  readonly cluster: string;
  readonly installed: ManagedClusterAddOn | undefined;
  readonly lookups: StrategyLookups;
  readonly record: AddOnRolloutStatus | undefined;
}

/**
 * Returns the layers of an add-on, lowest precedence first. Without a cluster, returns the layers of the declaration and of each entry
 * (which apply to different clusters).
 */
export function configLayers({ spec }: ClusterManagementAddOn, place?: ClusterPlace): readonly ConfigLayer[] {
  const base: ConfigLayer = { name: 'declaration', refs: defaultConfigs(spec) };
  const entries = entriesOf(spec);
  if (!place) return [base, ...entries.map(({ name, configs }) => ({ name: `entry ${name}`, refs: configs }))].filter(hasRefs);
  const { entry } = membershipOf(place.lookups, entries, place.cluster, place.record);
  const installed = place.installed && projectAddOn(place.installed, (value) => value);
  const isOverride = installed !== undefined && (entry.source === undefined || isPersons(installed, 'configs'));
  const own = isOverride ? (installed.spec.configs ?? []).map(toRef) : [];
  return [
    base,
    { name: `entry ${entry.name}`, refs: installed?.installedSpec === undefined ? entry.ownConfigs : entry.configs },
    { name: `override on ${place.cluster}`, refs: own },
  ].filter(hasRefs);
}

function hasRefs({ refs }: ConfigLayer): boolean {
  return refs.length > 0;
}

/**
 * Returns the effective config reference for each kind, with the layer that contains it. A layer of higher precedence replaces all
 * references of a kind; within a layer the first reference is used.
 */
export function effectiveRefs(layers: readonly ConfigLayer[]): readonly { readonly ref: ConfigRef; readonly layer: string }[] {
  const byKind = new Map<string, { ref: ConfigRef; layer: string }>();
  for (const { name, refs } of layers) for (const ref of [...refs].reverse()) byKind.set(groupResource(ref), { ref, layer: name });
  return [...byKind.values()];
}

/** Returns the effective AddOnDeploymentConfig, with the layer that references it. */
export function effectiveDeploymentConfig(layers: readonly ConfigLayer[]): { readonly ref: ConfigRef; readonly layer: string } | undefined {
  return effectiveRefs(layers).find(({ ref }) => isDeploymentConfig(ref));
}
