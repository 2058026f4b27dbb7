import type { PolicyRule, RbacSubject } from '@outrigger/api';

/** One permission of one subject: a verb on a resource or on a URL. */
export interface Grant {
  /** The API server on which the permission applies. */
  readonly where: 'hub' | 'cluster';
  /**
   * `Group <name>`, `User <name>` or `ServiceAccount <namespace>/<name>`; `ClusterRole <name>` stands for every subject that is bound to this
   * ClusterRole.
   */
  readonly subject: string;
  readonly verb: string;
  /** `<resource>` or `<resource>.<group>`, or the path of a non-resource URL. */
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** The name of the object, if the permission is limited to one object. */
  readonly resourceName?: string;
}

/** Returns the permissions that a binding gives its subjects. `namespace` is empty for a ClusterRoleBinding. */
export function grantsOf(
  where: Grant['where'],
  rules: readonly PolicyRule[],
  subjects: readonly string[],
  namespace: string,
): readonly Grant[] {
  return subjects.flatMap((subject) =>
    rules.flatMap((rule) =>
      resourcesOf(rule, namespace).flatMap((resource) =>
        (rule.verbs ?? []).map((verb): Grant => ({ where, subject, verb, namespace, ...resource })),
      ),
    ),
  );
}

function resourcesOf(rule: PolicyRule, namespace: string): readonly { readonly resource: string; readonly resourceName?: string }[] {
  const { apiGroups = [''], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const named = apiGroups.flatMap((group) => resources.map((resource) => (group === '' ? resource : `${resource}.${group}`)));
  const limited = resourceNames.length === 0 ? [{}] : resourceNames.map((resourceName) => ({ resourceName }));
  // A RoleBinding never grants access to URLs.
  const urls = namespace === '' ? nonResourceURLs : [];
  return [
    ...named.flatMap((resource) => limited.map((limit) => ({ resource, ...limit }))),
    ...urls.map((url) => ({ resource: url === '*' ? '/*' : url })),
  ];
}

const ACCOUNT_USER = 'system:serviceaccount:';

/** Returns the subject as a `Grant` names it. A User with the name of a service account is that service account. */
export function subjectText({ kind, namespace, name }: RbacSubject): string {
  if (kind === 'ServiceAccount') return `ServiceAccount ${namespace ?? ''}/${name}`;
  const [own = '', account] = name.startsWith(ACCOUNT_USER) ? name.slice(ACCOUNT_USER.length).split(':') : [];
  return kind === 'User' && account !== undefined ? `ServiceAccount ${own}/${account}` : `${kind} ${name}`;
}

/** Returns the permissions in `grants` that no permission in `others` includes. */
export function uncovered(grants: readonly Grant[], others: readonly Grant[]): readonly Grant[] {
  const found = grants.filter((grant) => !others.some((other) => covers(other, grant)));
  return [...new Map(found.map((grant) => [JSON.stringify(grant), grant])).values()];
}

function covers(a: Grant, b: Grant): boolean {
  return (
    a.where === b.where &&
    (a.verb === '*' || a.verb === b.verb) &&
    (a.namespace === '' || a.namespace === b.namespace) &&
    (a.resourceName === undefined || a.resourceName === b.resourceName) &&
    coversSubject(a.subject, b.subject) &&
    coversResource(a.resource, b.resource)
  );
}

const ALL_ACCOUNTS = 'Group system:serviceaccounts';
const AUTHENTICATED = 'Group system:authenticated';
const NOT_AUTHENTICATED = ['User system:anonymous', 'Group system:unauthenticated'];

/** Whether the API server gives the second subject every permission of the first. */
function coversSubject(a: string, b: string): boolean {
  if (a === b) return true;
  if (a === AUTHENTICATED) return !NOT_AUTHENTICATED.includes(b) && !b.startsWith('ClusterRole ');
  if (a === ALL_ACCOUNTS) return b.startsWith('ServiceAccount ') || b.startsWith(`${ALL_ACCOUNTS}:`);
  return b.startsWith('ServiceAccount ') && a === `${ALL_ACCOUNTS}:${b.slice('ServiceAccount '.length, b.indexOf('/'))}`;
}

function coversResource(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.startsWith('/') || b.startsWith('/')) return a.startsWith('/') && a.endsWith('*') && b.startsWith(a.slice(0, -1));
  const [[resource, group], [otherResource, otherGroup]] = [split(a), split(b)];
  return (group === '*' || group === otherGroup) && coversName(resource, otherResource);
}

/**
 * Whether the resource name `a` includes `b`. `*` includes all names; `*` with a subresource includes that subresource of every resource.
 */
function coversName(a: string, b: string): boolean {
  return a === '*' || a === b || (a.startsWith('*/') && b.endsWith(a.slice(1)) && b.indexOf('/') === b.length - a.length + 1);
}

function split(resource: string): readonly [resource: string, group: string] {
  const dot = resource.indexOf('.');
  return dot < 0 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
}
