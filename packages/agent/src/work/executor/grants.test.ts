import type { IgnoreFields, UpdateStrategy } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { grantedObject } from './grants.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const object = (fields: object): KubeObject => ({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name: 'r' }, ...fields });
const ref = (name: string): object => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name } });
const present = (fields: object): { readonly state: 'present'; readonly object: KubeObject } => ({
  state: 'present',
  object: object(fields),
});
const apply = (...jsonPaths: readonly string[]): UpdateStrategy => ({
  type: 'ServerSideApply',
  serverSideApply: {
    ignoreFields: jsonPaths.length === 0 ? [] : ([{ condition: 'OnSpokePresent', jsonPaths }] satisfies readonly IgnoreFields[]),
  },
});
const collecting = { aggregationRule: { clusterRoleSelectors: [{}] } };

describe('the permissions that an executor must be able to grant', () => {
  it.each<{ name: string; manifest: object; live: object; strategy: UpdateStrategy; want: object }>([
    {
      name: 'of rules that replace others',
      manifest: { rules: [PODS] },
      live: { rules: [SECRETS] },
      strategy: apply(),
      want: { rules: [PODS] },
    },
    { name: 'of rules that the manifest omits', manifest: {}, live: { rules: [SECRETS] }, strategy: apply(), want: { rules: [SECRETS] } },
    ...['.rules', '.rules[0]', '.rules[*].verbs'].map((path) => ({
      name: `of rules that are ignored, wholly or in part: ${path}`,
      manifest: { rules: [PODS] },
      live: { rules: [SECRETS] },
      strategy: apply(path),
      want: { rules: [SECRETS, PODS] },
    })),
    ...['.metadata.annotations', '.aggregationRule', '.rules[1]'].map((path) => ({
      name: `of rules that replace others, while other fields are ignored: ${path}`,
      manifest: { rules: [PODS] },
      live: { rules: [SECRETS] },
      strategy: apply(path),
      want: { rules: [PODS] },
    })),
    {
      name: 'of all rules while a path cannot be parsed',
      manifest: { rules: [PODS] },
      live: { rules: [SECRETS] },
      strategy: apply('.rules['),
      want: { rules: [SECRETS, PODS] },
    },
    {
      name: 'of a role that is ignored',
      manifest: ref('modest'),
      live: ref('powerful'),
      strategy: apply('.roleRef'),
      want: ref('powerful'),
    },
    { name: 'of a role that is omitted', manifest: {}, live: ref('powerful'), strategy: apply(), want: ref('powerful') },
    {
      name: 'of a role that collects rules',
      manifest: { rules: [] },
      live: { ...collecting, rules: [SECRETS] },
      strategy: apply(),
      want: { ...collecting, rules: [] },
    },
    {
      name: 'of the parameters of a policy that the manifest states in part',
      manifest: { spec: { policyName: 'other', paramRef: { namespace: 'a' } } },
      live: { spec: { policyName: 'one', paramRef: { name: 'p', namespace: 'b' }, validationActions: ['Deny'] } },
      strategy: apply(),
      want: { spec: { policyName: 'other', paramRef: { name: 'p', namespace: 'a' } } },
    },
    {
      name: 'of a role without rules, as API servers store it',
      manifest: { rules: [PODS] },
      live: { rules: null, aggregationRule: null, spec: null },
      strategy: apply('.rules[0]'),
      want: { rules: [PODS] },
    },
    { name: 'by an update, which keeps nothing', manifest: {}, live: { rules: [SECRETS] }, strategy: { type: 'Update' }, want: {} },
  ])('$name', ({ manifest, live, strategy, want }) => {
    expect(grantedObject(object(manifest), present(live), strategy)).toEqual(object(want));
    for (const state of ['absent', 'unknown'] as const)
      expect(grantedObject(object(manifest), { state }, strategy)).toEqual(object(manifest));
  });
});
