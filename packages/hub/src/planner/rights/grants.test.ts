import type { PolicyRule } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterGrants } from './cluster-grants.js';
import { type Grant, grantsOf, uncovered } from './grants.js';

const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

const rules: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some(['get', 'update', '*']),
    apiGroups: some(['', 'apps', '*']),
    resources: some(['pods', 'pods/log', 'pods/status', '*/status', '*']),
    resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  }),
  fc.record({ verbs: some(['get', '*']), nonResourceURLs: some(['/metrics', '/logs/*', '/logs*', '*']) }),
);

const bindings = fc.array(
  fc.record({
    rules: fc.array(rules, { maxLength: 2 }),
    namespace: fc.constantFrom('', 'n', 'm'),
    subject: fc.constantFrom('ServiceAccount n/a', 'Group system:serviceaccounts:n', 'Group system:serviceaccounts', 'User u'),
  }),
  { maxLength: 3 },
);

interface Request {
  readonly groups: readonly string[];
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly path: string | undefined;
}

const ACCOUNT = ['ServiceAccount n/a', 'Group system:serviceaccounts:n', 'Group system:serviceaccounts', 'Group system:authenticated'];

const REQUESTS: readonly Request[] = [ACCOUNT, ['User u', 'Group system:authenticated']].flatMap((groups) =>
  ['get', 'update', 'delete'].flatMap((verb) => [
    ...['', 'apps'].flatMap((group) =>
      ['pods', 'services'].flatMap((resource) =>
        ['', 'log', 'status'].flatMap((subresource) =>
          ['', 'a', 'c'].flatMap((name) =>
            ['', 'n', 'm'].map((namespace) => ({ groups, verb, group, resource, subresource, name, namespace, path: undefined })),
          ),
        ),
      ),
    ),
    ...['/metrics', '/logs', '/logs/x', '/other'].map((path) => ({
      groups,
      verb,
      group: '',
      resource: '',
      subresource: '',
      name: '',
      namespace: '',
      path,
    })),
  ]),
);

/** Decides as the RBAC authorizer of Kubernetes does. */
function allows(rule: PolicyRule, isClusterWide: boolean, request: Request): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes('*') && !verbs.includes(request.verb)) return false;
  const { path } = request;
  if (path !== undefined) {
    const isPath = (url: string): boolean => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
    return isClusterWide && nonResourceURLs.some(isPath);
  }
  const asked = request.subresource === '' ? request.resource : `${request.resource}/${request.subresource}`;
  const isResource = (one: string): boolean =>
    one === '*' || one === asked || (request.subresource !== '' && one === `*/${request.subresource}`);
  return (
    (apiGroups.includes('*') || apiGroups.includes(request.group)) &&
    resources.some(isResource) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

type Bindings = readonly { readonly rules: readonly PolicyRule[]; readonly namespace: string; readonly subject: string }[];

const isAllowed = (all: Bindings, request: Request): boolean =>
  all.some(
    ({ rules: own, namespace, subject }) =>
      request.groups.includes(subject) &&
      (namespace === '' || namespace === request.namespace) &&
      own.some((rule) => allows(rule, namespace === '', request)),
  );

const grantsIn = (all: Bindings): readonly Grant[] =>
  all.flatMap(({ rules: own, namespace, subject }) => grantsOf('cluster', own, [subject], namespace));

/** Whether a grant, written as an RBAC rule, allows the request. */
const isGranted = ({ resource, namespace, subject, verb, resourceName }: Grant, request: Request): boolean => {
  const [pattern = '', ...group] = resource.split('.');
  const rule = resource.startsWith('/')
    ? { verbs: [verb], nonResourceURLs: [resource] }
    : {
        verbs: [verb],
        apiGroups: [group.join('.')],
        resources: [pattern],
        resourceNames: resourceName === undefined ? [] : [resourceName],
      };
  return isAllowed([{ rules: [rule], namespace, subject }], request);
};

describe('the permissions that a change adds', () => {
  it('are exactly those of the requests that RBAC allows only after it', () => {
    fc.assert(
      fc.property(bindings, bindings, (before, after) => {
        const gained = uncovered(grantsIn(after), grantsIn(before));
        for (const request of REQUESTS) {
          const isNew = !isAllowed(before, request) && isAllowed(after, request);
          const isListed = gained.some((grant) => isGranted(grant, request));
          if (isNew) expect({ request, isListed }).toEqual({ request, isListed: true });
          if (isListed) expect({ request, isAllowed: isAllowed(after, request) }).toEqual({ request, isAllowed: true });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are none if nothing changes', () => {
    fc.assert(
      fc.property(bindings, (all) => {
        expect(uncovered(grantsIn(all), grantsIn([...all].reverse()))).toEqual([]);
      }),
    );
  });
});

describe('the permissions in manifests', () => {
  const rbac = (kind: string, fields: object): JsonObject => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind, ...fields });
  const subjects = [{ kind: 'ServiceAccount', namespace: 'n', name: 'a' }];
  const bound = (name: string): JsonObject =>
    rbac('ClusterRoleBinding', { metadata: { name }, roleRef: { kind: 'ClusterRole', name }, subjects });

  it('name a binding whose role is not among them as unknown', () => {
    expect([...clusterGrants([bound('view')]).unknown.values()]).toEqual(['ClusterRole view on the clusters, bound to ServiceAccount n/a']);
  });

  it('name the selection of an aggregated ClusterRole as unknown, and follow it among the manifests', () => {
    const sum = rbac('ClusterRole', {
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { in: 'sum' } }] },
    });
    const part = rbac('ClusterRole', {
      metadata: { name: 'p', labels: { in: 'sum' } },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    const { grants, unknown } = clusterGrants([sum, part, bound('sum')]);
    expect(grants).toEqual([{ where: 'cluster', subject: 'ServiceAccount n/a', verb: 'get', resource: 'pods', namespace: '' }]);
    expect([...unknown.values()]).toEqual([
      'ClusterRole sum on the clusters, with the rules of other ClusterRoles there that have the labels in=sum, bound to ServiceAccount n/a',
    ]);
  });

  it.each([
    rbac('ClusterRole', { metadata: { name: 'x' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { '-': '~' } }] } }),
    rbac('ClusterRole', { metadata: { name: 'x' }, aggregationRule: { clusterRoleSelectors: {} } }),
    rbac('ClusterRole', { metadata: { name: 'x' }, rules: 'none' }),
    rbac('ClusterRole', { metadata: { name: 'x' }, rules: [{}] }),
    rbac('RoleBinding', { metadata: { name: 'x' } }),
    rbac('RoleBinding', { metadata: { name: 'x' }, roleRef: {}, subjects: {} }),
  ])('that no API server accepts grant nothing (%#)', (object) => expect(clusterGrants([object, bound('x')]).grants).toEqual([]));
});
