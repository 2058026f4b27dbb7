import {
  type ClusterManagementAddOn,
  type ClusterManagementAddOnSpec,
  type ClusterManagementAddOnStatus,
  isManagedByAddOnManager,
} from '@outrigger/api';
import type { Intern, KubeObject, Projected } from '@outrigger/core';
import { base, generationOf, isDeleting } from './base.js';
import { fieldManagerOf } from './field-manager.js';

/** A whole ClusterManagementAddOn: the declaration of one add-on for the fleet. */
export interface DeclarationProjection extends Projected {
  readonly generation: number;
  readonly isDeleting: boolean;
  /** RolloutPolicies select declarations by these labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether another manager renders this add-on, according to the `lifecycle` annotation. */
  readonly isSelfManaged: boolean;
  readonly spec: ClusterManagementAddOnSpec;
  /** The field manager that last wrote the spec, if it is known. */
  readonly specManager: string | undefined;
  readonly status: ClusterManagementAddOnStatus;
}

export function projectDeclaration(object: KubeObject, intern: Intern): DeclarationProjection {
  const managementAddOn = object as ClusterManagementAddOn;
  return {
    generation: generationOf(managementAddOn),
    isDeleting: isDeleting(managementAddOn),
    labels: intern(managementAddOn.metadata.labels ?? {}),
    isSelfManaged: !isManagedByAddOnManager(managementAddOn.metadata),
    spec: managementAddOn.spec,
    specManager: fieldManagerOf(managementAddOn, 'spec'),
    status: managementAddOn.status ?? {},
    ...base(managementAddOn, intern),
  };
}
