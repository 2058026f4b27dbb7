import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { decisionPolicies, decisionPolicyProblem } from './decision-policy.js';

type Edit = (spec: Record<string, unknown>) => Record<string, unknown>;
const shipped = decisionPolicies();
const of = (kind: string): readonly KubeObject[] => shipped.filter((object) => object.kind === kind);
const POLICIES = of('ValidatingAdmissionPolicy');
const BINDINGS = of('ValidatingAdmissionPolicyBinding');
const edited = (objects: readonly KubeObject[], edit: Edit): readonly KubeObject[] =>
  objects.map((object) => ({ ...object, spec: edit((object as KubeObject & { readonly spec: Record<string, unknown> }).spec) }));

describe('decisionPolicyProblem', () => {
  it('finds none in the objects as shipped, nor with the defaults of an API server', () => {
    expect(decisionPolicyProblem(POLICIES, BINDINGS)).toBeUndefined();
    const match = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
    const defaulted = edited(POLICIES, (spec) => ({ ...spec, matchConstraints: { ...(spec['matchConstraints'] as object), ...match } }));
    expect(decisionPolicyProblem(defaulted, BINDINGS)).toBeUndefined();
  });

  const drop = (spec: Record<string, unknown>): Record<string, unknown> => {
    const validations = (spec['validations'] as readonly unknown[]).slice(1);
    return { ...spec, validations };
  };
  const narrowed = { objectSelector: { matchLabels: { checked: 'yes' } } };
  it.each<[string, readonly KubeObject[], readonly KubeObject[]]>([
    ['no policy', [], BINDINGS],
    ['no binding', POLICIES, []],
    ['a validation is missing', edited(POLICIES, drop), BINDINGS],
    ['errors are ignored', edited(POLICIES, (spec) => ({ ...spec, failurePolicy: 'Ignore' })), BINDINGS],
    [
      'a condition leaves out requests',
      edited(POLICIES, (spec) => ({ ...spec, matchConditions: [{ name: 'x', expression: 'false' }] })),
      BINDINGS,
    ],
    [
      'a selector leaves out objects',
      edited(POLICIES, (spec) => ({ ...spec, matchConstraints: { ...(spec['matchConstraints'] as object), ...narrowed } })),
      BINDINGS,
    ],
    ['another kind is checked', edited(POLICIES, (spec) => ({ ...spec, matchConstraints: { resourceRules: [] } })), BINDINGS],
    ['the binding warns only', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, validationActions: ['Warn'] }))],
    ['the binding leaves out objects', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, matchResources: narrowed }))],
    ['the binding binds another policy', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, policyName: 'other' }))],
    ['nothing of it is an object', edited(POLICIES, () => ({ validations: 'x', matchConstraints: 3 })), edited(BINDINGS, () => ({}))],
  ])('finds that %s', (_, policies, bindings) => {
    expect(decisionPolicyProblem(policies, bindings)).toContain('outrigger-rollout-approvals');
  });
});
