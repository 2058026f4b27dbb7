import type { Intern, Kind, KubeObject, Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { base } from '@outrigger/rules/observed';
import { HUB } from './base.js';

const GROUP = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const POLICIES: Kind = { ...GROUP, kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies' };
const BINDINGS: Kind = { ...GROUP, kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings' };
const OURS = 'outrigger-rollout-';

/** A ValidatingAdmissionPolicy, or a binding for one. For policies of other projects only the name is kept. */
export interface AdmissionPolicyProjection extends Projected {
  readonly object: KubeObject | undefined;
}

function project(object: KubeObject, intern: Intern): AdmissionPolicyProjection {
  const observed = base(object, intern);
  return { ...observed, object: observed.key.name.startsWith(OURS) ? object : undefined };
}

export const admissionPolicies: Resource<AdmissionPolicyProjection> = {
  name: 'admission-policies',
  api: HUB,
  kind: POLICIES,
  project,
  indexes: {},
};
export const admissionBindings: Resource<AdmissionPolicyProjection> = {
  name: 'admission-bindings',
  api: HUB,
  kind: BINDINGS,
  project,
  indexes: {},
};
