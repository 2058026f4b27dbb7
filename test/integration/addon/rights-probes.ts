import type { PolicyRule } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import type { Right } from '@outrigger/hub/planner';
import { AGENT_NAMESPACE, GROUP_NAMESPACE, OTHER_NAMESPACE } from './planned-rights-cases.js';

/** One request of one subject, on a resource or on a path. */
export interface Probe {
  readonly subject: string;
  readonly verb: string;
  readonly group: string;
  /** `<resource>` or `<resource>/<subresource>`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly path: string | undefined;
}

const NAMESPACES = ['', AGENT_NAMESPACE, OTHER_NAMESPACE, GROUP_NAMESPACE, 'default'];
/**
 * The paths to probe. Paths that every authenticated user may get are left out, because no upgrade changes whether these requests are
 * allowed.
 */
const PATHS = ['/metrics', '/metrics/slis', '/logs', '/logs/kubelet', '/', '/debug/flags'];

/** The rules to probe if none of the objects contains a rule, because the bound role exists only on the server. */
const UNKNOWN_RULES: readonly PolicyRule[] = [
  { verbs: ['get'], apiGroups: [''], resources: ['secrets'] },
  { verbs: ['get'], nonResourceURLs: ['/metrics'] },
];

/**
 * Returns requests at the boundaries of the rules in the given roles: requests that a rule allows, and similar ones that it may not allow.
 */
export function probesFor(subject: string, objects: readonly JsonObject[], namespaces: readonly string[] = NAMESPACES): readonly Probe[] {
  const rules = objects.flatMap((object) => (object['rules'] ?? []) as unknown as readonly PolicyRule[]);
  const own = rules.length === 0 ? UNKNOWN_RULES : rules;
  const found = new Map<string, Probe>();
  for (const rule of own) {
    for (const probe of [...resourceProbes(rule, namespaces), ...pathProbes(rule)]) {
      const complete = { ...probe, subject };
      found.set(probeText(complete), complete);
    }
  }
  return [...found.values()];
}

function resourceProbes(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule,
  namespaces: readonly string[],
): readonly Omit<Probe, 'subject'>[] {
  return resources.flatMap((resource) =>
    near(resource).flatMap((one) =>
      apiGroups.flatMap((group) =>
        (group === '*' ? ['', 'apps'] : [group]).flatMap((oneGroup) =>
          concrete(verbs).flatMap((verb) =>
            namespaces.flatMap((namespace) =>
              [undefined, ...resourceNames, 'stranger'].map((name) => ({
                verb,
                group: oneGroup,
                resource: one,
                namespace,
                name,
                path: undefined,
              })),
            ),
          ),
        ),
      ),
    ),
  );
}

function pathProbes({ verbs, nonResourceURLs = [] }: PolicyRule): readonly Omit<Probe, 'subject'>[] {
  const exact = nonResourceURLs.filter((url) => !url.endsWith('*'));
  const paths = nonResourceURLs.length === 0 ? [] : [...PATHS, ...exact, ...exact.map((url) => `${url}/below`)];
  return paths.flatMap((path) => concrete(verbs).map((verb) => ({ verb, group: '', resource: '', namespace: '', name: undefined, path })));
}

function concrete(verbs: readonly string[]): readonly string[] {
  return verbs.includes('*') ? ['get', 'delete', 'approve'] : verbs;
}

/** Returns resources at the boundary of a rule's pattern: resources that it allows, and similar ones that it may not allow. */
function near(resource: string): readonly string[] {
  if (resource === '*') return ['pods', 'pods/log', 'secrets'];
  const [name = '', subresource] = resource.split('/');
  if (name === '*') return [`pods/${subresource ?? ''}`, `secrets/${subresource ?? ''}`, 'pods'];
  return subresource === undefined ? [name, `${name}/log`] : [name, resource];
}

/** Whether a permission in a plan covers a request. */
export function matches(right: Right, { subject, verb, group, resource, namespace, name, path }: Probe): boolean {
  if (right.subject !== subject || (right.verb !== '*' && right.verb !== verb)) return false;
  if (path !== undefined || right.resource.startsWith('/')) {
    const prefix = right.resource.endsWith('*') ? right.resource.slice(0, -1) : undefined;
    return (
      path !== undefined && right.resource.startsWith('/') && (prefix === undefined ? path === right.resource : path.startsWith(prefix))
    );
  }
  const [pattern = '', ...groups] = right.resource.split('.');
  const ofGroup = groups.join('.');
  const [, subresource] = resource.split('/');
  const isResource = pattern === '*' || pattern === resource || (subresource !== undefined && pattern === `*/${subresource}`);
  return (
    isResource &&
    (ofGroup === '*' || ofGroup === group) &&
    (right.namespace === '' || right.namespace === namespace) &&
    (right.resourceName === undefined || right.resourceName === name)
  );
}

export function probeText({ subject, verb, group, resource, namespace, name, path }: Probe): string {
  return path === undefined ? `${subject} ${verb} ${resource}.${group} ${name ?? '(any)'} in "${namespace}"` : `${subject} ${verb} ${path}`;
}
