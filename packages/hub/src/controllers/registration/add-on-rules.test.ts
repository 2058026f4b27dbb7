import { addOnClusterGroup, addOnGroup, addOnUser, clusterAgentGroup, clusterAgentUser, defaultSubject } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAddOnRequest } from './add-on-rules.js';
import type { ParsedRequest } from './parsed-requests.js';
import { type Asked, parsedOf, factsOf, requestOf } from './fixtures.js';
import type { RequestProjection } from './request.js';

const GROUPS = [addOnClusterGroup('c1', 'hello'), addOnGroup('hello')];
const SAN = { dnsNames: ['hello.addon.open-cluster-management.io'] };

function verdict(request: Partial<RequestProjection> = {}, parsed: ParsedRequest = parsedOf(), facts = factsOf()): string {
  return judgeAddOnRequest(requestOf(request), parsed, facts).type;
}

describe('a request of an add-on', () => {
  const good: { name: string; request?: Partial<RequestProjection>; asked: Asked }[] = [
    { name: 'names the default subject', asked: {} },
    { name: 'names its groups in another order', asked: { organizations: [...GROUPS].reverse() } },
    { name: 'is in system:authenticated too', asked: { organizations: [...GROUPS, 'system:authenticated'] } },
    { name: 'asks for the one alternative name there is', asked: { altNames: SAN } },
    { name: 'comes from another agent of the cluster', request: { user: clusterAgentUser('c1', 'other') }, asked: {} },
    {
      name: 'names the subject of a custom signer',
      request: { signerName: 'example.com/own' },
      asked: { commonName: 'own', organizations: ['g2', 'g1'], units: ['u1'] },
    },
    {
      name: 'names itself as agents do if the subject has no name',
      request: { signerName: 'example.com/nameless' },
      asked: { commonName: addOnUser('c1', 'hello', 'hello'), organizations: ['g1'] },
    },
    { name: 'names the default subject to a custom signer without one', request: { signerName: 'example.com/default' }, asked: {} },
  ];
  it.each(good)('is approved when it $name', ({ request = {}, asked }) => expect(verdict(request, parsedOf(asked))).toBe('approve'));

  it('AT-01 is denied to the agent of a cluster whose name merely starts like this one’s', () => {
    expect(verdict({ user: clusterAgentUser('c10', 'agent'), groups: [clusterAgentGroup('c10')] })).toBe('deny');
  });

  it('AT-01 is approved for exactly one of two clusters, whatever their names have in common', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
    const pair = fc.tuple(name, fc.stringMatching(/^[a-z0-9-]{0,6}[a-z0-9]$/)).map(([start, rest]) => [start, start + rest] as const);
    fc.assert(
      fc.property(pair, fc.boolean(), ([short, long], isLongAsking) => {
        const [asking, target] = isLongAsking ? [long, short] : [short, long];
        const requester = { user: clusterAgentUser(asking, 'agent'), groups: [clusterAgentGroup(asking)] };
        expect(verdict({ clusterName: target, ...requester }, parsedOf({}, target))).toBe('deny');
        expect(verdict({ clusterName: asking, ...requester }, parsedOf({}, asking))).toBe('approve');
      }),
    );
  });

  const requesters: { name: string; user: string; groups?: readonly string[] }[] = [
    { name: 'an administrator', user: 'admin', groups: ['system:masters'] },
    { name: 'an add-on’s own agent', user: defaultSubject('c1', 'hello').user },
    { name: 'a user name with a part too many', user: 'system:open-cluster-management:c1:agent:more' },
    { name: 'a user name without an agent', user: 'system:open-cluster-management:c1:' },
    { name: 'a user name without a cluster', user: 'system:open-cluster-management::agent' },
    { name: 'the right name without the cluster’s group', user: clusterAgentUser('c1', 'agent'), groups: ['system:authenticated'] },
    { name: 'the right name in the group of another cluster', user: clusterAgentUser('c1', 'agent'), groups: [clusterAgentGroup('c2')] },
    { name: 'a bootstrap token', user: 'system:bootstrap:abcdef' },
  ];
  it.each(requesters)('is denied to $name', ({ user, groups = [clusterAgentGroup('c1')] }) =>
    expect(verdict({ user, groups })).toBe('deny'),
  );

  const subjects: { name: string; asked: Asked }[] = [
    { name: 'AT-02 a third group', asked: { organizations: [...GROUPS, 'system:masters'] } },
    { name: 'AT-02 a third group beside system:authenticated', asked: { organizations: [...GROUPS, 'system:authenticated', 'x'] } },
    { name: 'AT-02 a group twice', asked: { organizations: [...GROUPS, addOnGroup('hello')] } },
    { name: 'AT-02 system:authenticated twice', asked: { organizations: [...GROUPS, 'system:authenticated', 'system:authenticated'] } },
    { name: 'AT-02 an empty group', asked: { organizations: [...GROUPS, ''] } },
    { name: 'AT-02 a group in other case', asked: { organizations: [GROUPS[0] ?? '', addOnGroup('Hello')] } },
    { name: 'AT-02 one group only', asked: { organizations: GROUPS.slice(0, 1) } },
    { name: 'AT-02 no group', asked: { organizations: [] } },
    { name: 'AT-03 another add-on’s common name', asked: { commonName: defaultSubject('c1', 'other').user } },
    { name: 'AT-03 another cluster’s common name', asked: { commonName: defaultSubject('c2', 'hello').user } },
    { name: 'a common name in other case', asked: { commonName: defaultSubject('c1', 'hello').user.toUpperCase() } },
    { name: 'an organizational unit', asked: { units: ['u'] } },
    { name: 'a locality', asked: { otherSubjectAttributes: ['L=Berlin'] } },
  ];
  it.each(subjects)('is denied when the subject carries $name', ({ asked }) => expect(verdict({}, parsedOf(asked))).toBe('deny'));

  it('AT-02 is approved for exactly its two groups and at most one system:authenticated, whatever else there may be', () => {
    const near = [...GROUPS, ...GROUPS.map((group) => group.toUpperCase()), ...GROUPS.map((group) => ` ${group}`), `${GROUPS[0] ?? ''}0`];
    const group = fc.oneof(fc.constantFrom(...near, 'system:authenticated', 'system:masters', ''), fc.string({ maxLength: 8 }));
    fc.assert(
      fc.property(fc.array(group, { maxLength: 5 }), fc.boolean(), (others, isComplete) => {
        const organizations = isComplete ? [...GROUPS, ...others] : others;
        const count = (name: string): number => organizations.filter((candidate) => candidate === name).length;
        const isExact = GROUPS.every((name) => count(name) === 1) && organizations.length === 2 + count('system:authenticated');
        const want = isExact && count('system:authenticated') <= 1 ? 'approve' : 'deny';
        expect(verdict({}, parsedOf({ organizations }))).toBe(want);
      }),
      { numRuns: 1_000 },
    );
  });

  it('AT-03 is denied when its labels name another add-on of ours, installed there or not', () => {
    expect(verdict({ addOnName: 'other' })).toBe('deny');
    expect(verdict({ addOnName: 'other' }, parsedOf(), factsOf({ clusterAddOn: undefined, template: undefined }))).toBe('deny');
  });

  it('AT-03 is denied when its labels name another cluster', () => {
    expect(verdict({ clusterName: 'c2', user: clusterAgentUser('c1', 'agent'), groups: [clusterAgentGroup('c1')] })).toBe('deny');
  });

  const custom: { name: string; asked: Asked }[] = [
    { name: 'another common name', asked: { commonName: 'admin', organizations: ['g1', 'g2'], units: ['u1'] } },
    { name: 'the default subject', asked: {} },
    { name: 'a group less', asked: { commonName: 'own', organizations: ['g1'], units: ['u1'] } },
    { name: 'a group more', asked: { commonName: 'own', organizations: ['g1', 'g2', 'g3'], units: ['u1'] } },
    { name: 'no unit', asked: { commonName: 'own', organizations: ['g1', 'g2'] } },
    { name: 'another unit', asked: { commonName: 'own', organizations: ['g1', 'g2'], units: ['u2'] } },
  ];
  it.each(custom)('AT-04 is denied when a custom signer is asked for $name', ({ asked }) =>
    expect(verdict({ signerName: 'example.com/own' }, parsedOf(asked))).toBe('deny'),
  );

  const extensions: { name: string; asked: Asked; usages?: readonly string[] }[] = [
    { name: 'another DNS name', asked: { altNames: { dnsNames: ['hub.example.com'] } } },
    { name: 'another DNS name beside its own', asked: { altNames: { dnsNames: [...SAN.dnsNames, 'hub.example.com'] } } },
    { name: 'its own DNS name twice', asked: { altNames: { dnsNames: [...SAN.dnsNames, ...SAN.dnsNames] } } },
    { name: 'an IP address', asked: { altNames: { ips: ['10.0.0.1'] } } },
    { name: 'a URI', asked: { altNames: { uris: ['spiffe://x'] } } },
    { name: 'an email address', asked: { altNames: { emails: ['a@example.com'] } } },
    { name: 'a name of another kind', asked: { altNames: { others: ['dn:CN=x'] } } },
    { name: 'to become an authority', asked: { isCA: true } },
    { name: 'an unknown extension', asked: { extensions: ['1.2.3.4'] } },
    { name: 'usages by extension', asked: { extensions: ['2.5.29.37'] } },
    { name: 'a challenge password', asked: { otherAttributes: ['1.2.840.113549.1.9.7'] } },
    { name: 'server authentication', asked: {}, usages: ['digital signature', 'key encipherment', 'server auth'] },
    { name: 'server authentication as well', asked: {}, usages: ['digital signature', 'key encipherment', 'client auth', 'server auth'] },
    { name: 'fewer usages', asked: {}, usages: ['client auth'] },
    { name: 'a usage twice', asked: {}, usages: ['digital signature', 'client auth', 'client auth'] },
    { name: 'no usage', asked: {}, usages: [] },
  ];
  it.each(extensions)('AT-05 is denied when it asks for $name', ({ asked, usages }) =>
    expect(verdict(usages ? { usages } : {}, parsedOf(asked))).toBe('deny'),
  );

  it('is denied with the problem if it cannot be parsed', () => {
    const problem = 'certificate request is not signed by the key it carries';
    expect(judgeAddOnRequest(requestOf(), { type: 'unreadable', problem }, factsOf())).toEqual({ type: 'deny', why: problem });
  });

  const notYet = [
    { name: 'AT-06 its cluster does not exist', facts: factsOf({ cluster: undefined }) },
    { name: 'AT-06 its cluster is not accepted', facts: factsOf({ cluster: { isAccepted: false, isDeleting: false } }) },
    { name: 'AT-06 its cluster is being deleted', facts: factsOf({ cluster: { isAccepted: true, isDeleting: true } }) },
    { name: 'AT-06 the add-on is not installed there', facts: factsOf({ clusterAddOn: undefined, template: undefined }) },
    { name: 'AT-06 the add-on is being deleted there', facts: factsOf({ clusterAddOn: { isDeleting: true } }) },
    { name: 'no template is in effect', facts: factsOf({ template: undefined }) },
    { name: 'the template has no such registration', facts: factsOf({ template: { registration: [] } }) },
  ];
  it.each(notYet)('is left pending while $name', ({ facts }) => expect(verdict({}, parsedOf(), facts)).toBe('wait'));

  it.each([
    { made: 'before the cluster was created', createdAt: '2026-01-01T00:00:00Z', want: 'deny' },
    { made: 'after the cluster was created', createdAt: '2026-01-01T01:00:00Z', want: 'approve' },
  ])('AT-51 made $made, with no credential id: $want', ({ createdAt, want }) => {
    const cluster = { isAccepted: true, isDeleting: false, createdAt: '2026-01-01T01:00:00Z' };
    expect(verdict({ createdAt }, parsedOf(), factsOf({ cluster }))).toBe(want);
  });

  it('is not decided if another manager renders the add-on, valid or not', () => {
    expect(verdict({}, parsedOf(), factsOf({ isOurs: false }))).toBe('ignore');
    expect(verdict({ user: 'admin' }, parsedOf({ isCA: true }), factsOf({ isOurs: false }))).toBe('ignore');
  });
});
