import type { AddOnRolloutStatus, ClusterManagementAddOn, ManagedClusterAddOn } from '@outrigger/api';
import { type ConfigRef, groupResource, layered, toRef, unusedRefs } from '../configuration/references.js';
import { projectAddOn } from '../observed/add-ons.js';
import { defaultConfigs, entriesOf } from './entries.js';
import type { StrategyLookups } from './lookups.js';
import { membershipOf } from './membership.js';
import { isOwnField } from './overrides.js';

/** A source of an add-on's config references. */
export interface ConfigLayer {
  /** `default`: the declaration. `entry`: an entry of its strategy. `cluster`: the add-on's own fields on one cluster. */
  readonly type: 'default' | 'entry' | 'cluster';
  /** The name of the entry or cluster; empty for the default. */
  readonly of: string;
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
 * Returns the layers of an add-on, lowest precedence first. If `place` is undefined, these are the layers of the declaration and of each
 * entry, which apply to different clusters.
 */
export function configLayers({ spec }: Pick<ClusterManagementAddOn, 'spec'>, place?: ClusterPlace): readonly ConfigLayer[] {
  const base: ConfigLayer = { type: 'default', of: '', refs: defaultConfigs(spec) };
  if (!place) return [base, ...entriesOf(spec).map(({ name, configs }): ConfigLayer => ({ type: 'entry', of: name, refs: configs }))];
  const membership = membershipOf(place.lookups, spec, place.cluster, place.record);
  const { entry } = membership;
  const installed = place.installed && projectAddOn(place.installed, (value) => value);
  const isOverride = installed !== undefined && isOwnField(installed, 'configs', membership);
  const isHandMade = installed !== undefined && installed.installedSpec === undefined;
  return [
    base,
    { type: 'entry', of: entry.name, refs: isHandMade ? entry.ownConfigs : entry.configs },
    { type: 'cluster', of: place.cluster, refs: isOverride ? (installed.spec.configs ?? []).map(toRef) : [] },
  ];
}

/** A reference with the layer that contains it. */
export interface LayeredRef<Layer> extends ConfigRef {
  readonly layer: Layer;
}

/**
 * Returns the references in force, each with its layer, in the order in which the layers first name their kinds. A layer of higher
 * precedence replaces all references of a kind. If a layer has several references to AddOnTemplates, or to AddOnDeploymentConfigs, the
 * first is in force.
 */
export function effectiveRefs<Layer extends Pick<ConfigLayer, 'refs'>>(layers: readonly Layer[]): readonly LayeredRef<Layer>[] {
  const refs = layered(layers.map((layer) => layer.refs.map((ref): LayeredRef<Layer> => ({ ...ref, layer }))));
  const unused = new Set<ConfigRef>(unusedRefs(refs));
  const kinds = [...new Set(layers.flatMap((layer) => layer.refs.map(groupResource)))];
  const position = (ref: ConfigRef): number => kinds.indexOf(groupResource(ref));
  return refs.filter((ref) => !unused.has(ref)).sort((a, b) => position(a) - position(b));
}
