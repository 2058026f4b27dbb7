import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { decisionPolicies, decisionPolicyProblem, decisionsEnforcedSince } from './decision-policy.js';

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
  const withRule = (spec: Record<string, unknown>, change: object): Record<string, unknown> => {
    const { resourceRules, ...match } = spec['matchConstraints'] as { readonly resourceRules: readonly object[] };
    return { ...spec, matchConstraints: { ...match, resourceRules: resourceRules.map((rule) => ({ ...rule, ...change })) } };
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
    ...[
      ['of one name', { resourceNames: ['mine'] }],
      ['of another scope', { scope: 'Namespaced' }],
      ['of one version', { apiVersions: ['v1'] }],
      ['of another group', { apiGroups: ['example.com'] }],
      ['of another operation', { operations: ['UPDATE'] }],
    ].map(([what, change]): [string, readonly KubeObject[], readonly KubeObject[]] => [
      `only objects ${String(what)} are checked`,
      edited(POLICIES, (spec) => withRule(spec, change as object)),
      BINDINGS,
    ]),
    [
      'the binding limits the kinds',
      POLICIES,
      edited(BINDINGS, (spec) => ({ ...spec, matchResources: { resourceRules: [{ resources: ['pods'] }] } })),
    ],
    ['the binding warns only', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, validationActions: ['Warn'] }))],
    ['the binding leaves out objects', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, matchResources: narrowed }))],
    ['the binding binds another policy', POLICIES, edited(BINDINGS, (spec) => ({ ...spec, policyName: 'other' }))],
    ['nothing of it is an object', edited(POLICIES, () => ({ validations: 'x', matchConstraints: 3 })), edited(BINDINGS, () => ({}))],
  ])('finds that %s', (_, policies, bindings) => {
    expect(decisionPolicyProblem(policies, bindings)).toContain('outrigger-rollout-approvals');
  });
});

describe('decisionsEnforcedSince', () => {
  const at = (objects: readonly KubeObject[], creationTimestamp: string): readonly KubeObject[] =>
    objects.map((object) => ({ ...object, metadata: { ...object.metadata, creationTimestamp } }));

  it('is the time of the younger of policy and binding', () => {
    const [early, late] = ['2026-11-16T05:00:00Z', '2026-11-16T06:00:00Z'] as const;
    expect(decisionsEnforcedSince(at(POLICIES, early), at(BINDINGS, late))).toBe(Date.parse(late));
    expect(decisionsEnforcedSince(at(POLICIES, late), at(BINDINGS, early))).toBe(Date.parse(late));
  });

  it('is undefined if the policy is not in force', () => {
    expect(decisionsEnforcedSince(POLICIES, [])).toBeUndefined();
  });
});
