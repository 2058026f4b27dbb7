import { compileLabelSelector, type KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes } from '../handle/contract.js';
import { isExempt, matchedForm, namespaceMatches, objectMatches, type Rule, ruleMatches, type RuleTarget } from './match.js';

const pods: RuleTarget = { group: '', version: 'v1', plural: 'pods', namespaced: true };
const nodes: RuleTarget = { group: '', version: 'v1', plural: 'nodes', namespaced: false };
const rule = (fields: Partial<Rule> = {}): Rule => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  ...fields,
});

describe('a rule', () => {
  it.each<{ name: string; rule: Rule; target?: RuleTarget; operation?: string; subresource?: string; want: boolean }>([
    { name: 'matches the resources that a rule names', rule: rule(), want: true },
    { name: 'matches no other operation', rule: rule(), operation: 'UPDATE', want: false },
    { name: 'matches every operation', rule: rule({ operations: ['*'] }), operation: 'DELETE', want: true },
    { name: 'matches no other group', rule: rule({ apiGroups: ['apps'] }), want: false },
    { name: 'matches every group', rule: rule({ apiGroups: ['*'] }), want: true },
    { name: 'matches no other version', rule: rule({ apiVersions: ['v1beta1'] }), want: false },
    { name: 'matches every version', rule: rule({ apiVersions: ['*'] }), want: true },
    { name: 'without a slash means no subresource', rule: rule(), subresource: 'status', want: false },
    { name: 'with a star means no subresource', rule: rule({ resources: ['*'] }), subresource: 'status', want: false },
    { name: 'names a subresource', rule: rule({ resources: ['pods/status'] }), subresource: 'status', want: true },
    { name: 'that names a subresource means not the object', rule: rule({ resources: ['pods/status'] }), want: false },
    { name: 'names all subresources, and the object too', rule: rule({ resources: ['pods/*'] }), want: true },
    { name: 'names a subresource of everything', rule: rule({ resources: ['*/scale'] }), subresource: 'scale', want: true },
    { name: 'names everything', rule: rule({ resources: ['*/*'] }), subresource: 'exec', want: true },
    { name: 'is for namespaced objects', rule: rule({ scope: 'Namespaced' }), want: true },
    { name: 'is not for namespaced objects', rule: rule({ scope: 'Cluster' }), want: false },
    { name: 'is for cluster-scoped objects', rule: rule({ scope: 'Cluster', resources: ['*'] }), target: nodes, want: true },
    { name: 'is not for cluster-scoped objects', rule: rule({ scope: 'Namespaced', resources: ['*'] }), target: nodes, want: false },
    { name: 'is for both', rule: rule({ scope: '*', resources: ['*'] }), target: nodes, want: true },
  ])('$name', ({ rule: given, target = pods, operation = 'CREATE', subresource = '', want }) => {
    expect(ruleMatches(given, target, operation, subresource)).toBe(want);
  });
});

describe('a webhook', () => {
  const v1: RuleTarget = { group: 'x', version: 'v1', plural: 'things', namespaced: true };
  const v2: RuleTarget = { ...v1, version: 'v2' };
  const v3: RuleTarget = { ...v1, version: 'v3' };
  const on = (...apiVersions: string[]): Rule => rule({ apiGroups: ['x'], resources: ['things'], apiVersions });
  it.each([
    { name: 'sees the requested version, if any rule names it', rules: [on('v2'), on('v1')], matchPolicy: 'Equivalent', want: v1 },
    { name: 'sees another form, if rules name only that', rules: [on('v2')], matchPolicy: 'Equivalent', want: v2 },
    { name: 'sees the form its first rule names', rules: [on('v3'), on('v2')], matchPolicy: 'Equivalent', want: v3 },
    { name: 'sees nothing else if it wants it exact', rules: [on('v2')], matchPolicy: 'Exact', want: undefined },
    { name: 'sees nothing that no rule names', rules: [on('v4')], matchPolicy: 'Equivalent', want: undefined },
    { name: 'without rules sees nothing', rules: [], matchPolicy: 'Equivalent', want: undefined },
  ])('$name', ({ rules, matchPolicy, want }) => {
    expect(matchedForm({ rules, matchPolicy }, v1, [v2, v3], { operation: 'CREATE', subResource: '' })).toBe(want);
  });
});

const labelled = (labels?: Record<string, string>): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: labels ? { labels } : {} });

describe('an object selector', () => {
  const red = compileLabelSelector({ matchLabels: { color: 'red' } });
  it.each([
    { name: 'matches the object', states: { object: labelled({ color: 'red' }) }, want: true },
    { name: 'matches the object before the update', states: { object: labelled(), oldObject: labelled({ color: 'red' }) }, want: true },
    { name: 'matches the deleted object', states: { oldObject: labelled({ color: 'red' }) }, want: true },
    { name: 'matches nothing else', states: { object: labelled({ color: 'blue' }), oldObject: labelled() }, want: false },
  ])('$name', ({ states, want }) => expect(objectMatches(red, states)).toBe(want));
  it('that is empty matches everything', () => expect(objectMatches(compileLabelSelector({}), {})).toBe(true));
});

describe('a namespace selector', () => {
  const red = compileLabelSelector({ matchLabels: { color: 'red' } });
  const labelsOf = (name: string): Record<string, string> => (name === 'red' ? { color: 'red' } : {});
  const request = (fields: Partial<AdmissionAttributes>): AdmissionAttributes =>
    ({ group: '', resource: 'pods', subResource: '', namespace: '', ...fields }) as AdmissionAttributes;
  const namespace = { resource: 'namespaces', namespace: 'blue' };
  it.each([
    { name: 'matches objects in it', given: request({ namespace: 'red' }), want: true },
    { name: 'matches no objects in others', given: request({ namespace: 'blue' }), want: false },
    { name: 'leaves out nothing that is in no namespace', given: request({ resource: 'nodes' }), want: true },
    { name: 'sees a namespace as it is about to be', given: request({ ...namespace, object: labelled({ color: 'red' }) }), want: true },
    { name: 'sees a deleted namespace as it is', given: request({ ...namespace, oldObject: labelled({ color: 'red' }) }), want: false },
    {
      name: 'sees the whole Namespace if only a subresource of it is written',
      given: request({ ...namespace, subResource: 'status', object: labelled({ color: 'red' }) }),
      want: false,
    },
  ])('$name', ({ given, want }) => expect(namespaceMatches(red, given, labelsOf)).toBe(want));
});

it.each([
  ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', true],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicybindings', true],
  ['apiextensions.k8s.io', 'customresourcedefinitions', false],
  ['example.com', 'validatingwebhookconfigurations', false],
])('admission is not asked about its own configuration: %s/%s', (group, resource, want) => {
  expect(isExempt({ group, resource })).toBe(want);
});
