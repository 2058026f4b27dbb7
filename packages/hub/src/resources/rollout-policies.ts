import { rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { type ApprovalProjection, type PolicyProjection, projectApproval, projectPolicy } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const policies: Resource<PolicyProjection> = {
  name: 'rolloutPolicies',
  api: HUB,
  kind: rolloutPolicies,
  isEmptyIfNotServed: true,
  project: projectPolicy,
  indexes: {},
};

export const approvals: Resource<ApprovalProjection, 'addOn'> = {
  name: 'rolloutApprovals',
  api: HUB,
  kind: rolloutApprovals,
  isEmptyIfNotServed: true,
  project: projectApproval,
  indexes: { addOn: ({ decision }) => [decision.addOn] },
};
