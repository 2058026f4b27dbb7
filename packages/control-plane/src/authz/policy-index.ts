import type { Binding, PolicyRule, Role, RoleRef, Subject } from './policy.js';
import { ruleAllows, type Target } from './rules.js';

export interface Requester {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  /**
   * The errors for bindings that apply to the requester but whose role cannot be resolved. Permissions are additive, so the other bindings
   * still apply.
   */
  readonly problems: readonly string[];
}

export interface Verdict {
  readonly allowed: boolean;
  /**
   * If the request is allowed, the text contains the name of the binding that allowed it. Otherwise, it contains the errors for bindings
   * whose role could not be resolved, and is empty if there are none.
   */
  readonly reason: string;
}

/** The fields of a binding that authorization needs. Only these are kept, because a fleet has hundreds of thousands of bindings. */
interface Grant {
  readonly name: string;
  /** The namespace of the binding; '' for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

/**
 * Indexes roles and bindings for authorization. Bindings are found by namespace and subject, so that the cost of authorizing a request
 * depends only on the requester's own bindings.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #grants = new Map<string, Grant>();
  /** The grants by namespace, then by the subject that they name. */
  readonly #bySubject = new Map<string, Map<string, Set<Grant>>>();

  setRole(role: Role): void {
    this.#roles.set(roleKey(role.metadata.namespace, role.metadata.name), role.rules ?? []);
  }

  deleteRole(role: Role): void {
    this.#roles.delete(roleKey(role.metadata.namespace, role.metadata.name));
  }

  setBinding(binding: Binding): void {
    this.deleteBinding(binding);
    const grant = grantOf(binding);
    this.#grants.set(grantKey(binding), grant);
    const bySubject = getOrCreate(this.#bySubject, grant.namespace, () => new Map<string, Set<Grant>>());
    for (const key of subjectKeys(grant)) getOrCreate(bySubject, key, () => new Set<Grant>()).add(grant);
  }

  deleteBinding(binding: Binding): void {
    const old = this.#grants.get(grantKey(binding));
    if (!old) return;
    this.#grants.delete(grantKey(binding));
    const bySubject = this.#bySubject.get(old.namespace);
    for (const key of subjectKeys(old)) {
      const set = bySubject?.get(key);
      set?.delete(old);
      if (set?.size === 0) bySubject?.delete(key);
    }
    if (bySubject?.size === 0) this.#bySubject.delete(old.namespace);
  }

  /**
   * Returns the rules of the role that a binding references, or undefined if the role does not exist. `namespace` is the namespace of the
   * binding, or '' for a ClusterRoleBinding.
   */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (ref.kind === 'ClusterRole') return this.#roles.get(roleKey(undefined, ref.name));
    return ref.kind === 'Role' && namespace !== '' ? this.#roles.get(roleKey(namespace, ref.name)) : undefined;
  }

  /** Returns the rules that apply to a requester in a namespace. If `namespace` is empty, returns the cluster-wide rules. */
  rulesFor(requester: Requester, namespace: string): GrantedRules {
    const granted: PolicyRule[] = [];
    const problems: string[] = [];
    for (const { grant } of this.#grantsOf(requester, namespace)) {
      const rules = this.roleRules(grant.roleRef, grant.namespace);
      if (rules) granted.push(...rules);
      else problems.push(missingRole(grant.roleRef));
    }
    return { rules: granted, problems };
  }

  authorize(requester: Requester, namespace: string, target: Target): Verdict {
    const problems = new Set<string>();
    for (const { grant, subject } of this.#grantsOf(requester, namespace)) {
      const rules = this.roleRules(grant.roleRef, grant.namespace);
      if (!rules) problems.add(missingRole(grant.roleRef));
      else if (rules.some((rule) => ruleAllows(rule, target))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant, subject)}` };
      }
    }
    return { allowed: false, reason: problems.size === 0 ? '' : `RBAC: ${aggregate([...problems])}` };
  }

  *#grantsOf(requester: Requester, namespace: string): Generator<{ grant: Grant; subject: Subject }> {
    const keys = [`User ${requester.name}`, ...requester.groups.map((group) => `Group ${group}`)];
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const bySubject = this.#bySubject.get(scope);
      if (!bySubject) continue;
      const seen = new Set<Grant>();
      for (const key of keys) {
        for (const grant of bySubject.get(key) ?? []) {
          if (seen.has(grant)) continue;
          seen.add(grant);
          const subject = grant.subjects.find((candidate) => keys.includes(subjectKey(candidate, scope) ?? ''));
          if (subject) yield { grant, subject };
        }
      }
    }
  }
}

/** Returns the user name of a ServiceAccount. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function grantOf({ metadata: { name = '', namespace = '' }, roleRef, subjects }: Binding): Grant {
  return { name, namespace, roleRef, subjects: subjects ?? [] };
}

function subjectKeys({ subjects, namespace }: Grant): Set<string> {
  return new Set(subjects.flatMap((subject) => subjectKey(subject, namespace) ?? []));
}

/**
 * Returns the key of a subject in the index. A ServiceAccount subject is converted to its user name; in a RoleBinding, its namespace
 * defaults to that of the binding.
 */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User' || subject.kind === 'Group') return `${subject.kind} ${subject.name}`;
  const namespace = subject.namespace || bindingNamespace;
  if (subject.kind !== 'ServiceAccount' || namespace === '') return undefined;
  return `User ${serviceAccountUser(namespace, subject.name)}`;
}

function describeGrant({ name, namespace, roleRef }: Grant, subject: Subject): string {
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const qualified = namespace === '' ? name : `${name}/${namespace}`;
  const owner = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${kind} "${qualified}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${owner}"`;
}

function missingRole(ref: RoleRef): string {
  if (ref.kind !== 'Role' && ref.kind !== 'ClusterRole') return `unsupported role reference kind: "${ref.kind}"`;
  return `${ref.kind.toLowerCase()}.rbac.authorization.k8s.io "${ref.name}" not found`;
}

function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? String(messages[0]) : `[${messages.join(', ')}]`;
}

function roleKey(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

function grantKey({ metadata: { namespace = '', name = '' } }: Binding): string {
  return `${namespace}/${name}`;
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = create();
  map.set(key, made);
  return made;
}
