import { type CertificateSigningRequest, JOIN_NAMESPACE, addOnUser, clusterAgentUser } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { requests } from './requests.js';

function indexed(username: string, isCertified: boolean): readonly string[] {
  const { project, indexes } = requests('c1', isCertified);
  const request: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {
      name: 'csr',
      labels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'hello' },
    },
    spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages: [], username },
  };
  const projection = project(request, (value) => value);
  return projection === undefined ? [] : (indexes?.addOnName(projection) ?? []);
}

describe('the requests that count for an add-on of cluster c1', () => {
  it.each([
    { who: 'its agent', username: clusterAgentUser('c1', 'agent'), counts: true },
    { who: 'another agent of the cluster', username: clusterAgentUser('c1', 'other'), counts: true },
    { who: 'an administrator', username: 'admin', counts: true },
    { who: 'the join token of the cluster', username: `system:serviceaccount:${JOIN_NAMESPACE}:c1`, counts: true },
    { who: 'AT-03 the join token of another cluster', username: `system:serviceaccount:${JOIN_NAMESPACE}:c2`, counts: false },
    { who: 'AT-03 the agent of another cluster', username: clusterAgentUser('c2', 'agent'), counts: false },
    { who: 'AT-03 the agent of a cluster whose name starts alike', username: clusterAgentUser('c10', 'agent'), counts: false },
  ])('$who: $counts', ({ username, counts }) => expect(indexed(username, false)).toEqual(counts ? ['hello'] : []));
});

describe('AT-45 the requests that count for an agent that signs in with its certificate', () => {
  it.each([
    { who: 'the agent', username: clusterAgentUser('c1', 'agent'), counts: true },
    { who: 'the agent under an earlier name', username: clusterAgentUser('c1', 'other'), counts: true },
    { who: 'an administrator', username: 'admin', counts: false },
    { who: 'no user', username: '', counts: false },
    { who: 'the join token of the cluster', username: `system:serviceaccount:${JOIN_NAMESPACE}:c1`, counts: false },
    { who: 'a bootstrap token', username: 'system:bootstrap:abcdef', counts: false },
    {
      who: 'the account with which all clusters join',
      username: 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
      counts: false,
    },
    { who: 'an add-on of the cluster', username: addOnUser('c1', 'hello', 'hello-agent'), counts: false },
    { who: 'the agent of another cluster', username: clusterAgentUser('c10', 'agent'), counts: false },
  ])('$who: $counts', ({ username, counts }) => expect(indexed(username, true)).toEqual(counts ? ['hello'] : []));
});
