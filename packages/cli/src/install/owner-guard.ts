import { CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP, denyingPolicy, keepsOwners, resourceRule } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';

/**
 * The kinds of upstream and Outrigger that a role of Outrigger lets users, agents or the manager update, but not delete. RolloutApprovals
 * are omitted: the manager may not delete them either, but it updates them only to make the AddOnRollout their owner.
 */
const KINDS: readonly { readonly group: string; readonly resources: readonly string[] }[] = [
  { group: CLUSTER_GROUP, resources: ['managedclusters', 'managedclustersets'] },
  { group: OUTRIGGER_GROUP, resources: ['addonrollouts'] },
  { group: WORK_GROUP, resources: ['manifestworks', 'manifestworkreplicasets'] },
];

/**
 * Returns a policy that reserves changes of `metadata.ownerReferences` for users who may delete the object. The garbage collector deletes an
 * object whose owners do not exist, so without the policy the right to update an object includes the right to delete it. API servers have an
 * admission plugin for this (OwnerReferencesPermissionEnforcement), which is off by default.
 */
export function ownerGuard(): readonly KubeObject[] {
  return denyingPolicy('outrigger-owner-references', {
    matchConstraints: { resourceRules: KINDS.map(({ group, resources }) => resourceRule(group, resources, ['UPDATE'])) },
    validations: [
      {
        expression: `${keepsOwners()} || authorizer.requestResource.check('delete').allowed()`,
        message:
          'metadata.ownerReferences: the garbage collector deletes an object whose owners do not exist; a change needs the right to delete the object',
        reason: 'Forbidden',
      },
    ],
  });
}
