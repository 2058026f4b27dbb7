import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentIdentity } from '../../registration/agent-identity.js';
import { JOIN_GROUP, joinUser } from '../../resources/join-names.js';
import { type ClusterRequestFacts, NO_BOOTSTRAP_USERS, judgeClusterRequest } from './cluster-rules.js';
import { type Asked, parsedOf, requestOf } from './fixtures.js';
import type { RequestProjection } from './request.js';
import type { Verdict } from './verdict.js';

const OWN: Asked = {
  commonName: clusterAgentUser('c1', 'agent'),
  organizations: [clusterAgentGroup('c1'), ALL_CLUSTER_AGENTS_GROUP],
};
const accepted = { isAccepted: true, isDeleting: false, hasJoined: false, agentKey: undefined };
const NOW = Date.parse('2026-01-01T12:00:00Z');
const bootstrap = { users: ['system:bootstrap:joiner'], groups: ['system:bootstrappers:fleet'] };
const JOINER: Partial<RequestProjection> = { user: 'system:bootstrap:joiner', groups: ['system:bootstrappers'] };

function judge(request: Partial<RequestProjection>, asked: Asked = {}, facts: Partial<ClusterRequestFacts> = {}): Verdict {
  const own = requestOf({ addOnName: '', ...request });
  const given: ClusterRequestFacts = { bootstrap, cluster: accepted, identity: undefined, credential: 'own', hasNamespace: true, ...facts };
  return judgeClusterRequest(own, parsedOf({ ...OWN, ...asked }), given, NOW);
}

