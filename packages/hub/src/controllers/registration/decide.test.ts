import { KUBE_CLIENT_SIGNER } from '@outrigger/api';
import type { Decision } from '@outrigger/kube';
import { briefly, nowAt, outcomesOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { AddOnProjection, ClusterProjection } from '@outrigger/rules/observed';
import { withIssued } from '../../registration/agent-identity.js';
import type { NamespaceProjection } from '../../resources/cluster-rights.js';
import { decide } from './decide.js';
import { parsedOf, factsOf, requestOf } from './fixtures.js';
import type { RequestProjection } from './request.js';
import type { Asker, RegistrationState } from './state.js';

const NOW = nowAt(1_767_225_600_000, 5_000);
const clusterAddOn = { key: { namespace: 'c1', name: 'hello' }, uid: 'mca' } as AddOnProjection;
const cluster = { key: { name: 'c1' }, uid: 'mc', resourceVersion: '7', isAccepted: true, isDeleting: false } as ClusterProjection;
const NAMESPACE: NamespaceProjection = {
  key: { name: 'c1' },
  uid: 'ns',
  resourceVersion: '9',
  isDeleting: false,
  labels: {},
  isMade: true,
  detach: undefined,
  identity: undefined,
};
const forAddOn: Asker = { type: 'add-on', cluster, clusterAddOn, facts: factsOf() };
const forCluster: Asker = {
  type: 'cluster',
  cluster,
  facts: {
    bootstrap: { users: ['joiner'], groups: [] },
    cluster: { isAccepted: true, isDeleting: false, hasJoined: false, agentKey: undefined },
    identity: undefined,
    credential: 'own',
    hasNamespace: true,
  },
};

function state(changes: Partial<Omit<RegistrationState, 'request'>> & { request?: Partial<RequestProjection> } = {}): RegistrationState {
  const { request, ...rest } = changes;
  return {
    parsed: parsedOf(),
    namespace: NAMESPACE,
    issued: undefined,
    isIssuedRead: false,
    asker: forAddOn,
    waitMs: () => 0,
    managerNamespace: 'manager',
    maxCertificateSeconds: 86_400,
    outcomes: outcomesOf(),
    reportedProblem: undefined,
    ...rest,
    request: requestOf(request),
  };
}

function conditionsIn(decision: Decision): unknown {
  const [action] = decision.stages.flat();
  return action?.type === 'patch' ? (action.patch['status'] as { conditions: unknown }).conditions : undefined;
}

describe('registration: decide', () => {
  it('reads a request first; the memory of the effect queues the next pass', () => {
    const decision = decide(state({ parsed: undefined }), NOW);
    expect(briefly(decision)).toEqual(['effect examine examine']);
  });

  it('AT-45 parses no request of a requester without remaining budget, until it is refilled', () => {
    expect(decide(state({ parsed: undefined, waitMs: () => 1500 }), NOW)).toEqual({ stages: [], requeueAfterMs: 1500 });
  });

  it('approves with the words agents and people know', () => {
    const decision = decide(state(), NOW);
    expect(briefly(decision)).toEqual(['patch CertificateSigningRequest/approval addon-c1-hello-x']);
    expect(conditionsIn(decision)).toEqual([
      {
        type: 'Approved',
        status: 'True',
        reason: 'AutoApprovedByHubCSRApprovingController',
        message: 'Auto approving addon agent certificate.',
        lastUpdateTime: NOW.time,
        lastTransitionTime: NOW.time,
      },
    ]);
  });

  it('denies with the reason, and reports it on the add-on', () => {
    const decision = decide(state({ parsed: parsedOf({ commonName: 'root' }) }), NOW);
    expect(conditionsIn(decision)).toMatchObject([
      { type: 'Denied', reason: 'CSRDenied', message: expect.stringContaining('"root"') as string },
    ]);
    expect(decision.events).toMatchObject([
      {
        reason: 'CSRDenied',
        type: 'Warning',
        regarding: { key: { namespace: 'c1', name: 'hello' } },
        message: expect.stringContaining('"root"') as string,
      },
    ]);
  });

  const settled: { name: string; changes: Parameters<typeof state>[0] }[] = [
    { name: 'of an add-on that another manager renders', changes: { asker: { ...forAddOn, facts: factsOf({ isOurs: false }) } as Asker } },
    { name: 'whose add-on does not exist yet', changes: { asker: { ...forAddOn, facts: factsOf({ clusterAddOn: undefined }) } as Asker } },
    {
      name: 'that a user approved against these rules',
      changes: { request: { step: 'sign', signerName: 'example.com/own' }, parsed: parsedOf({ commonName: 'root' }) },
    },
    {
      name: 'of a cluster to another signer, not even to read it',
      changes: { request: { addOnName: '', signerName: 'example.com/x' }, asker: forCluster, parsed: undefined },
    },
    {
      name: 'of a cluster if another manager handles them',
      changes: {
        request: { addOnName: '' },
        asker: {
          type: 'cluster',
          cluster,
          facts: { bootstrap: undefined, cluster: undefined, identity: undefined, credential: 'own', hasNamespace: false },
        },
      },
    },
  ];
  it.each(settled)('does nothing about a request $name', ({ changes }) => expect(decide(state(changes), NOW)).toEqual({ stages: [] }));

  const own = (cluster: string) => ({
    commonName: `system:open-cluster-management:${cluster}:agent`,
    organizations: [`system:open-cluster-management:${cluster}`],
  });
  const strangers = [
    { who: 'the agent of another cluster', user: 'system:open-cluster-management:c2:agent', groups: ['system:open-cluster-management:c2'] },
    { who: 'any other user', user: 'jane', groups: ['system:authenticated'] },
  ];
  it.each(strangers)('AT-03 a request by $who is denied without an Event on the cluster it is labelled with', ({ user, groups }) => {
    const decision = decide(state({ request: { user, groups } }), NOW);
    expect(conditionsIn(decision)).toMatchObject([{ type: 'Denied' }]);
    expect(decision.events).toEqual([]);
  });

  it.each(strangers)('AT-03 the add-on does not report it if denying a request by $who fails', ({ user, groups }) => {
    const refused = outcomesOf([{ id: 'approval', reason: 'Forbidden', message: 'no' }]);
    const decision = decide(state({ request: { user, groups }, outcomes: refused }), nowAt(1_000));
    expect(decision.stages).toEqual([]);
    expect(decision.events).toEqual([]);
  });

  it('checks whether an agent may renew, then approves', () => {
    const user = own('c1').commonName;
    const decision = decide(state({ request: { addOnName: '', user }, asker: forCluster, parsed: parsedOf(own('c1')) }), NOW);
    expect(briefly(decision)).toEqual(['effect review review', ';', 'patch CertificateSigningRequest/approval addon-c1-hello-x']);
  });

  it('AT-08 records the key of an agent that joins before it approves', () => {
    const decision = decide(state({ request: { addOnName: '', user: 'joiner' }, asker: forCluster, parsed: parsedOf(own('c1')) }), NOW);
    expect(briefly(decision)).toEqual(['patch Namespace c1', ';', 'patch CertificateSigningRequest/approval addon-c1-hello-x']);
  });

  const ISSUED = {
    holder: 'cluster',
    isRenewal: false,
    credentialId: 'X509SHA256=a',
    requesterCredential: undefined,
    key: 'key-1',
    requestedAt: '2026-01-01T00:00:00Z',
    endsAt: NOW.wall + 3_600_000,
  } as const;
  it('AT-51 reads a certificate that was issued, then records it, once', () => {
    const request = { addOnName: '', step: 'issued', certificate: 'Y2VydA==' } as const;
    expect(briefly(decide(state({ request, asker: forCluster }), NOW))).toEqual(['effect read-issued read-issued']);
    const read = { request, asker: forCluster, issued: ISSUED, isIssuedRead: true };
    expect(briefly(decide(state(read), NOW))).toEqual(['patch Namespace c1']);
    const identity = JSON.stringify(withIssued(undefined, ISSUED));
    expect(decide(state({ ...read, namespace: { ...NAMESPACE, identity } }), NOW)).toEqual({ stages: [] });
  });

  it('a certificate that cannot be read is nothing to record', () => {
    const request = { addOnName: '', step: 'issued', certificate: 'Y2VydA==' } as const;
    expect(decide(state({ request, asker: forCluster, isIssuedRead: true }), NOW)).toEqual({ stages: [] });
  });

  it('signs approved requests for the template’s own signer, with the authority it names', () => {
    const own = { signerName: 'example.com/own', step: 'sign' as const, expirationSeconds: 7200 };
    const parsed = parsedOf({
      commonName: 'own',
      organizations: ['g1', 'g2'],
      units: ['u1'],
      altNames: { dnsNames: ['hello.addon.open-cluster-management.io'] },
    });
    const [action] = decide(state({ request: own, parsed }), NOW).stages.flat();
    expect(action).toMatchObject({
      effect: 'sign',
      input: {
        signingCA: { namespace: 'manager', name: 'ca' },
        dnsNames: ['hello.addon.open-cluster-management.io'],
        expirationSeconds: 7200,
      },
    });
  });

  it('reports on the add-on the refused right and the command that grants it, and tries again a minute later', () => {
    const message =
      'certificatesigningrequests.certificates.k8s.io "x" is forbidden: user not permitted to approve requests with signerName';
    const outcomes = outcomesOf([{ id: 'approval', reason: 'Forbidden', message }]);
    const recently = nowAt(10_000);
    const decision = decide(state({ outcomes }), recently);
    expect(briefly(decision)).toEqual(['effect report report']);
    const [action] = decision.stages.flat();
    const input = action?.type === 'effect' && action.effect === 'report' ? action.input : undefined;
    expect(input).toMatchObject({ request: 'addon-c1-hello-x', addOn: { namespace: 'c1', name: 'hello' } });
    expect(decide(state({ outcomes, reportedProblem: input?.message ?? '' }), recently).stages).toEqual([]);
    expect(decision.requeueAfterMs).toBe(50_000);
    expect(decision.events?.[0]?.message).toContain(
      `"resourceNames":["${KUBE_CLIENT_SIGNER}"],"verbs":["approve","sign"]}]}' | kubectl apply -f -`,
    );
    expect(briefly(decide(state({ outcomes }), nowAt(60_000)))).toHaveLength(1);
  });

  it('takes back the problem it reported once the request is done or gone', () => {
    expect(briefly(decide({ request: undefined, name: 'x' }, NOW))).toEqual(['effect forget forget']);
  });

  it('names the Secret that may not be read', () => {
    const outcomes = outcomesOf([{ id: 'sign', reason: 'Forbidden', message: 'secrets "ca" is forbidden' }]);
    const parsed = parsedOf({ commonName: 'own', organizations: ['g1', 'g2'], units: ['u1'] });
    const request = { signerName: 'example.com/own', step: 'sign' as const };
    expect(decide(state({ outcomes, parsed, request }), nowAt(1_000)).events?.[0]?.message).toContain(
      '--namespace=manager --verb=get --resource=secrets --resource-name=ca',
    );
  });
});
