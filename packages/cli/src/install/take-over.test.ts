import type { PolicyRule } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takenOver } from './take-over.js';

const ACCOUNT = { namespace: 'ours', name: 'outrigger-hub' };
const RBAC = 'rbac.authorization.k8s.io';

const rules: fc.Arbitrary<PolicyRule> = fc.record({
  apiGroups: fc.subarray(['', RBAC, 'certificates.k8s.io', '*'], { minLength: 1 }),
  resources: fc.subarray(['clusterroles', 'roles', 'signers', 'secrets', '*', 'pods'], { minLength: 1 }),
  resourceNames: fc.subarray(['a', 'b', '*', 'example.com/*']),
  verbs: fc.subarray(['bind', 'escalate', 'approve', 'sign', 'get', '*', 'delete'], { minLength: 1 }),
});

describe('rights taken over from another manager', () => {
  it('are only to bind roles and use signers, by name, that the other manager has', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ namespace: fc.constantFrom(undefined, 'n1', 'n2'), rules: fc.array(rules) })), (granted) => {
        const sources = granted.map(({ namespace, rules: all }) => (namespace === undefined ? { rules: all } : { namespace, rules: all }));
        for (const object of takenOver(sources, ACCOUNT).objects) {
          if (object.kind === 'RoleBinding') continue;
          const { namespace } = object.metadata;
          for (const rule of (object as unknown as { rules: PolicyRule[] }).rules) {
            const isBind = rule.apiGroups?.join() === RBAC && rule.verbs.join() === 'bind';
            const isSigner =
              rule.apiGroups?.join() === 'certificates.k8s.io' && rule.verbs.every((verb) => ['approve', 'sign'].includes(verb));
            expect(isBind || (isSigner && namespace === undefined)).toBe(true);
            expect(rule.resourceNames?.length).toBeGreaterThan(0);
            expect(rule.resourceNames?.filter((name) => name.endsWith('*'))).toEqual([]);
            expect(rule.resources?.every((one) => (isBind ? ['clusterroles', 'roles'] : ['signers']).includes(one))).toBe(true);
            const isHeld = granted.some(
              (source) =>
                source.namespace === namespace &&
                source.rules.some(
                  (held) =>
                    rule.verbs.every((verb) => held.verbs.includes(verb)) &&
                    (rule.resources ?? []).every((one) => held.resources?.includes(one)) &&
                    (rule.resourceNames ?? []).every((one) => held.resourceNames?.includes(one)),
                ),
            );
            expect(isHeld).toBe(true);
          }
        }
      }),
    );
  });

  it('names the rights that it leaves out', () => {
    const nameless = { apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['bind'] };
    const secret = { apiGroups: [''], resources: ['secrets'], resourceNames: ['ca'], verbs: ['get'] };
    expect(takenOver([{ rules: [nameless] }, { namespace: 'n1', rules: [secret] }], ACCOUNT).notes).toEqual([
      'not copied: a right to bind roles with any name; list the ones you need',
      'not copied in n1: reading Secret ca; grant it if it holds the authority of a custom signer',
    ]);
  });

  it.each([
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [RBAC], resources: ['clusterroles'], verbs: ['*'], resourceNames: ['view'] },
    { apiGroups: [RBAC], resources: ['*'], verbs: ['bind'], resourceNames: ['view'] },
    { apiGroups: ['*'], resources: ['roles'], verbs: ['bind'], resourceNames: ['view'] },
    { apiGroups: ['certificates.k8s.io'], resources: ['signers'], verbs: ['sign'], resourceNames: ['example.com/*'] },
  ])('do not include a rule with wildcards, which is reported: %j', (rule) => {
    const { objects, notes } = takenOver([{ rules: [rule] }], ACCOUNT);
    expect(objects).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(/^not copied: a right to /)]);
  });
});
