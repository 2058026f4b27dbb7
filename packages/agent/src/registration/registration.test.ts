import {
  KUBE_CLIENT_SIGNER,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  type Secret,
  addOnToV1beta1,
  defaultSubject,
  tokenInfrastructureReadyMessage,
} from '@outrigger/api';
import type { Decision, Now } from '@outrigger/kube';
import { briefly, nowAt, outcomesOf, passOf, viewOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import { type ExaminedCertificates, withFacts } from '../credentials/certificates.js';
import { hubKubeconfig } from '../credentials/hub-kubeconfig.js';
import { addOnCredentials, pendingKeyName, pendingKeys } from '../credentials/secrets.js';
import { type AddOnApiVersion, clusterAddOns } from '../resources/add-ons.js';
import { requests } from '../resources/requests.js';
import { registrationController } from './controller.js';
import type { KubeClientDriver } from './specs.js';
import type { RegistrationMemory } from './state.js';
import { tokenRequested } from './token.js';

const NOW = nowAt(1_767_225_600_000, 1000);
const HOUR = 3_600_000;
const HUB = { server: 'https://hub', name: 'hub' };
const KEY = { namespace: 'c1', name: 'hello' };
const kubeClient = { signerName: KUBE_CLIENT_SIGNER, subject: defaultSubject('c1', 'hello') };
const custom = { signerName: 'example.com/own', subject: { user: 'own', groups: ['g'], organizationUnit: ['u'] } };

function clusterAddOn(status: ManagedClusterAddOnStatus, changes: { deletionTimestamp?: string } = {}): ManagedClusterAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ManagedClusterAddOn',
    metadata: { ...KEY, generation: 1, ...changes },
    spec: {},
    status,
  };
}

function secret(name: string, data: Readonly<Record<string, string>>, namespace = 'open-cluster-management-agent-addon'): Secret {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)]));
  const labels = { 'outrigger.dev/credential': 'add-on', 'open-cluster-management.io/addon-name': 'hello' };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels }, data: encoded };
}

interface Given {
  readonly clusterAddOn?: ManagedClusterAddOn;
  readonly secrets?: readonly Secret[];
  readonly pending?: readonly Secret[];
  readonly driver?: KubeClientDriver;
  readonly version?: AddOnApiVersion;
  readonly refusals?: Parameters<typeof outcomesOf>[0];
  readonly examined?: ExaminedCertificates;
  readonly remembered?: RegistrationMemory | undefined;
  readonly now?: Now;
}

function pass({ driver = 'csr', version = 'v1alpha1', ...given }: Given): Decision | undefined {
  const resources = {
    clusterAddOns: clusterAddOns('c1', version),
    requests: requests('c1'),
    pendingKeys: pendingKeys('agent'),
    credentials: addOnCredentials('c1'),
  };
  const settings = { clusterName: 'c1', hub: HUB, driver, certificateSeconds: undefined, tokenSeconds: 3600 };
  const controller = registrationController({ ...resources, settings, addOnApiVersion: version, namespace: 'agent' });
  const object = given.clusterAddOn && (version === 'v1alpha1' ? given.clusterAddOn : addOnToV1beta1(given.clusterAddOn));
  const view = viewOf(
    [resources.clusterAddOns, object ? [object] : []],
    [resources.requests, []],
    [resources.pendingKeys, given.pending ?? []],
    [resources.credentials, given.secrets ?? []],
  );
  const remembered = given.remembered ?? (given.examined ? { certificates: given.examined } : undefined);
  return passOf(controller, view, KEY, given.now ?? NOW, outcomesOf(given.refusals), remembered);
}

const actions = (given: Given): readonly string[] => {
  const decision = pass(given);
  return decision ? briefly(decision) : [];
};

