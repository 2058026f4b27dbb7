import type { KubeObject } from '@outrigger/core';

export const ADMISSION_API_VERSION = 'admissionregistration.k8s.io/v1';

/** Returns the binding that makes a ValidatingAdmissionPolicy deny requests. It has the name of the policy. */
export function policyBinding(name: string): KubeObject {
  return {
    apiVersion: ADMISSION_API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  } as KubeObject;
}
