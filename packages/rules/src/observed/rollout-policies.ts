import type { RolloutApproval, RolloutPolicy } from '@outrigger/api';
import type { Intern, KubeObject, OwnerReference, Projected } from '@outrigger/core';
import { type CompiledPolicy, compilePolicy } from '../policy/compile.js';
import { type GateDecision, readDecision } from '../policy/decisions.js';
import { base, isDeleting } from './base.js';

/** A RolloutPolicy, compiled once per change. */
export interface PolicyProjection extends Projected {
  readonly policy: CompiledPolicy;
}

export function projectPolicy(object: KubeObject, intern: Intern): PolicyProjection {
  return { policy: compilePolicy(object as RolloutPolicy), ...base(object, intern) };
}

/** A RolloutApproval: one decision of a user. */
export interface ApprovalProjection extends Projected {
  readonly decision: GateDecision;
  readonly owners: readonly OwnerReference[];
  readonly isDeleting: boolean;
}

export function projectApproval(object: KubeObject, intern: Intern): ApprovalProjection {
  return {
    decision: readDecision(object as RolloutApproval),
    owners: object.metadata.ownerReferences ?? [],
    isDeleting: isDeleting(object),
    ...base(object, intern),
  };
}
