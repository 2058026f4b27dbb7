import {
  type AddOnRollout,
  type AddOnTemplate,
  CSR_USER_ANNOTATION,
  type CertificateSigningRequest,
  type ClusterManagementAddOn,
  KUBE_CLIENT_SIGNER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  clusterAgentGroup,
  clusterAgentUser,
  defaultSubject,
} from '@outrigger/api';
import { type JsonObject, type KubeObject, mergePatch } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { createCsr } from '@outrigger/core/x509';
import type { AnyController, AnyDecision, CacheView, EffectContext } from '@outrigger/kube';
import { createRealRuntime } from '@outrigger/kube/node';
import { briefly, nowAt, passOf, viewOf } from '@outrigger/kube/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import type { ExaminedRequest } from './parsed-requests.js';
import { RequestProblems } from '../../registration/request-problems.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { registrationController } from './controller.js';
import { requests } from './request.js';
import { wakeByAddOn, wakeByCluster, wakeByTemplate } from './wake.js';

const NOW = nowAt(1_767_225_600_000);
const runtime = createRealRuntime();
const ADDON_API = 'addon.open-cluster-management.io/v1alpha1';
const NAME = 'addon-c1-hello-x';

const cluster: ManagedCluster = {
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'c1' },
  spec: { hubAcceptsClient: true },
};
const template: AddOnTemplate = {
  apiVersion: ADDON_API,
  kind: 'AddOnTemplate',
  metadata: { name: 'hello-v1' },
  spec: { addonName: 'hello', agentSpec: { workload: { manifests: [] } }, registration: [{ type: 'KubeClient', kubeClient: {} }] },
};
const managementAddOn: ClusterManagementAddOn = {
  apiVersion: ADDON_API,
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'hello' },
  spec: {
    supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates', defaultConfig: { name: 'hello-v1' } }],
  },
};
const clusterAddOn: ManagedClusterAddOn = {
  apiVersion: ADDON_API,
  kind: 'ManagedClusterAddOn',
  metadata: { name: 'hello', namespace: 'c1' },
  spec: {},
  status: {
    configReferences: [
      {
        group: 'addon.open-cluster-management.io',
        resource: 'addontemplates',
        name: 'hello-v1',
        desiredConfig: { name: 'hello-v1', specHash: specHash(template) },
      },
    ],
  },
};

let request: CertificateSigningRequest;
beforeAll(async () => {
  const { user, groups } = defaultSubject('c1', 'hello');
  const csr = await createCsr(runtime.keys, { keyPair: await runtime.keys.generate('P-256'), commonName: user, organizations: groups });
  request = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: NAME, labels: { 'open-cluster-management.io/cluster-name': 'c1', 'open-cluster-management.io/addon-name': 'hello' } },
    spec: {
      request: btoa(csr),
      signerName: KUBE_CLIENT_SIGNER,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      username: clusterAgentUser('c1', 'agent'),
      groups: [clusterAgentGroup('c1')],
    },
  };
});

interface Objects {
  readonly request?: CertificateSigningRequest;
  readonly cluster?: ManagedCluster | undefined;
  readonly clusterAddOn?: ManagedClusterAddOn | undefined;
  readonly managementAddOn?: ClusterManagementAddOn | undefined;
  readonly template?: AddOnTemplate | undefined;
  readonly rollout?: AddOnRollout | undefined;
}

/** The rollout admits every cluster to the template. */
const rollout: AddOnRollout = {
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'AddOnRollout',
  metadata: { name: 'hello' },
  spec: {},
  status: {
    entries: [{ name: 'default', targetRevision: 1, inFlight: [{ cluster: '*', revision: 1, admittedAt: '2026-01-01T00:00:00Z' }] }],
    history: [
      {
        revision: 1,
        version: 'v1',
        digest: 'd1',
        configs: [
          { group: 'addon.open-cluster-management.io', resource: 'addontemplates', name: 'hello-v1', specHash: specHash(template) },
        ],
      },
    ],
  },
};

function view(objects: Objects = {}): CacheView {
  const all = { request, cluster, clusterAddOn, managementAddOn, template, rollout, ...objects };
  const one = (object: KubeObject | undefined): readonly KubeObject[] => (object ? [object] : []);
  return viewOf(
    [requests, one(all.request)],
    [clusters, one(all.cluster)],
    [addOns, one(all.clusterAddOn)],
    [declarations, one(all.managementAddOn)],
    [templates, one(all.template)],
    [rollouts, one(all.rollout)],
    [storedContents, []],
    [deploymentConfigs, []],
    [placements, []],
    [decisions, []],
  );
}

/** Runs two passes of the controller: one reads the request, the other decides. */
async function decided(objects: Objects = {}): Promise<AnyDecision | undefined> {
  const controller = registrationController({ managerNamespace: 'manager', problems: new RequestProblems() });
  const seen = view(objects);
  const first = passOf(controller, seen, { name: NAME }, NOW);
  const [action] = first?.stages.flat() ?? [];
  if (action?.type !== 'effect') return first;
  let remembered: ExaminedRequest | undefined;
  const context: EffectContext<ExaminedRequest> = {
    runtime,
    signal: new AbortController().signal,
    remember: (update) => {
      remembered = update(remembered);
    },
    client: () => {
      throw new Error('reading a request takes no server');
    },
  };
  const { effects } = controller as AnyController;
  await effects?.[action.effect]?.(action.input, context);
  return passOf(controller, seen, { name: NAME }, NOW, undefined, remembered);
}

