import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../handle/contract.js';
import { createAuthorizer } from './authorizer.js';
import { PolicyIndex } from './policy-index.js';
import { accessReviews } from './reviews.js';

const GROUP = 'rbac.authorization.k8s.io';
const policy = new PolicyIndex();
policy.setRole({
  apiVersion: `${GROUP}/v1`,
  kind: 'Role',
  metadata: { name: 'reader', namespace: 'x' },
  rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
});
policy.setBinding({
  apiVersion: `${GROUP}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'b', namespace: 'x' },
  roleRef: { apiGroup: GROUP, kind: 'Role', name: 'reader' },
  subjects: [{ kind: 'Group', name: 'readers' }],
});
const handlers = accessReviews(policy, createAuthorizer(policy));
const caller: Identity = { user: 'ann', groups: ['readers'] };

async function ask(kind: string, spec: object, namespace = ''): Promise<unknown> {
  const plural = `${kind.toLowerCase()}s`;
  const object = { apiVersion: 'authorization.k8s.io/v1', kind, metadata: {}, spec } as KubeObject;
  try {
    const answer = (await handlers[`authorization.k8s.io/${plural}`]?.({
      identity: caller,
      object,
      namespace,
      name: '',
      dryRun: false,
    })) as KubeObject & { status: unknown };
    return answer.status;
  } catch (error) {
    return (error as Error).message;
  }
}

const reason = 'RBAC: allowed by RoleBinding "b/x" of Role "reader" to Group "readers"';
const getPods = { verb: 'get', resource: 'pods', namespace: 'x' };

describe('access reviews', () => {
  it('answer a user’s questions about their own rights', async () => {
    expect(await ask('SelfSubjectAccessReview', { resourceAttributes: getPods })).toEqual({ allowed: true, reason });
    expect(await ask('SelfSubjectAccessReview', { nonResourceAttributes: { verb: 'get', path: '/metrics' } })).toEqual({ allowed: false });
  });

  it('answer for the user in the review, not for the requester', async () => {
    expect(await ask('SubjectAccessReview', { user: 'bob', resourceAttributes: getPods })).toEqual({ allowed: false });
    expect(await ask('SubjectAccessReview', { user: 'bob', groups: ['readers'], resourceAttributes: getPods })).toEqual({
      allowed: true,
      reason,
    });
  });

  it('answer locally for their own namespace only', async () => {
    expect(await ask('LocalSubjectAccessReview', { groups: ['readers'], resourceAttributes: getPods }, 'x')).toEqual({
      allowed: true,
      reason,
    });
    expect(await ask('LocalSubjectAccessReview', { groups: ['readers'], resourceAttributes: getPods }, 'y')).toBe(
      'LocalSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "x": must match metadata.namespace',
    );
  });

  it('reject an incomplete question', async () => {
    expect(await ask('SubjectAccessReview', {})).toBe(
      'SubjectAccessReview.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
    );
  });

  it('list the rules that apply in a namespace', async () => {
    expect(await ask('SelfSubjectRulesReview', { namespace: 'x' })).toEqual({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      incomplete: false,
    });
    expect(await ask('SelfSubjectRulesReview', {})).toBe('no namespace on request');
  });
});
