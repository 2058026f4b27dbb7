import { type ClusterManagementAddOnSpec, clusterManagementAddOns } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { refKey } from '@outrigger/rules/configuration';
import { type StrategyWakes, defaultConfigs, entriesOf, strategyOf } from '@outrigger/rules/strategy';
import { type DeclarationProjection, projectDeclaration } from '@outrigger/rules/observed';
import { HUB } from './base.js';

/** The index value for declarations whose strategy depends on clusters. */
export const WOKEN_BY_CLUSTERS = 'clusters';

export const declarations: Resource<DeclarationProjection, 'placement' | 'wakes' | 'config' | 'dependency'> = {
  name: 'declarations',
  api: HUB,
  kind: clusterManagementAddOns,
  project: projectDeclaration,
  indexes: {
    /** `namespace/name` of the Placements that the declaration follows. */
    placement: ({ spec }) => wakesOf(spec).placements,
    /** `WOKEN_BY_CLUSTERS` if a change of any cluster may affect the strategy. */
    wakes: ({ spec }) => (wakesOf(spec).clusters ? [WOKEN_BY_CLUSTERS] : []),
    /** `group/resource/namespace/name` of every config that the declaration or one of its entries references. */
    config: ({ spec }) => [...defaultConfigs(spec), ...entriesOf(spec).flatMap((entry) => entry.configs)].map(refKey),
    dependency: ({ spec }) => (spec.dependencies ?? []).map(({ name }) => name),
  },
};

function wakesOf({ installStrategy = {} }: ClusterManagementAddOnSpec): StrategyWakes {
  return strategyOf(installStrategy).wakes(installStrategy);
}