describe('a request of a cluster’s agent for itself', () => {
  it('is approved to renew, after a review', () => {
    expect(judge({})).toMatchObject({ type: 'approve', review: 'renew' });
  });

  it('AT-51 is denied to a certificate of an earlier holder of the name, and waits while a certificate is recorded', () => {
    expect(judge({}, {}, { credential: 'foreign' }).type).toBe('deny');
    expect(judge({}, {}, { credential: 'pending' }).type).toBe('wait');
  });

  const detached: { name: string; cluster: ClusterRequestFacts['cluster'] }[] = [
    { name: 'detached', cluster: undefined },
    { name: 'denied', cluster: { ...accepted, isAccepted: false } },
    { name: 'being deleted', cluster: { ...accepted, isDeleting: true } },
  ];
  it.each(detached)('AT-07 is denied when the cluster is $name', ({ cluster }) => expect(judge({}, {}, { cluster }).type).toBe('deny'));

  const wrong: { name: string; request?: Partial<RequestProjection>; asked?: Asked }[] = [
    { name: 'names another cluster than its label', asked: { commonName: clusterAgentUser('c2', 'agent') } },
    { name: 'is in the group of another cluster', asked: { organizations: [clusterAgentGroup('c2'), ALL_CLUSTER_AGENTS_GROUP] } },
    { name: 'is in a further group', asked: { organizations: [clusterAgentGroup('c1'), ALL_CLUSTER_AGENTS_GROUP, 'system:masters'] } },
    { name: 'is in no group', asked: { organizations: [] } },
    { name: 'asks for a DNS name', asked: { altNames: { dnsNames: ['x.example.com'] } } },
    { name: 'asks to become an authority', asked: { isCA: true } },
    { name: 'comes from another agent', request: { user: clusterAgentUser('c1', 'other') } },
    { name: 'comes from the agent of another cluster', request: { user: clusterAgentUser('c2', 'agent') } },
    { name: 'is for server authentication', request: { usages: ['server auth'] } },
  ];
  it.each(wrong)('is denied when it $name', ({ request = {}, asked = {} }) => expect(judge(request, asked).type).toBe('deny'));

  it('AT-01 is denied to the agent of another cluster, whatever their names have in common', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
    const pair = fc.tuple(name, fc.stringMatching(/^[a-z0-9-]{0,6}[a-z0-9]$/)).map(([start, rest]) => [start, start + rest] as const);
    fc.assert(
      fc.property(pair, fc.boolean(), ([short, long], isLongAsking) => {
        const [asking, target] = isLongAsking ? [long, short] : [short, long];
        const request = { clusterName: target, user: clusterAgentUser(asking, 'agent'), groups: [clusterAgentGroup(asking)] };
        const organizations = [clusterAgentGroup(target), ALL_CLUSTER_AGENTS_GROUP];
        const asked = { commonName: clusterAgentUser(target, 'agent'), organizations };
        expect(judge(request, asked).type).toBe('deny');
        expect(judge({ ...request, user: clusterAgentUser(target, 'agent'), groups: [clusterAgentGroup(target)] }, asked).type).toBe(
          'approve',
        );
      }),
    );
  });

  it('is approved without the common group, as older agents request it', () => {
    expect(judge({}, { organizations: [clusterAgentGroup('c1')] }).type).toBe('approve');
  });

  it('is approved to join for a listed user or group, and the key is remembered', () => {
    expect(judge(JOINER)).toMatchObject({ type: 'approve', identity: { key: 'key-1', credentials: [] } });
    expect(judge({ user: 'somebody', groups: ['system:bootstrappers:fleet'] }).type).toBe('approve');
    expect(judge(JOINER)).not.toHaveProperty('review');
  });

  const invited = (cluster: string): Partial<RequestProjection> => ({
    user: joinUser(cluster),
    groups: [JOIN_GROUP, 'system:serviceaccounts'],
  });
  it('is approved to join with the token made for the cluster, listed or not', () => {
    expect(judge(invited('c1'), {}, { bootstrap: NO_BOOTSTRAP_USERS })).toMatchObject({ type: 'approve', identity: { key: 'key-1' } });
  });

  it('AT-09 is denied to the token made for another cluster, and for one whose name merely starts like it', () => {
    expect(judge(invited('c10')).type).toBe('deny');
    expect(judge(invited('c')).type).toBe('deny');
  });

  it.each([
    { made: 'before the cluster was created', createdAt: '2026-01-01T00:00:00Z', want: 'deny' },
    { made: 'in the same second', createdAt: '2026-01-01T01:00:00Z', want: 'approve' },
    { made: 'at a server whose clock is a second behind', createdAt: '2026-01-01T00:59:59Z', want: 'approve' },
    { made: 'after the cluster was created', createdAt: '2026-01-01T02:00:00Z', want: 'approve' },
  ])('AT-51 made with a join token $made: $want', ({ createdAt, want }) => {
    const cluster = { ...accepted, createdAt: '2026-01-01T01:00:00Z' };
    expect(judge({ ...invited('c1'), createdAt }, {}, { cluster }).type).toBe(want);
  });

  it('made by a listed user may be older than the cluster, which its agent declares later', () => {
    expect(judge(JOINER, {}, { cluster: { ...accepted, createdAt: '2026-01-01T01:00:00Z' } }).type).toBe('approve');
  });

  it('AT-09 waits if the requester only has the name of a token’s account', () => {
    expect(judge({ ...invited('c1'), groups: ['system:authenticated'] }, {}, { bootstrap: NO_BOOTSTRAP_USERS }).type).toBe('wait');
  });

  const waiting: ({ name: string; request?: Partial<RequestProjection> } & Partial<ClusterRequestFacts>)[] = [
    { name: 'the requester is not listed', request: { user: 'system:bootstrap:other', groups: ['system:bootstrappers'] } },
    { name: 'the cluster is not announced', cluster: undefined },
    { name: 'the cluster is not accepted', cluster: { ...accepted, isAccepted: false } },
    { name: 'the cluster is being deleted', cluster: { ...accepted, isDeleting: true } },
    { name: 'the namespace with its record does not exist', hasNamespace: false },
    { name: 'a cluster of that name joined before with a key that is not recorded', cluster: { ...accepted, hasJoined: true } },
  ];
  it.each(waiting)('waits for a person while $name', ({ name: _, request = JOINER, ...facts }) => {
    expect(judge(request, {}, facts).type).toBe('wait');
  });

  const joined = { ...accepted, hasJoined: true };
  it.each([
    { where: 'in its Namespace', facts: { cluster: joined, identity: { key: 'key-1' } }, hint: 'kubectl annotate namespace c1' },
    { where: 'by an earlier hub', facts: { cluster: { ...joined, agentKey: 'key-1' } }, hint: 'kubectl annotate managedcluster c1' },
  ])('AT-08 is denied to a second cluster under the name of one whose key is recorded $where', ({ facts, hint }) => {
    const verdict = judge(JOINER, { keyDigest: 'key-2' }, facts);
    expect(verdict).toMatchObject({ type: 'deny' });
    expect(JSON.stringify(verdict)).toContain(hint);
  });

  it('AT-08 goes by the record in the Namespace, whatever the agent wrote on its ManagedCluster', () => {
    const facts = { cluster: { ...joined, agentKey: 'key-2' }, identity: { key: 'key-1' } };
    expect(judge(JOINER, { keyDigest: 'key-2' }, facts).type).toBe('deny');
  });

  it('lets the same agent back in with the key it kept', () => {
    const verdict = judge(JOINER, {}, { cluster: joined, identity: { key: 'key-1', credentials: ['a'] } });
    expect(verdict).toEqual({ type: 'approve', message: 'Auto approving managed cluster agent certificate.' });
  });

  it('lets the same agent back in with the key of its certificate, if it did not receive the latest certificate', () => {
    const identity = { key: 'key-2', credentials: ['b', 'a'], earlierKeys: { a: 'key-1' } };
    expect(judge(JOINER, {}, { cluster: joined, identity })).toMatchObject({
      type: 'approve',
      identity: { key: 'key-1', credentials: [] },
    });
    expect(judge(JOINER, { keyDigest: 'key-3' }, { cluster: joined, identity }).type).toBe('deny');
  });

  const LATER = '2026-01-02T00:00:00Z';
  const detachedName = { key: 'key-0', credentials: ['a'], until: LATER, detached: '2025-12-31T00:00:00Z' };
  it.each<{ name: string; identity: AgentIdentity; key?: string; want: string }>([
    { name: 'another machine, before its last certificate has ended', identity: detachedName, want: 'deny' },
    { name: 'another machine, after it', identity: { ...detachedName, until: '2026-01-01T00:00:00Z' }, want: 'approve' },
    { name: 'another machine, confirmed by an administrator', identity: { ...detachedName, reuse: true }, want: 'approve' },
    { name: 'the machine that had it', identity: detachedName, key: 'key-0', want: 'approve' },
  ])('AT-51 the name of a detached cluster is asked for by $name: $want', ({ identity, key = 'key-2', want }) => {
    const verdict = judge(JOINER, { keyDigest: key }, { identity });
    expect(verdict.type).toBe(want);
    if (want === 'deny') expect(JSON.stringify(verdict)).toContain('outrigger join c1 --reuse-name');
    else expect(verdict).toMatchObject({ identity: { key, credentials: [] } });
  });

  it('AT-11 uses the authenticated requester: an annotation that claims another one is ignored', () => {
    expect(Object.keys(requestOf())).not.toContain('annotations');
    expect(judge({ user: 'somebody', groups: [] }).type).toBe('wait');
  });

  it('is left to another manager if there is no policy', () => {
    expect(judge({}, {}, { bootstrap: undefined }).type).toBe('ignore');
  });
});
