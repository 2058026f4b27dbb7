import { clusterManagementAddOns } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { refKey } from '@outrigger/rules/configuration';
import { defaultConfigs, entriesOf } from '@outrigger/rules/strategy';
import { type DeclarationRecord, projectDeclaration } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const declarations: Resource<DeclarationRecord> = {
  name: 'declarations',
  api: HUB,
  kind: clusterManagementAddOns,
  project: projectDeclaration,
  indexes: {
    /** `namespace/name` of the Placements it follows. */
    placement: ({ spec }) =>
      spec.installStrategy?.type === 'Placements'
        ? (spec.installStrategy.placements ?? []).map((entry) => `${entry.namespace}/${entry.name}`)
        : [],
    strategy: ({ spec }) => [spec.installStrategy?.type ?? 'Manual'],
    /** `group/resource/namespace/name` of every config that the declaration or one of its entries references. */
    config: ({ spec }) => [...defaultConfigs(spec), ...entriesOf(spec).flatMap((entry) => entry.configs)].map(refKey),
    dependency: ({ spec }) => (spec.dependencies ?? []).map(({ name }) => name),
  },
};
