import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOIN_GROUP, joinUser } from '../clusters/join/names.js';
import { type ClusterRequestFacts, NOBODY_ELSE, judgeClusterRequest } from './cluster-rules.js';
import { type Asked, contentsOf, requestOf } from './fixtures.js';
import type { RequestRecord } from './request.js';
import type { Verdict } from './verdict.js';

const OWN: Asked = {
  commonName: clusterAgentUser('c1', 'agent'),
  organizations: [clusterAgentGroup('c1'), ALL_CLUSTER_AGENTS_GROUP],
};
const accepted = { isAccepted: true, isDeleting: false, hasJoined: false, agentKey: undefined };
const bootstrap = { users: ['system:bootstrap:joiner'], groups: ['system:bootstrappers:fleet'] };
const JOINER: Partial<RequestRecord> = { user: 'system:bootstrap:joiner', groups: ['system:bootstrappers'] };

function judge(request: Partial<RequestRecord>, asked: Asked = {}, facts: Partial<ClusterRequestFacts> = {}): Verdict {
  const own = requestOf({ addOnName: '', ...request });
  return judgeClusterRequest(own, contentsOf({ ...OWN, ...asked }), { bootstrap, cluster: accepted, ...facts });
}

describe('a request of a cluster’s agent for itself', () => {
  it('is approved to renew, after a review, and the new key is remembered', () => {
    expect(judge({})).toMatchObject({ type: 'approve', review: 'renew', agentKey: 'key-1' });
    expect(judge({}, {}, { cluster: { ...accepted, agentKey: 'key-1' } })).not.toHaveProperty('agentKey');
  });

  const detached: { name: string; cluster: ClusterRequestFacts['cluster'] }[] = [
    { name: 'detached', cluster: undefined },
    { name: 'denied', cluster: { ...accepted, isAccepted: false } },
    { name: 'being deleted', cluster: { ...accepted, isDeleting: true } },
  ];
  it.each(detached)('AT-07 is denied when the cluster is $name', ({ cluster }) => expect(judge({}, {}, { cluster }).type).toBe('deny'));

  const wrong: { name: string; request?: Partial<RequestRecord>; asked?: Asked }[] = [
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

  it('is approved without the common group, as older agents ask', () => {
    expect(judge({}, { organizations: [clusterAgentGroup('c1')] }).type).toBe('approve');
  });

  it('is approved to join for a listed user or group, and the key is remembered', () => {
    expect(judge(JOINER)).toMatchObject({ type: 'approve', agentKey: 'key-1' });
    expect(judge({ user: 'somebody', groups: ['system:bootstrappers:fleet'] }).type).toBe('approve');
    expect(judge(JOINER)).not.toHaveProperty('review');
  });

  const invited = (cluster: string): Partial<RequestRecord> => ({
    user: joinUser(cluster),
    groups: [JOIN_GROUP, 'system:serviceaccounts'],
  });
  it('is approved to join with the token made for the cluster, listed or not', () => {
    expect(judge(invited('c1'), {}, { bootstrap: NOBODY_ELSE })).toMatchObject({ type: 'approve', agentKey: 'key-1' });
  });

  it('AT-09 is denied to the token made for another cluster, and for one whose name merely starts like it', () => {
    expect(judge(invited('c10')).type).toBe('deny');
    expect(judge(invited('c')).type).toBe('deny');
  });

  it('AT-09 waits when somebody only claims the name of a token’s account', () => {
    expect(judge({ ...invited('c1'), groups: ['system:authenticated'] }, {}, { bootstrap: NOBODY_ELSE }).type).toBe('wait');
  });

  const waiting: { name: string; request?: Partial<RequestRecord>; cluster?: ClusterRequestFacts['cluster'] }[] = [
    { name: 'nobody listed asks', request: { user: 'system:bootstrap:other', groups: ['system:bootstrappers'] } },
    { name: 'the cluster is not announced', cluster: undefined },
    { name: 'the cluster is not accepted', cluster: { ...accepted, isAccepted: false } },
    { name: 'the cluster is being deleted', cluster: { ...accepted, isDeleting: true } },
    { name: 'a cluster of that name joined before with a key nobody recorded', cluster: { ...accepted, hasJoined: true } },
  ];
  it.each(waiting)('waits for a person while $name', ({ request = JOINER, ...rest }) => {
    const facts = 'cluster' in rest ? { cluster: rest.cluster } : {};
    expect(judge(request, {}, facts).type).toBe('wait');
  });

  it('AT-08 is denied to a second cluster under the name of one that joined with another key', () => {
    const verdict = judge(JOINER, { keyDigest: 'key-2' }, { cluster: { ...accepted, hasJoined: true, agentKey: 'key-1' } });
    expect(verdict).toMatchObject({ type: 'deny' });
    expect(JSON.stringify(verdict)).toContain('kubectl annotate managedcluster c1');
  });

  it('lets the same agent back in with the key it kept', () => {
    const verdict = judge(JOINER, {}, { cluster: { ...accepted, hasJoined: true, agentKey: 'key-1' } });
    expect(verdict).toEqual({ type: 'approve', message: 'Auto approving managed cluster agent certificate.' });
  });

  it('AT-11 goes by the authenticated requester: an annotation that claims another one is not part of what is looked at', () => {
    expect(Object.keys(requestOf())).not.toContain('annotations');
    expect(judge({ user: 'somebody', groups: [] }).type).toBe('wait');
  });

  it('is another manager’s business where no policy is given', () => {
    expect(judge({}, {}, { bootstrap: undefined }).type).toBe('ignore');
  });
});
