import { addOnRollouts, rolloutApprovals } from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { patchObserved } from '../observed-actions.js';
import { withOwner } from './owner.js';
import type { FleetState } from './state.js';

/**
 * Makes the AddOnRollout the owner of RolloutApprovals that were created without an owner, for example with kubectl, so that they are
 * deleted with the rollout. If no policy governs the add-on, the approvals have no effect and stay unchanged.
 */
export function ownApprovals({ rollout, policies, approvals }: FleetState): readonly ApiAction[] {
  if (!rollout || policies.length === 0) return [];
  const owner = { apiVersion: apiVersionOf(addOnRollouts), kind: addOnRollouts.kind, name: rollout.key.name, uid: rollout.uid };
  return approvals
    .filter(({ owners, isDeleting }) => !isDeleting && !owners.some(({ uid }) => uid === rollout.uid))
    .map((approval) => ({
      ...patchObserved(approval, rolloutApprovals, `approval ${approval.key.name}`, {
        metadata: { ownerReferences: withOwner(approval.owners, owner) },
      }),
      // A decision has an effect even without its owner, so a rejected write must not stop the pass.
      accept: ['NotFound', 'Forbidden'],
    }));
}