const APPROVAL = [`patch CertificateSigningRequest/approval ${NAME}`];

describe('registration: from the caches to a decision', () => {
  it('approves requests of the template in effect', async () => {
    const decision = await decided();
    expect(decision && briefly(decision)).toEqual(APPROVAL);
    expect(JSON.stringify(decision?.stages)).toContain('"type":"Approved"');
  });

  it('approves them also if the template is chosen by its version, and the declaration names none', async () => {
    const labels = { 'open-cluster-management.io/addon-version': 'v1' };
    const versioned = { ...template, metadata: { name: 'hello-v1', labels } };
    const decision = await decided({ managementAddOn: { ...managementAddOn, spec: {} }, template: versioned });
    expect(decision && briefly(decision)).toEqual(APPROVAL);
  });

  it('AT-11 denies a request whose annotation claims another requester', async () => {
    const forged = {
      ...request,
      metadata: { ...request.metadata, annotations: { [CSR_USER_ANNOTATION]: clusterAgentUser('c1', 'agent') } },
      spec: { ...request.spec, username: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa', groups: [] },
    };
    expect(JSON.stringify((await decided({ request: forged }))?.stages)).toContain('"type":"Denied"');
  });

  it('AT-03 keeps requests without labels out of the cache: only those that name a cluster are listed', () => {
    expect(requests.labelSelector).toBe('open-cluster-management.io/cluster-name');
  });

  const nothing: { name: string; objects: Objects }[] = [
    { name: 'before the add-on is installed', objects: { clusterAddOn: undefined } },
    { name: 'AT-49 if only the status names a template, and no record or annotation gives it', objects: { rollout: undefined } },
    { name: 'before the cluster exists', objects: { cluster: undefined } },
    { name: 'while its template is gone and nothing was kept of it', objects: { template: undefined } },
    { name: 'for an add-on that is not declared', objects: { managementAddOn: undefined } },
    {
      name: 'for an add-on that looks after itself',
      objects: {
        managementAddOn: {
          ...managementAddOn,
          metadata: { name: 'hello', annotations: { 'addon.open-cluster-management.io/lifecycle': 'self' } },
        },
      },
    },
    {
      name: 'for an add-on another manager renders',
      objects: { managementAddOn: { ...managementAddOn, spec: {} }, template: undefined, clusterAddOn: { ...clusterAddOn, status: {} } },
    },
    { name: 'by the template of another add-on', objects: { template: { ...template, spec: { ...template.spec, addonName: 'other' } } } },
  ];
  it.each(nothing)('decides nothing $name', async ({ objects }) => expect((await decided(objects))?.stages ?? []).toEqual([]));

  it('rests once it has decided', async () => {
    const [action] = (await decided())?.stages.flat() ?? [];
    const patch = action?.type === 'patch' ? action.patch : {};
    const after = mergePatch(request as unknown as JsonObject, patch) as CertificateSigningRequest;
    expect(await decided({ request: after })).toBeUndefined();
  });

  it('keeps the problem of a request until the request is done, and wakes the add-on both times', async () => {
    const woken: string[] = [];
    const problems = new RequestProblems();
    problems.start({ wake: ({ namespace, name }) => woken.push(`${namespace}/${name}`), watch: () => () => undefined, view: view() });
    const addOnKey = { namespace: 'c1', name: 'hello' };
    problems.report(NAME, addOnKey, 'no right');
    problems.report('another', addOnKey, 'neither');
    expect(problems.of(addOnKey)).toEqual(['no right', 'neither']);
    const controller = registrationController({ managerNamespace: 'manager', problems });
    const decision = passOf(controller, view({ request: undefined as never }), { name: NAME }, NOW);
    expect(decision && briefly(decision)).toEqual(['effect forget forget']);
    problems.forget(NAME);
    problems.forget('another');
    expect(woken).toEqual(Array.from({ length: 4 }, () => 'c1/hello'));
    expect(problems.of(addOnKey)).toEqual([]);
    expect(passOf(controller, view({ request: undefined as never }), { name: NAME }, NOW)).toBeUndefined();
  });

  it('checks again when a missing object may exist', () => {
    const seen = view({ clusterAddOn: undefined });
    const wanted = [{ name: NAME }];
    const [cluster] = seen.list(clusters);
    expect(wakeByCluster({ before: undefined, after: cluster }, seen)).toEqual(wanted);
    expect(wakeByCluster({ before: cluster, after: cluster }, seen)).toEqual([]);
    const [installed] = view().list(addOns);
    expect(wakeByAddOn({ before: undefined, after: installed }, seen)).toEqual(wanted);
    const [written] = seen.list(templates);
    expect(wakeByTemplate({ before: undefined, after: written }, seen)).toEqual(wanted);
  });
});