describe('the credentials of an add-on', () => {
  it('reports the driver of the add-on first', () => {
    const [action] = pass({ clusterAddOn: clusterAddOn({ registrations: [kubeClient] }) })?.stages.flat() ?? [];
    expect(action).toMatchObject({ type: 'patch', subresource: 'status', patch: { status: { kubeClientDriver: 'csr' } } });
  });

  it('reports the driver inside the registration if the hub serves v1beta1 only', () => {
    const [action] = pass({ clusterAddOn: clusterAddOn({ registrations: [kubeClient, custom] }), version: 'v1beta1' })?.stages.flat() ?? [];
    expect(action).toMatchObject({
      kind: { version: 'v1beta1' },
      patch: {
        status: {
          registrations: [
            { type: 'kubeClient', kubeClient: { driver: 'csr', subject: kubeClient.subject } },
            { type: 'customSigner', customSigner: { signerName: 'example.com/own', subject: { user: 'own', organizationUnits: ['u'] } } },
          ],
        },
      },
    });
  });

  const registered: ManagedClusterAddOnStatus = { registrations: [kubeClient, custom], kubeClientDriver: 'csr' };
  const cases: { name: string; given: Given; want: readonly string[] }[] = [
    { name: 'are nothing before the hub has published any', given: { clusterAddOn: clusterAddOn({}) }, want: [] },
    {
      name: 'are begun, one per registration',
      given: { clusterAddOn: clusterAddOn(registered) },
      want: [`effect begin begin/hello/${KUBE_CLIENT_SIGNER}`, 'effect begin begin/hello/example.com/own'],
    },
    {
      name: 'are not asked for a registration without a signer, which the CRDs of upstream accept in v1beta1',
      given: { clusterAddOn: clusterAddOn({ registrations: [{ signerName: '' }, custom] }) },
      want: ['effect begin begin/hello/example.com/own'],
    },
    {
      name: 'stay while the add-on is being deleted',
      given: { clusterAddOn: clusterAddOn(registered, { deletionTimestamp: 'x' }), secrets: [secret('old', {})] },
      want: [],
    },
    {
      name: 'are deleted with the add-on',
      given: { secrets: [secret('hello-hub-kubeconfig', {})], pending: [pendingSecret('hello/x')] },
      want: ['delete Secret open-cluster-management-agent-addon/hello-hub-kubeconfig', `delete Secret agent/${pendingKeyName('hello/x')}`],
    },
    {
      name: 'are deleted with their registration',
      given: { clusterAddOn: clusterAddOn({}), secrets: [secret('hello-example.com-own-client-cert', {})] },
      want: ['delete Secret open-cluster-management-agent-addon/hello-example.com-own-client-cert'],
    },
    {
      name: 'move with the namespace of the add-on',
      given: {
        clusterAddOn: clusterAddOn({ ...registered, registrations: [custom], namespace: 'new' }),
        secrets: [secret('hello-example.com-own-client-cert', {})],
      },
      want: [
        'delete Secret open-cluster-management-agent-addon/hello-example.com-own-client-cert',
        'effect begin begin/hello/example.com/own',
      ],
    },
  ];
  it.each(cases)('$name', ({ given, want }) => expect(actions(given)).toEqual(want));

  it('are asked for with the subject the hub published', () => {
    const [first, second] = pass({ clusterAddOn: clusterAddOn(registered) })?.stages.flat() ?? [];
    expect(first).toMatchObject({
      input: {
        spec: {
          secret: { namespace: 'open-cluster-management-agent-addon', name: 'hello-hub-kubeconfig' },
          user: 'system:open-cluster-management:cluster:c1:addon:hello:agent:hello-agent',
          dnsNames: ['hello.addon.open-cluster-management.io'],
          requestPrefix: 'addon-c1-hello-',
          requestLabels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'hello' },
          extraData: { 'cluster-name': 'c1', kubeconfig: hubKubeconfig(HUB, 'certificate') },
        },
      },
    });
    expect(second).toMatchObject({
      input: {
        spec: {
          user: 'own',
          groups: ['g'],
          units: ['u'],
          secret: { name: 'hello-example.com-own-client-cert' },
          extraData: { 'cluster-name': 'c1' },
        },
      },
    });
  });

  it('that are refused are reported on the add-on', () => {
    const refusals = [{ id: 'begin/hello/example.com/own', reason: 'Forbidden' as const, message: 'not yours' }];
    const patch = pass({ clusterAddOn: clusterAddOn({ registrations: [custom] }), refusals })
      ?.stages.flat()
      .find(({ type }) => type === 'patch');
    expect(patch).toMatchObject({
      patch: {
        status: {
          conditions: [
            {
              type: 'ClusterCertificateRotated',
              status: 'False',
              reason: 'ClientCertificateUpdateFailed',
              message: 'example.com/own: not yours',
            },
          ],
        },
      },
    });
  });
});

