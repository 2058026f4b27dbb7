import { ApiError, type KubeObject } from '@outrigger/core';
import type { Attributes, Authorizer, Identity, VirtualHandlers, VirtualRequest } from '../handle/contract.js';
import { requesterOf } from './authorizer.js';
import type { PolicyIndex } from './policy-index.js';

interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
}

interface ReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Review extends KubeObject {
  readonly spec?: ReviewSpec & { readonly namespace?: string };
}

/** Returns the handlers of the kinds that review access. These kinds are never stored. */
export function accessReviews(policy: PolicyIndex, authorize: Authorizer): VirtualHandlers {
  const answer = async (review: Review, identity: Identity): Promise<KubeObject> => {
    const { allowed, reason = '' } = await authorize(attributesOf(review.spec ?? {}, identity));
    return { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } } as KubeObject;
  };
  const forSubject = (request: VirtualRequest, local: boolean): Promise<KubeObject> => {
    const review = request.object as Review;
    refuseInvalid(review, [...specProblems(review, true), ...(local ? localProblems(review, request.namespace) : [])]);
    return answer(review, subjectOf(review.spec ?? {}));
  };

  return {
    'authorization.k8s.io/subjectaccessreviews': (request) => forSubject(request, false),
    'authorization.k8s.io/localsubjectaccessreviews': (request) => forSubject(request, true),
    'authorization.k8s.io/selfsubjectaccessreviews': (request) => {
      const review = request.object as Review;
      refuseInvalid(review, specProblems(review, false));
      return answer(review, request.identity);
    },
    'authorization.k8s.io/selfsubjectrulesreviews': async (request) => {
      const review = request.object as Review;
      const namespace = review.spec?.namespace ?? '';
      if (namespace === '') throw new ApiError('BadRequest', 'no namespace on request');
      return { ...review, status: rulesStatus(policy, request.identity, namespace) } as KubeObject;
    },
  };
}

function rulesStatus(policy: PolicyIndex, identity: Identity, namespace: string): object {
  const { rules, problems } = policy.rulesFor(requesterOf(identity), namespace);
  return {
    resourceRules: rules.flatMap(({ verbs = [], apiGroups, resources = [], resourceNames }) =>
      resources.length === 0 ? [] : [{ verbs, apiGroups: apiGroups ?? [], resources, ...(resourceNames?.length ? { resourceNames } : {}) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs = [], nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete: false,
    ...(problems.length === 0 ? {} : { evaluationError: problems.join(', ') }),
  };
}

function attributesOf(spec: ReviewSpec, identity: Identity): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (!resource) {
    const none = { group: '', version: '', resource: '', subresource: '', namespace: '', name: '' };
    return { identity, verb: path?.verb ?? '', nonResourcePath: path?.path ?? '', ...none };
  }
  return {
    identity,
    verb: resource.verb ?? '',
    group: resource.group ?? '',
    version: resource.version ?? '*',
    resource: resource.resource ?? '',
    subresource: resource.subresource ?? '',
    namespace: resource.namespace ?? '',
    name: resource.name ?? '',
  };
}

function subjectOf({ user = '', groups = [], uid, extra }: ReviewSpec): Identity {
  return { user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

interface Problem {
  readonly field: string;
  readonly value: unknown;
  readonly detail: string;
}

function specProblems({ spec = {} }: Review, needsSubject: boolean): Problem[] {
  const { resourceAttributes, nonResourceAttributes, user = '', groups = [] } = spec;
  const problems: Problem[] = [];
  if (resourceAttributes && nonResourceAttributes) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    problems.push({ field: 'spec.nonResourceAttributes', value: nonResourceAttributes, detail });
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    problems.push({ field: 'spec.resourceAttributes', value: null, detail });
  }
  if (needsSubject && user === '' && groups.length === 0) {
    problems.push({ field: 'spec.user', value: '', detail: 'at least one of user or group must be specified' });
  }
  return problems;
}

function localProblems({ spec = {} }: Review, namespace: string): Problem[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const problems: Problem[] = [];
  if (resourceAttributes && (resourceAttributes.namespace ?? '') !== namespace) {
    const value = resourceAttributes.namespace ?? '';
    problems.push({ field: 'spec.resourceAttributes.namespace', value, detail: 'must match metadata.namespace' });
  }
  if (nonResourceAttributes) {
    problems.push({ field: 'spec.nonResourceAttributes', value: nonResourceAttributes, detail: 'disallowed on this kind of request' });
  }
  return problems;
}

function refuseInvalid(review: Review, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const causes = problems.map(({ field, value, detail }) => {
    return { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${detail}`, field };
  });
  const list = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  const group = review.apiVersion.split('/')[0] ?? '';
  throw new ApiError('Invalid', `${review.kind}.${group} "" is invalid: ${text}`, { details: { group, kind: review.kind, causes } });
}
