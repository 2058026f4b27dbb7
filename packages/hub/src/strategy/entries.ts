import { type ClusterManagementAddOnSpec, type InstallTemplate, LABEL_SELECTOR_ENTRY, type RolloutStrategy } from '@outrigger/api';
import type { LabelSelector } from '@outrigger/core';
import { type ConfigRef, layered, toRef } from '../configuration/references.js';
import { remember } from '../remember.js';

/** The entry of clusters no strategy selects: what a person installed by hand, and everything under Manual. Changes reach it at once. */
export const DEFAULT_ENTRY = 'default';

/** One group of clusters that an add-on treats alike. */
export interface StrategyEntry {
  /** `namespace/name` of the Placement, `labelSelector` or `default`; the name of the entry in the AddOnRollout. */
  readonly name: string;
  readonly source: { readonly placement: string } | { readonly labelSelector: LabelSelector } | undefined;
  /** What the installer writes into the add-ons of the entry. */
  readonly template: InstallTemplate;
  /** The entry's configurations, those of its template on top. */
  readonly configs: readonly ConfigRef[];
  /** The same without those of its template: what add-ons get that the installer did not make. */
  readonly ownConfigs: readonly ConfigRef[];
  readonly rolloutStrategy: RolloutStrategy | undefined;
}

/** The entries of a strategy in the order they are declared; a cluster belongs to the last one that selects it. */
export const entriesOf: (spec: ClusterManagementAddOnSpec) => readonly StrategyEntry[] = remember(declaredEntries);

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

/** The configurations of the declaration itself: weakest of all. */
export const defaultConfigs: (spec: ClusterManagementAddOnSpec) => readonly ConfigRef[] = remember(
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
  // An empty version asks for none.
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
