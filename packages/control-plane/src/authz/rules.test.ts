import { describe, expect, it } from 'vitest';
import type { PolicyRule } from './policy.js';
import { ruleAllows, type Target } from './rules.js';

const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const ask = (verb: string, resource: string, more: Partial<Extract<Target, { resource: string }>> = {}): Target => ({
  verb,
  apiGroup: '',
  resource,
  subresource: '',
  name: '',
  ...more,
});

describe('a rule', () => {
  const cases: { name: string; rule: PolicyRule; target: Target; want: boolean }[] = [
    { name: 'grants a listed verb on a listed resource', rule: pods, target: ask('get', 'pods', { name: 'a' }), want: true },
    { name: 'grants no other verb', rule: pods, target: ask('delete', 'pods'), want: false },
    { name: 'grants no other group', rule: pods, target: ask('get', 'pods', { apiGroup: 'apps' }), want: false },
    { name: 'on a resource does not grant its subresources', rule: pods, target: ask('get', 'pods', { subresource: 'log' }), want: false },
    {
      name: 'names a subresource with a slash',
      rule: { ...pods, resources: ['pods/log'] },
      target: ask('get', 'pods', { subresource: 'log' }),
      want: true,
    },
    {
      name: 'on a subresource does not grant its parent',
      rule: { ...pods, resources: ['pods/log'] },
      target: ask('get', 'pods'),
      want: false,
    },
    {
      name: 'may name a subresource of everything',
      rule: { ...pods, resources: ['*/scale'] },
      target: ask('get', 'deployments', { subresource: 'scale' }),
      want: true,
    },
    {
      name: 'for */scale does not stop at a suffix',
      rule: { ...pods, resources: ['*/scale'] },
      target: ask('get', 'x', { subresource: 'autoscale' }),
      want: false,
    },
    {
      name: 'with a star grants subresources too',
      rule: { ...pods, resources: ['*'] },
      target: ask('get', 'pods', { subresource: 'log' }),
      want: true,
    },
    {
      name: 'with names grants those names',
      rule: { ...pods, resourceNames: ['a'] },
      target: ask('get', 'pods', { name: 'a' }),
      want: true,
    },
    { name: 'with names grants no other', rule: { ...pods, resourceNames: ['a'] }, target: ask('get', 'pods', { name: 'b' }), want: false },
    { name: 'with names never grants a list', rule: { ...pods, resourceNames: ['a'] }, target: ask('list', 'pods'), want: false },
    { name: 'with an empty list of names grants all', rule: { ...pods, resourceNames: [] }, target: ask('list', 'pods'), want: true },
    { name: 'without groups grants nothing', rule: { verbs: ['get'], resources: ['pods'] }, target: ask('get', 'pods'), want: false },
    { name: 'for a URL grants it', rule: url('/healthz'), target: { verb: 'get', path: '/healthz' }, want: true },
    { name: 'for a URL grants nothing below it', rule: url('/healthz'), target: { verb: 'get', path: '/healthz/etcd' }, want: false },
    { name: 'with a trailing star grants all paths below', rule: url('/apis/*'), target: { verb: 'get', path: '/apis/apps' }, want: true },
    { name: 'ending in a star does not grant its parent', rule: url('/apis/*'), target: { verb: 'get', path: '/apis' }, want: false },
    { name: 'with a star inside a URL means the letter', rule: url('/a/*/b'), target: { verb: 'get', path: '/a/x/b' }, want: false },
    { name: 'for URLs does not match resources', rule: url('*'), target: ask('get', 'pods'), want: false },
    { name: 'for resources does not match URLs', rule: { ...pods, resources: ['*'] }, target: { verb: 'get', path: '/' }, want: false },
  ];
  it.each(cases)('$name', ({ rule, target, want }) => expect(ruleAllows(rule, target)).toBe(want));
});

function url(path: string): PolicyRule {
  return { verbs: ['get'], nonResourceURLs: [path] };
}
