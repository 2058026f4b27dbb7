import { keyString } from '@outrigger/core';
import type { Binding, PolicyRule, Role, RoleRef, Subject } from './policy.js';
import { ruleAllows, type Target } from './rules.js';

export interface Requester {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A rule that applies to somebody, with the binding that brought it. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  readonly binding: Binding;
  readonly subject: Subject;
}

export interface GrantedRules {
  readonly granted: readonly GrantedRule[];
  /** Bindings that apply but whose role cannot be resolved; rights are additive, so the rest still counts. */
  readonly problems: readonly string[];
}

export interface Verdict {
  readonly allowed: boolean;
  /** For an allowed request which binding allowed it; otherwise what could not be resolved, or ''. */
  readonly reason: string;
}

/**
 * Roles and bindings as authorization needs them: bindings are found by namespace and subject, so that a decision costs what the
 * requester's own bindings cost, however many others there are.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  /** namespace ('' for cluster bindings) → subject → bindings that name it. */
  readonly #bySubject = new Map<string, Map<string, Set<Binding>>>();

  setRole(role: Role): void {
    this.#roles.set(roleKey(role.metadata.namespace, role.metadata.name), role.rules ?? []);
  }

  deleteRole(role: Role): void {
    this.#roles.delete(roleKey(role.metadata.namespace, role.metadata.name));
  }

  setBinding(binding: Binding): void {
    this.deleteBinding(binding);
    this.#bindings.set(bindingKey(binding), binding);
    const bySubject = getOrCreate(this.#bySubject, namespaceOf(binding), () => new Map<string, Set<Binding>>());
    for (const key of subjectKeys(binding)) getOrCreate(bySubject, key, () => new Set<Binding>()).add(binding);
  }

  deleteBinding(binding: Binding): void {
    const old = this.#bindings.get(bindingKey(binding));
    if (!old) return;
    this.#bindings.delete(bindingKey(old));
    const bySubject = this.#bySubject.get(namespaceOf(old));
    for (const key of subjectKeys(old)) {
      const set = bySubject?.get(key);
      set?.delete(old);
      if (set?.size === 0) bySubject?.delete(key);
    }
    if (bySubject?.size === 0) this.#bySubject.delete(namespaceOf(old));
  }

  /** The rules of a binding's role reference, or undefined if there is no such role. `namespace` is the binding's, '' for none. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (ref.kind === 'ClusterRole') return this.#roles.get(roleKey(undefined, ref.name));
    return ref.kind === 'Role' && namespace !== '' ? this.#roles.get(roleKey(namespace, ref.name)) : undefined;
  }

  /** `namespace` '' asks for what holds cluster-wide. */
  rulesFor(requester: Requester, namespace: string): GrantedRules {
    const granted: GrantedRule[] = [];
    const problems: string[] = [];
    for (const { binding, subject } of this.#bindingsOf(requester, namespace)) {
      const rules = this.roleRules(binding.roleRef, namespaceOf(binding));
      if (!rules) problems.push(missingRole(binding.roleRef));
      else for (const rule of rules) granted.push({ rule, binding, subject });
    }
    return { granted, problems };
  }

  authorize(requester: Requester, namespace: string, target: Target): Verdict {
    const problems = new Set<string>();
    for (const { binding, subject } of this.#bindingsOf(requester, namespace)) {
      const rules = this.roleRules(binding.roleRef, namespaceOf(binding));
      if (!rules) problems.add(missingRole(binding.roleRef));
      else if (rules.some((rule) => ruleAllows(rule, target))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeBinding(binding, subject)}` };
      }
    }
    return { allowed: false, reason: problems.size === 0 ? '' : `RBAC: ${aggregate([...problems])}` };
  }

  *#bindingsOf(requester: Requester, namespace: string): Generator<{ binding: Binding; subject: Subject }> {
    const keys = [`User ${requester.name}`, ...requester.groups.map((group) => `Group ${group}`)];
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const bySubject = this.#bySubject.get(scope);
      if (!bySubject) continue;
      const seen = new Set<Binding>();
      for (const key of keys) {
        for (const binding of bySubject.get(key) ?? []) {
          if (seen.has(binding)) continue;
          seen.add(binding);
          const subject = binding.subjects?.find((candidate) => keys.includes(subjectKey(candidate, scope) ?? ''));
          if (subject) yield { binding, subject };
        }
      }
    }
  }
}

/** The user name a ServiceAccount authenticates as. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function subjectKeys(binding: Binding): Set<string> {
  const keys = (binding.subjects ?? []).flatMap((subject) => subjectKey(subject, namespaceOf(binding)) ?? []);
  return new Set(keys);
}

/** ServiceAccounts are users by another spelling; in a RoleBinding their namespace defaults to the binding's. */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User' || subject.kind === 'Group') return `${subject.kind} ${subject.name}`;
  const namespace = subject.namespace || bindingNamespace;
  if (subject.kind !== 'ServiceAccount' || namespace === '') return undefined;
  return `User ${serviceAccountUser(namespace, subject.name)}`;
}

function describeBinding(binding: Binding, subject: Subject): string {
  const namespace = namespaceOf(binding);
  const name = namespace === '' ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
  const owner = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  const { roleRef } = binding;
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  return `${kind} "${name}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${owner}"`;
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

function bindingKey(binding: Binding): string {
  return keyString({ namespace: namespaceOf(binding), name: binding.metadata.name ?? '' });
}

function namespaceOf(binding: Binding): string {
  return binding.metadata.namespace ?? '';
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = create();
  map.set(key, made);
  return made;
}
