import { describe, it } from 'vitest';
import { type Case, check, addOn, cluster, deleting, installed, work, c1 } from './fixtures.js';

const JOINED = ['ManagedClusterJoined True ManagedClusterJoined joined'];
const UNPREPARED = 'HubAcceptedManagedCluster False Error rolebindings/x: no way';
const TERMINATING = 'HubAcceptedManagedCluster False Error the namespace c1 is being deleted and waits for manifestworks w (finalizers f)';

const cases: readonly Case[] = [
  {
    name: 'a cluster the hub does not know',
    given: { managementAddOns: [addOn('hello')] },
    verdict: 'absent',
    cause: /knows no cluster "c1"/,
  },
  {
    name: 'a cluster that is not accepted',
    given: { managementAddOns: [addOn('hello', { type: 'Manual' })], clusters: [{ ...c1, spec: { hubAcceptsClient: false } }] },
    verdict: 'absent',
    cause: /not accepted cluster c1/,
    hint: /outrigger accept c1/,
  },
  {
    name: 'an accepted cluster that the hub cannot prepare',
    given: { managementAddOns: [addOn('hello')], clusters: [cluster('c1', {}, [...JOINED, UNPREPARED])] },
    verdict: 'blocked',
    cause: /the hub cannot prepare cluster c1 since 2026-01-01T00:00:00Z: rolebindings\/x: no way/,
    hint: /^kubectl describe managedcluster c1$/,
  },
  {
    name: 'a namespace that is being deleted, before its add-ons are gone',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1', {}, [...JOINED, TERMINATING])],
      installed: [deleting(installed('hello', 'c1'))],
      works: [work('hello', 'c1', [])],
    },
    verdict: 'removing',
    cause: /the namespace c1 is being deleted and waits for manifestworks w/,
    hint: /^kubectl describe namespace c1$/,
  },
  {
    name: 'a namespace that is being deleted, after its add-ons are gone',
    given: { managementAddOns: [addOn('hello')], clusters: [cluster('c1', {}, [...JOINED, TERMINATING])] },
    verdict: 'blocked',
    cause: /the namespace c1 is being deleted and waits for manifestworks w/,
    hint: /^kubectl describe namespace c1$/,
  },
  {
    name: 'a namespace that is being deleted, and no agent that could clean up',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1', {}, [TERMINATING, 'ManagedClusterConditionAvailable Unknown X stopped.'])],
    },
    verdict: 'blocked',
    cause: /cluster c1 is not available since .*stopped/,
    hint: /check the agent on c1/,
  },
  {
    name: 'a cluster whose agent never joined, with the command that joins it',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1')],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
    },
    verdict: 'waiting',
    cause: /no agent has joined as cluster c1/,
    hint: /^outrigger join c1 > c1\.yaml, then apply that file to the cluster$/,
  },
  {
    name: 'a cluster whose agent never joined, also after the hub has reported it as unreachable',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [cluster('c1', {}, ['ManagedClusterConditionAvailable Unknown ManagedClusterLeaseUpdateStopped stopped.'])],
      installed: [installed('hello', 'c1', 'Progressing True Installing x')],
    },
    verdict: 'waiting',
    cause: /no agent has joined as cluster c1/,
    hint: /^outrigger join c1 > c1\.yaml, then apply that file to the cluster$/,
  },
];

describe('why: the cluster', () => {
  it.each(cases)('$name', check);
});
