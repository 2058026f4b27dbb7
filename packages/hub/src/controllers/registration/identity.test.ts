import { ALL_CLUSTER_AGENTS_GROUP, addOnUser, clusterAgentGroup, clusterAgentUser } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOIN_GROUP, joinUser } from '../../resources/join-names.js';
import { RequestBudget } from './budget.js';
import { budgetOf, notAgentOf, parseClusterAgent, speaksFor } from './identity.js';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
/** Pairs of names that are equal or unrelated, or of which one is a prefix or suffix of the other. */
const pair = fc.oneof(
  fc.tuple(name, name),
  fc.tuple(name, fc.stringMatching(/^[a-z0-9]{1,6}$/)).map(([start, rest]) => [start, start + rest] as const),
  fc.tuple(name, fc.stringMatching(/^[a-z0-9]{1,6}$/)).map(([end, start]) => [end, `x${start}${end}`] as const),
);

describe('AT-01 the agent of a cluster', () => {
  it('is known by user and group together, for every pair of names', () => {
    fc.assert(
      fc.property(pair, name, ([a, b], agent) => {
        const requester = { user: clusterAgentUser(a, agent), groups: [clusterAgentGroup(a), ALL_CLUSTER_AGENTS_GROUP] };
        expect(notAgentOf(a, requester)).toBeUndefined();
        if (a === b) return;
        expect(notAgentOf(b, requester)).toBeDefined();
        expect(notAgentOf(b, { ...requester, user: clusterAgentUser(b, agent) })).toBeDefined();
        expect(notAgentOf(b, { ...requester, groups: [clusterAgentGroup(b)] })).toBeDefined();
      }),
    );
  });

  it('AT-02 is in the group of exactly that spelling', () => {
    const groups = [
      '',
      ' ',
      'SYSTEM:open-cluster-management:c1',
      'system:open-cluster-management:C1',
      'system:open-cluster-management:c1 ',
      'c1',
    ];
    for (const group of groups) expect(notAgentOf('c1', { user: clusterAgentUser('c1', 'a'), groups: [group] })).toBeDefined();
  });

  it.each([
    addOnUser('c1', 'a', 'a'),
    'system:open-cluster-management:c1',
    'system:open-cluster-management:c1:',
    'system:open-cluster-management::a',
    'system:open-cluster-management:c1:a:b',
    'System:open-cluster-management:c1:a',
    'system:serviceaccount:c1:a',
    '',
  ])('is not %j', (user) => expect(parseClusterAgent(user)).toBeUndefined());
});

describe('AT-45 the budget that a request uses', () => {
  it('is decided by the requester and the kind of request, whatever the labels name', () => {
    const label = fc.oneof(fc.constant(''), name);
    fc.assert(
      fc.property(pair, label, label, ([a, b], one, other) => {
        fc.pre(a !== b);
        const share = (cluster: string, addOnName: string): string => budgetOf({ user: clusterAgentUser(cluster, 'agent'), addOnName });
        expect(share(a, one)).not.toBe(share(b, other));
        expect(share(a, one) === share(a, other)).toBe((one === '') === (other === ''));
      }),
    );
  });

  it('a flood of requests for add-ons leaves the renewal of the same cluster and every other cluster alone', () => {
    const budget = new RequestBudget({ burst: 3, perMinute: 6 });
    const flooding = { user: clusterAgentUser('c1', 'agent'), addOnName: 'a' };
    for (let i = 0; i < 500; i++) budget.take(budgetOf({ ...flooding, addOnName: `a${i}` }), 0);
    expect(budget.waitMs(budgetOf(flooding), 0)).toBeGreaterThan(0);
    expect(budget.waitMs(budgetOf({ ...flooding, addOnName: '' }), 0)).toBe(0);
    expect(budget.waitMs(budgetOf({ user: clusterAgentUser('c2', 'agent'), addOnName: 'a' }), 0)).toBe(0);
  });

  it('agents of one cluster share, under whatever agent names', () => {
    const share = (agent: string): string => budgetOf({ user: clusterAgentUser('c1', agent), addOnName: '' });
    expect(share('one')).toBe(share('two'));
  });
});

describe('AT-03 a requester speaks for a cluster', () => {
  it.each([
    { who: 'its agent', user: clusterAgentUser('c1', 'a'), groups: [clusterAgentGroup('c1')], want: true },
    { who: 'the holder of its join token', user: joinUser('c1'), groups: [JOIN_GROUP], want: true },
    { who: 'the agent of another cluster', user: clusterAgentUser('c2', 'a'), groups: [clusterAgentGroup('c2')], want: false },
    { who: 'the holder of another join token', user: joinUser('c10'), groups: [JOIN_GROUP], want: false },
    { who: 'any other user', user: 'jane', groups: ['system:authenticated'], want: false },
  ])('$who: $want', ({ user, groups, want }) => expect(speaksFor('c1', { user, groups })).toBe(want));
});