describe('a certificate that arrived after error responses', () => {
  it.each(['begin', 'ask', 'store'])('is reported, and the earlier refusal of %s is not', (step) => {
    const { user, groups } = kubeClient.subject;
    const facts = {
      subject: { commonName: user, organizations: groups, organizationalUnits: [] },
      fingerprint: 'f',
      notBefore: NOW.wall,
      notAfter: NOW.wall + 3_600_000,
      renewAtShare: 0.2,
      remainingMs: () => 3_600_000,
    };
    const data = { 'tls.crt': 'PEM', 'tls.key': 'k', kubeconfig: hubKubeconfig(HUB, 'certificate'), 'cluster-name': 'c1' };
    const [action] =
      pass({
        clusterAddOn: clusterAddOn({ registrations: [kubeClient], kubeClientDriver: 'csr' }),
        secrets: [secret('hello-hub-kubeconfig', data)],
        refusals: [{ id: `${step}/hello/${KUBE_CLIENT_SIGNER}`, reason: 'NotFound', message: 'secrets "pending-key" not found' }],
        examined: withFacts(undefined, 'PEM', facts),
      })?.stages.flat() ?? [];
    expect(action).toMatchObject({
      patch: { status: { conditions: [{ type: 'ClusterCertificateRotated', status: 'True', reason: 'ClientCertificateUpdated' }] } },
    });
  });
});

