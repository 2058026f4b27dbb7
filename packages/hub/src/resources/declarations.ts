import {
  LIFECYCLE_ADDON_MANAGER,
  LIFECYCLE_ANNOTATION,
  type ClusterManagementAddOn,
  type ClusterManagementAddOnSpec,
  type ClusterManagementAddOnStatus,
  clusterManagementAddOns,
} from '@outrigger/api';
import type { Projected, Resource } from '@outrigger/kube';
import { refKey } from '../configuration/references.js';
import { defaultConfigs, entriesOf } from '../strategy/entries.js';
import { HUB, base, generationOf, isDeleting } from './base.js';

/** A whole ClusterManagementAddOn: the declaration of one add-on for the fleet. */
export interface DeclarationRecord extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** Another manager renders this add-on (`lifecycle` annotation). */
  readonly isSelfManaged: boolean;
  readonly spec: ClusterManagementAddOnSpec;
  readonly status: ClusterManagementAddOnStatus;
}

export const declarations: Resource<DeclarationRecord> = {
  name: 'declarations',
  api: HUB,
  kind: clusterManagementAddOns,
  project(object, intern) {
    const addOn = object as ClusterManagementAddOn;
    const lifecycle = addOn.metadata.annotations?.[LIFECYCLE_ANNOTATION];
    return {
      ...base(addOn, intern),
      generation: generationOf(addOn),
      isDeleting: isDeleting(addOn),
      isSelfManaged: lifecycle !== undefined && lifecycle !== LIFECYCLE_ADDON_MANAGER,
      spec: addOn.spec,
      status: addOn.status ?? {},
    };
  },
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
