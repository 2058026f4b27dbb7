import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Binding, PolicyRule, Role, Subject } from './policy.js';
import { PolicyIndex, type Requester } from './policy-index.js';
import { ruleAllows, type Target } from './rules.js';

const role = (name: string, rules: PolicyRule[], namespace?: string): Role => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: namespace === undefined ? { name } : { name, namespace },
  rules,
});
const binding = (name: string, roleRef: { kind: string; name: string }, subjects: Subject[], namespace?: string): Binding => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: namespace === undefined ? { name } : { name, namespace },
  roleRef,
  subjects,
});
const read: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const getPod: Target = { verb: 'get', apiGroup: '', resource: 'pods', subresource: '', name: 'p' };
const ann: Requester = { name: 'ann', groups: ['dev', 'system:authenticated'] };

function indexOf(...objects: (Role | Binding)[]): PolicyIndex {
  const index = new PolicyIndex();
  for (const object of objects) {
    if ('roleRef' in object) index.setBinding(object);
    else index.setRole(object);
  }
  return index;
}

describe('the policy index', () => {
  const reader = role('reader', [read]);
  const toReader = { kind: 'ClusterRole', name: 'reader' };
  const user: Subject = { kind: 'User', name: 'ann' };

  it('grants the rights of a cluster binding everywhere, and names the binding', () => {
    const index = indexOf(reader, binding('b', toReader, [user]));
    const reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "ann"';
    expect(index.authorize(ann, 'x', getPod)).toEqual({ allowed: true, reason });
    expect(index.authorize(ann, '', getPod)).toEqual({ allowed: true, reason });
  });

  it('grants the rights of a role binding in its namespace only', () => {
    const index = indexOf(reader, binding('b', toReader, [{ kind: 'Group', name: 'dev' }], 'x'));
    expect(index.authorize(ann, 'x', getPod)).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/x" of ClusterRole "reader" to Group "dev"',
    });
    expect(index.authorize(ann, 'y', getPod).allowed).toBe(false);
    expect(index.authorize(ann, '', getPod).allowed).toBe(false);
  });

  it('matches service accounts by their user name, in the binding’s namespace by default', () => {
    const sa: Requester = { name: 'system:serviceaccount:x:bot', groups: [] };
    const local = indexOf(reader, binding('b', toReader, [{ kind: 'ServiceAccount', name: 'bot' }], 'x'));
    expect(local.authorize(sa, 'x', getPod).reason).toContain('to ServiceAccount "bot/x"');
    const foreign = indexOf(reader, binding('b', toReader, [{ kind: 'ServiceAccount', name: 'bot', namespace: 'x' }], 'y'));
    expect(foreign.authorize(sa, 'y', getPod).allowed).toBe(true);
    const nowhere = indexOf(reader, binding('b', toReader, [{ kind: 'ServiceAccount', name: 'bot' }]));
    expect(nowhere.authorize(sa, 'x', getPod).allowed).toBe(false);
  });

  it('reports a binding whose role is missing, and still uses the others', () => {
    const lost = indexOf(binding('b', { kind: 'Role', name: 'gone' }, [user], 'x'));
    expect(lost.authorize(ann, 'x', getPod)).toEqual({ allowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found' });
    const both = indexOf(reader, binding('a', { kind: 'ClusterRole', name: 'gone' }, [user]), binding('b', toReader, [user]));
    expect(both.authorize(ann, 'x', getPod).allowed).toBe(true);
  });

  it('follows changes and deletions of roles and bindings', () => {
    const bound = binding('b', toReader, [user]);
    const index = indexOf(reader, bound);
    index.setBinding({ ...bound, subjects: [{ kind: 'User', name: 'bob' }] });
    expect(index.authorize(ann, '', getPod).allowed).toBe(false);
    index.setBinding(bound);
    index.setRole(role('reader', []));
    expect(index.authorize(ann, '', getPod).allowed).toBe(false);
    index.setRole(reader);
    index.deleteBinding(bound);
    expect(index.authorize(ann, '', getPod).allowed).toBe(false);
  });

  it('decides as if every binding were read in turn, after any history of changes', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const namespace = fc.constantFrom('', 'x', 'y');
    const subject: fc.Arbitrary<Subject> = fc.oneof(
      fc.record({ kind: fc.constantFrom('User', 'Group'), name: names }),
      fc.record({ kind: fc.constant('ServiceAccount'), name: names, namespace: fc.constantFrom('', 'x', 'y') }),
    );
    const rules = fc.array(
      fc.record({ verbs: fc.constant(['get']), apiGroups: fc.constant(['']), resources: fc.constantFrom(['pods'], ['secrets']) }),
      { maxLength: 2 },
    );
    const step = fc.oneof(
      fc.record({ type: fc.constant('role' as const), name: names, namespace, rules, isDelete: fc.boolean() }),
      fc.record({
        type: fc.constant('binding' as const),
        name: names,
        namespace,
        roleName: names,
        roleKind: fc.constantFrom('Role', 'ClusterRole'),
        subjects: fc.array(subject, { maxLength: 3 }),
        isDelete: fc.boolean(),
      }),
    );
    const requester: fc.Arbitrary<Requester> = fc.record({
      name: fc.constantFrom('a', 'b', 'system:serviceaccount:x:a', 'system:serviceaccount:y:c'),
      groups: fc.uniqueArray(names),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), requester, namespace, (steps, who, where) => {
        const index = new PolicyIndex();
        const roles = new Map<string, Role>();
        const bindings = new Map<string, Binding>();
        for (const one of steps) {
          const at = one.namespace === '' ? undefined : one.namespace;
          const id = `${one.namespace}/${one.name}`;
          if (one.type === 'role') {
            const made = role(one.name, one.rules, at);
            if (one.isDelete) index.deleteRole(made);
            else index.setRole(made);
            if (one.isDelete) roles.delete(id);
            else roles.set(id, made);
          } else {
            const made = binding(one.name, { kind: one.roleKind, name: one.roleName }, one.subjects, at);
            if (one.isDelete) index.deleteBinding(made);
            else index.setBinding(made);
            if (one.isDelete) bindings.delete(id);
            else bindings.set(id, made);
          }
        }
        expect(index.authorize(who, where, getPod).allowed).toBe(naive(roles, bindings, who, where));
      }),
      { numRuns: 1000 },
    );
  });
});

/**
 * A direct implementation of RBAC, with which the index is compared: any rule of any binding that names the requester grants the request.
 */
function naive(roles: Map<string, Role>, bindings: Map<string, Binding>, who: Requester, where: string): boolean {
  return [...bindings.values()].some((one) => {
    const home = one.metadata.namespace ?? '';
    if (home !== '' && home !== where) return false;
    const names = (one.subjects ?? []).some((subject) => {
      if (subject.kind === 'Group') return who.groups.includes(subject.name);
      if (subject.kind === 'User') return who.name === subject.name;
      const namespace = subject.namespace || home;
      return namespace !== '' && who.name === `system:serviceaccount:${namespace}:${subject.name}`;
    });
    const ref = one.roleRef.kind === 'ClusterRole' ? `/${one.roleRef.name}` : `${where}/${one.roleRef.name}`;
    // A ClusterRoleBinding can only name a ClusterRole. When it is evaluated in a namespace, it must not use a Role of that namespace.
    const resolved = one.roleRef.kind === 'Role' && home === '' ? undefined : roles.get(ref);
    return names && (resolved?.rules ?? []).some((rule) => ruleAllows(rule, getPod));
  });
}