describe('tokens of an add-on', () => {
  const ready = {
    type: 'TokenInfrastructureReady',
    status: 'True' as const,
    reason: 'TokenInfrastructureReady',
    message: tokenInfrastructureReadyMessage('c1', 'hello-agent', 'sa-1'),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const byToken: ManagedClusterAddOnStatus = { registrations: [kubeClient], kubeClientDriver: 'token', conditions: [ready] };
  const now = NOW.wall / 1000;
  const token = (changes: { uid?: string; iat?: number; exp?: number } = {}): string => {
    const { uid = 'sa-1', iat = now - 100, exp = now + 3500 } = changes;
    const claims = { sub: 'system:serviceaccount:c1:hello-agent', iat, exp, 'kubernetes.io': { serviceaccount: { uid } } };
    return `e30.${btoa(JSON.stringify(claims))}.x`;
  };
  const held = (value: string, more: Readonly<Record<string, string>> = {}): Secret =>
    secret('hello-hub-kubeconfig', { token: value, kubeconfig: hubKubeconfig(HUB, 'token'), 'cluster-name': 'c1', ...more });
  const request = ['effect requestToken requestToken/hello/token'];

  const cases: { name: string; status?: ManagedClusterAddOnStatus; secrets?: readonly Secret[]; want: readonly string[] }[] = [
    { name: 'wait for the ServiceAccount', status: { ...byToken, conditions: [] }, want: [] },
    { name: 'are requested', want: request },
    { name: 'are replaced when they are another ServiceAccount’s', secrets: [held(token({ uid: 'sa-0' }))], want: request },
    { name: 'are replaced when they cannot be read', secrets: [held('x')], want: request },
    { name: 'are replaced with a fifth of their life left', secrets: [held(token({ iat: now - 80, exp: now + 20 }))], want: request },
    {
      name: 'are replaced when a certificate of another driver lies beside them',
      secrets: [held(token(), { 'tls.crt': 'c', 'tls.key': 'k' })],
      want: request,
    },
  ];
  it.each(cases)('$name', ({ status = byToken, secrets = [], want }) =>
    expect(actions({ clusterAddOn: clusterAddOn(status), driver: 'token', secrets })).toEqual(want),
  );

  const refusals = [{ id: 'requestToken/hello/token', reason: 'Forbidden' as const, message: 'no' }];
  it.each([
    { name: 'while no token is stored', secrets: [], want: { status: 'False', reason: 'TokenCreationFailed' } },
    { name: 'but not with a token', secrets: [held(token())], want: { status: 'True', reason: 'AddonTokenRefreshed' } },
  ])('that were refused are reported $name', ({ secrets, want }) => {
    const patch = pass({ clusterAddOn: clusterAddOn(byToken), driver: 'token', secrets, refusals })
      ?.stages.flat()
      .find(({ type }) => type === 'patch');
    expect(patch).toMatchObject({ patch: { status: { conditions: [ready, { type: 'TokenRefreshed', ...want }] } } });
  });

  it.each([HOUR, -HOUR])('AT-48 are replaced by their age, although the clock jumps by %i ms', (jump) => {
    const secrets = [held(token({ iat: now, exp: now + 3600 }))];
    let remembered: RegistrationMemory | undefined;
    const look = (monotonic: number, skew: number): boolean => {
      const at = nowAt(NOW.wall + monotonic + skew, NOW.monotonic + monotonic);
      const decision = pass({ clusterAddOn: clusterAddOn(byToken), driver: 'token', secrets, remembered, now: at });
      remembered = decision?.remember as RegistrationMemory | undefined;
      return decision !== undefined && briefly(decision).includes('effect requestToken requestToken/hello/token');
    };
    expect([look(0, 0), look(1_000, jump), look(2_879_000, jump), look(2_880_000, jump)]).toEqual([false, false, false, true]);
  });

  it('AT-48 are replaced once when the agent starts with a clock that is behind, because their age is unknown', () => {
    const look = (iat: number, remembered: RegistrationMemory | undefined, monotonic: number): boolean => {
      const at = nowAt(NOW.wall - HOUR + monotonic, NOW.monotonic + monotonic);
      const secrets = [held(token({ iat, exp: iat + 3600 }))];
      const decision = pass({ clusterAddOn: clusterAddOn(byToken), driver: 'token', secrets, remembered, now: at });
      return decision !== undefined && briefly(decision).includes('effect requestToken requestToken/hello/token');
    };
    expect(look(now - 1_800, undefined, 0)).toBe(true);
    // The effect remembers that the token has just been issued.
    const issued = { token: { uid: 'sa-1', time: NOW.wall, ageMs: 0, seenAt: NOW.monotonic } };
    expect([1_000, 2_879_000, 2_880_000].map((monotonic) => look(now, issued, monotonic))).toEqual([false, false, true]);
  });

  it('AT-45 are requested at growing intervals if each one has to be replaced at once', () => {
    const secrets = [held(token({ uid: 'sa-0' }))];
    let tokenRequests: RegistrationMemory['tokenRequests'];
    const times: number[] = [];
    for (let at = 0; at < HOUR; ) {
      const remembered: RegistrationMemory = tokenRequests ? { tokenRequests } : {};
      const time = nowAt(NOW.wall + at, NOW.monotonic + at);
      const decision = pass({ clusterAddOn: clusterAddOn(byToken), driver: 'token', secrets, remembered, now: time });
      const isRequested = decision !== undefined && briefly(decision).includes('effect requestToken requestToken/hello/token');
      if (isRequested) {
        times.push(at);
        tokenRequests = tokenRequested(tokenRequests, time.monotonic);
      } else at += decision?.requeueAfterMs ?? HOUR;
    }
    expect(times.slice(0, 6)).toEqual([0, 0, 0, 1_000, 3_000, 7_000]);
    expect(times.length).toBeLessThan(25);
    expect(tokenRequested(tokenRequests, NOW.monotonic + 2 * HOUR).count).toBe(1);
  });

  it('are reported, and left alone until they end', () => {
    const decision = pass({ clusterAddOn: clusterAddOn(byToken), driver: 'token', secrets: [held(token())] });
    const [action] = decision?.stages.flat() ?? [];
    expect(action).toMatchObject({
      patch: { status: { conditions: [ready, { type: 'TokenRefreshed', status: 'True', reason: 'AddonTokenRefreshed' }] } },
    });
    expect(decision?.requeueAfterMs).toBeCloseTo((3500 - 720) * 1000);
    const conditions = action?.type === 'patch' ? (action.patch['status'] as ManagedClusterAddOnStatus).conditions : [];
    const settled = pass({
      clusterAddOn: clusterAddOn({ ...byToken, ...(conditions ? { conditions } : {}) }),
      driver: 'token',
      secrets: [held(token())],
    });
    expect(settled?.stages).toEqual([]);
  });
});

function pendingSecret(id: string): Secret {
  const annotations = { 'outrigger.dev/credential-id': id };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: pendingKeyName(id), namespace: 'agent', annotations }, data: {} };
}
