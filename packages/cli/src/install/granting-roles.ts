import { JOIN_NAMESPACE, type PolicyRule } from '@outrigger/api';
import { JOINER_ROLE, NAMESPACED_ROLES, ROLES_FOR_PEOPLE, rulesOf } from './people.js';

/** A permission that a user lacks, as the API server names it in its refusal. */
export interface MissingRight {
  readonly verb: string;
  /** The resource with its subresource, as in `serviceaccounts/token`. */
  readonly resource: string;
  readonly group: string;
  /** The namespace; undefined for a request in all namespaces and for cluster-scoped kinds. */
  readonly namespace: string | undefined;
}

const REFUSAL =
  /^\S+ (?:".*" )?is forbidden: User "[^"]*" cannot (?<verb>\S+) resource "(?<resource>[^"]+)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)")?/;

/** Returns the permission that an API server's refusal names, or undefined for every other message. */
export function missingRightIn(message: string): MissingRight | undefined {
  const { verb = '', resource = '', group = '', namespace } = REFUSAL.exec(message)?.groups ?? {};
  return verb === '' ? undefined : { verb, resource, group, namespace };
}

/** Returns advice for a user who lacks the permission: the roles that include it, the smallest first. */
export function adviceFor(right: MissingRight): string {
  const roles = rolesThatGrant(right);
  if (roles.length === 0) return 'none of the roles for people includes this: ask an administrator of the hub';
  return `ask an administrator of the hub to bind ${roles.map(named).join(' or ')} (docs/guides/roles.md)`;
}

/** Returns the roles for users that grant the permission. A role for one namespace is returned only for a request in that namespace. */
export function rolesThatGrant(right: MissingRight): readonly string[] {
  return ROLES_FOR_PEOPLE.filter((role) => isInReach(role, right) && rulesOf(role).some((rule) => covers(rule, right))).sort(
    (a, b) => rulesOf(a).length - rulesOf(b).length,
  );
}

function isInReach(role: string, { namespace }: MissingRight): boolean {
  if (!(role in NAMESPACED_ROLES)) return true;
  return namespace !== undefined && (role === JOINER_ROLE) === (namespace === JOIN_NAMESPACE);
}

/** Whether a rule covers the permission. Rules with `resourceNames` are included, because the refusal does not always contain the name. */
function covers({ apiGroups = [], resources = [], verbs }: PolicyRule, { verb, resource, group }: MissingRight): boolean {
  return apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb);
}

function named(role: string): string {
  const where = NAMESPACED_ROLES[role];
  return where === undefined ? role : `${role} in ${where}`;
}
