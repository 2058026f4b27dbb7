import type { KubeObject } from '@outrigger/core';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/**
 * Returns a ValidatingAdmissionPolicy and its binding. The API server denies a request that violates the policy, and a request for which
 * the policy cannot be evaluated.
 */
export function denyingPolicy(name: string, spec: object, bindingSpec: object = {}): readonly KubeObject[] {
  const metadata = { name };
  const policy = { apiVersion: API_VERSION, kind: 'ValidatingAdmissionPolicy', metadata, spec: { failurePolicy: 'Fail', ...spec } };
  const bound = { policyName: name, validationActions: ['Deny'], ...bindingSpec };
  return [policy, { apiVersion: API_VERSION, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: bound } as KubeObject];
}

/** Returns a rule that matches requests for resources in all versions of a group. */
export function resourceRule(group: string, resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [group], apiVersions: ['*'], resources, operations, scope: '*' };
}
