import type { InstallTemplate, PlacementStrategy, RolloutStrategy } from '@outrigger/api';
import type { LabelSelector } from '@outrigger/core';
import { type ConfigRef, layered, toRef } from '../configuration/references.js';

/**
 * The name of the default entry, which contains all add-ons on clusters that no other entry selects: add-ons that users created and, with
 * strategy Manual, all add-ons. All clusters of this entry move to a new target at once.
 */
export const DEFAULT_ENTRY = 'default';

/** The source of an entry's clusters, for each type of install strategy. */
export type EntrySource =
  | { readonly type: 'Placements'; readonly placement: string }
  | { readonly type: 'ClusterLabelSelector'; readonly labelSelector: LabelSelector };

/** One entry of an install strategy as the declaration contains it. */
export interface DeclaredEntry {
  readonly name: string;
  readonly source: EntrySource;
  /** The JSON Pointer to the settings in the declaration. */
  readonly path: string;
  readonly settings: Pick<PlacementStrategy, 'addonTemplate' | 'configs' | 'rolloutStrategy'>;
}

/** One entry of an install strategy: clusters that get the same content of an add-on. */
export interface StrategyEntry {
  /** `namespace/name` of the Placement, `labelSelector` or `default`. The AddOnRollout uses the same name. */
  readonly name: string;
  /** The source of the entry's clusters; undefined for the default entry, which selects no clusters. */
  readonly source: EntrySource | undefined;
  /** The fields that the installer writes into the add-ons of the entry. */
  readonly template: InstallTemplate;
  /** The entry's configs, overridden by those in its addonTemplate. */
  readonly configs: readonly ConfigRef[];
  /** The entry's configs without those in its addonTemplate, for add-ons that the installer did not create. */
  readonly ownConfigs: readonly ConfigRef[];
  readonly rolloutStrategy: RolloutStrategy | undefined;
}

export const defaultEntry: StrategyEntry = {
  name: DEFAULT_ENTRY,
  source: undefined,
  template: {},
  configs: [],
  ownConfigs: [],
  rolloutStrategy: undefined,
};

export function entryOf({ name, source, settings }: DeclaredEntry): StrategyEntry {
  const { installVersion, ...rest } = settings.addonTemplate ?? {};
  // An empty version is treated as absent.
  const template = installVersion ? { ...rest, installVersion } : rest;
  const ownConfigs = layered([(settings.configs ?? []).map(toRef)]);
  return {
    name,
    source,
    template,
    configs: layered([ownConfigs, (template.configs ?? []).map(toRef)]),
    ownConfigs,
    rolloutStrategy: settings.rolloutStrategy,
  };
}
