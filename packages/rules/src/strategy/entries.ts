import { type ClusterManagementAddOnSpec, type InstallTemplate, LABEL_SELECTOR_ENTRY, type RolloutStrategy } from '@outrigger/api';
import { type LabelSelector, memoize } from '@outrigger/core';
import { type ConfigRef, layered, toRef } from '../configuration/references.js';

/**
 * The entry of all add-ons on clusters that no other entry selects: those installed by hand, and all of them under Manual. Changes reach it
 * at once.
 */
export const DEFAULT_ENTRY = 'default';

/** A group of clusters that get the same content of an add-on. */
export interface StrategyEntry {
  /** `namespace/name` of the Placement, `labelSelector` or `default`; the name of the entry in the AddOnRollout. */
  readonly name: string;
  readonly source: { readonly placement: string } | { readonly labelSelector: LabelSelector } | undefined;
  /** The fields that the installer writes into the add-ons of the entry. */
  readonly template: InstallTemplate;
  /** The entry's configs, with those of its addonTemplate layered on top. */
  readonly configs: readonly ConfigRef[];
  /** The entry's configs without those of its addonTemplate, for add-ons that the installer did not create. */
  readonly ownConfigs: readonly ConfigRef[];
  readonly rolloutStrategy: RolloutStrategy | undefined;
}

/** The entries of a strategy in the order they are declared; a cluster belongs to the last one that selects it. */
export const entriesOf: (spec: ClusterManagementAddOnSpec) => readonly StrategyEntry[] = memoize(declaredEntries);

function declaredEntries({ installStrategy: strategy }: ClusterManagementAddOnSpec): readonly StrategyEntry[] {
  if (strategy?.type === 'Placements') {
    return (strategy.placements ?? []).map((entry) => {
      const name = `${entry.namespace}/${entry.name}`;
      return entryOf(name, { placement: name }, entry);
    });
  }
  if (strategy?.type === 'ClusterLabelSelector' && strategy.labelSelector) {
    return [entryOf(LABEL_SELECTOR_ENTRY, { labelSelector: strategy.labelSelector }, strategy)];
  }
  return [];
}

export const defaultEntry: StrategyEntry = {
  name: DEFAULT_ENTRY,
  source: undefined,
  template: {},
  configs: [],
  ownConfigs: [],
  rolloutStrategy: undefined,
};

/** The configs of the declaration itself, which every other layer overrides. */
export const defaultConfigs: (spec: ClusterManagementAddOnSpec) => readonly ConfigRef[] = memoize(
  ({ supportedConfigs = [] }: ClusterManagementAddOnSpec) =>
    supportedConfigs.flatMap(({ group, resource, defaultConfig }) =>
      defaultConfig ? [toRef({ ...defaultConfig, ...(group === undefined ? {} : { group }), resource })] : [],
    ),
);

function entryOf(
  name: string,
  source: StrategyEntry['source'],
  from: {
    readonly addonTemplate?: InstallTemplate;
    readonly configs?: InstallTemplate['configs'];
    readonly rolloutStrategy?: RolloutStrategy;
  },
): StrategyEntry {
  const { installVersion, ...rest } = from.addonTemplate ?? {};
  // An empty version counts as absent.
  const template = installVersion ? { ...rest, installVersion } : rest;
  const ownConfigs = layered([(from.configs ?? []).map(toRef)]);
  return {
    name,
    source,
    template,
    configs: layered([ownConfigs, (template.configs ?? []).map(toRef)]),
    ownConfigs,
    rolloutStrategy: from.rolloutStrategy,
  };
}
