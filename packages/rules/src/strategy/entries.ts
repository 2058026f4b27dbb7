import type { ClusterManagementAddOnSpec } from '@outrigger/api';
import { memoize } from '@outrigger/core';
import { type ConfigRef, toRef } from '../configuration/references.js';
import { type DeclaredEntry, type StrategyEntry, entryOf } from './entry.js';
import { strategyOf } from './strategies.js';

/** The entries of a strategy in declared order. A cluster belongs to the last entry that selects it. */
export const entriesOf: (spec: ClusterManagementAddOnSpec) => readonly StrategyEntry[] = memoize((spec: ClusterManagementAddOnSpec) =>
  declaredEntries(spec).map(entryOf),
);

/** The entries of a strategy as the declaration contains them, for edits of the declaration. */
export function declaredEntries({ installStrategy = {} }: ClusterManagementAddOnSpec): readonly DeclaredEntry[] {
  return strategyOf(installStrategy).entries(installStrategy);
}

/** The configs of the declaration itself, which every other layer overrides. */
export const defaultConfigs: (spec: ClusterManagementAddOnSpec) => readonly ConfigRef[] = memoize(
  ({ supportedConfigs = [] }: ClusterManagementAddOnSpec) =>
    supportedConfigs.flatMap(({ group, resource, defaultConfig }) =>
      defaultConfig ? [toRef({ ...defaultConfig, ...(group === undefined ? {} : { group }), resource })] : [],
    ),
);
