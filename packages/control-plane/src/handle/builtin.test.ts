/* oxlint-disable typescript/no-unsafe-argument, typescript/no-unsafe-call, typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers of every kind are looked into */
import type { Json } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { type Answer, Api } from './fixtures.js';

const CORE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const BATCH = '/apis/batch/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

async function given(): Promise<Api> {
  const api = new Api();
  await api.namespace('default');
  return api;
}

const container = { name: 'main', image: 'nginx' };
const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
const workload = (spec: object = {}): Json => ({ metadata: { name: 'web' }, spec: { selector, template, ...spec } });

describe('defaults', () => {
  it('of a deployment and its pods are those of a real server', async () => {
    const created = await (await given()).post(`${APPS}/deployments`, workload());
    expect(created.spec).toEqual({
      replicas: 1,
      selector,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              ...container,
              imagePullPolicy: 'Always',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
            },
          ],
          dnsPolicy: 'ClusterFirst',
          restartPolicy: 'Always',
          schedulerName: 'default-scheduler',
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      },
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
    expect(created).toMatchObject({ metadata: { generation: 1 }, status: {} });
  });

  const cases: readonly { name: string; path: string; object: Json; want: object }[] = [
    {
      name: 'quantities are rewritten',
      path: `${CORE}/pods`,
      object: { metadata: { name: 'a' }, spec: { containers: [{ ...container, resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }] } },
      want: {
        spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } } }] },
        status: { phase: 'Pending', qosClass: 'Guaranteed' },
      },
    },
    {
      name: 'a service gets an address',
      path: `${CORE}/services`,
      object: { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
      want: {
        spec: {
          type: 'ClusterIP',
          clusterIP: expect.stringMatching(/^10\.96\.\d+\.\d+$/),
          sessionAffinity: 'None',
          ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
        },
        status: { loadBalancer: {} },
      },
    },
    {
      name: 'a node port is found',
      path: `${CORE}/services`,
      object: { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
      want: { spec: { externalTrafficPolicy: 'Cluster', ports: [{ nodePort: expect.any(Number) }] } },
    },
    {
      name: 'a headless service gets none',
      path: `${CORE}/services`,
      object: { metadata: { name: 'a' }, spec: { clusterIP: 'None' } },
      want: { spec: { clusterIP: 'None', clusterIPs: ['None'] } },
    },
    {
      name: 'secrets are encoded',
      path: `${CORE}/secrets`,
      object: { metadata: { name: 'a' }, stringData: { key: 'häß' } },
      want: { type: 'Opaque', data: { key: 'aMOkw58=' } },
    },
    {
      name: 'empty secrets stay empty',
      path: `${CORE}/secrets`,
      object: { metadata: { name: 'a' }, data: { key: '' } },
      want: { data: { key: '' } },
    },
    {
      name: 'a job selects its own pods',
      path: `${BATCH}/jobs`,
      object: { metadata: { name: 'a' }, spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      want: {
        spec: {
          backoffLimit: 6,
          completions: 1,
          parallelism: 1,
          template: { metadata: { labels: { 'batch.kubernetes.io/job-name': 'a' } } },
        },
      },
    },
    {
      name: 'a cron job waits',
      path: `${BATCH}/cronjobs`,
      object: {
        metadata: { name: 'a' },
        spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } } },
      },
      want: { spec: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3 } },
    },
    {
      name: 'a binding gets the API group of its role',
      path: `${RBAC}/rolebindings`,
      object: { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
      want: { roleRef: { apiGroup: 'rbac.authorization.k8s.io' }, subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }] },
    },
    {
      name: 'a daemon set rolls',
      path: `${APPS}/daemonsets`,
      object: workload(),
      want: {
        spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } },
        status: { numberReady: 0 },
      },
    },
    {
      name: 'a stateful set keeps order',
      path: `${APPS}/statefulsets`,
      object: workload({ serviceName: 's' }),
      want: { spec: { podManagementPolicy: 'OrderedReady', replicas: 1 } },
    },
  ];
  it.each(cases)('$name', async ({ path, object, want }) => {
    expect(await (await given()).post(path, object)).toMatchObject(want);
  });
});

describe('rules', () => {
  const cases: readonly { name: string; path: string; object: Json; message: RegExp }[] = [
    {
      name: 'a selector that selects something else',
      path: `${APPS}/deployments`,
      object: workload({ selector: { matchLabels: { app: 'x' } } }),
      message: /`selector` does not match template `labels`/,
    },
    {
      name: 'no containers',
      path: `${APPS}/deployments`,
      object: workload({ template: { metadata: template.metadata } }),
      message: /spec.template.spec.containers: Required value/,
    },
    {
      name: 'a container without image',
      path: `${CORE}/pods`,
      object: { metadata: { name: 'a' }, spec: { containers: [{ name: 'main' }] } },
      message: /spec.containers\[0\].image: Required value/,
    },
    {
      name: 'two containers with the same name',
      path: `${CORE}/pods`,
      object: { metadata: { name: 'a' }, spec: { containers: [container, container] } },
      message: /spec.containers\[1\].*: Duplicate value/,
    },
    {
      name: 'a mount of no volume',
      path: `${CORE}/pods`,
      object: { metadata: { name: 'a' }, spec: { containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] } },
      message: /volumeMounts\[0\].name: Not found: "v"/,
    },
    {
      name: 'an unknown strategy',
      path: `${APPS}/deployments`,
      object: workload({ strategy: { type: 'Hope' } }),
      message: /Unsupported value: "Hope"/,
    },
    {
      name: 'a service without ports',
      path: `${CORE}/services`,
      object: { metadata: { name: 'a' }, spec: {} },
      message: /spec.ports: Required value/,
    },
    {
      name: 'a key with a space',
      path: `${CORE}/configmaps`,
      object: { metadata: { name: 'a' }, data: { 'a b': 'c' } },
      message: /data\[a b\]: Invalid value: "a b": a valid config key/,
    },
    {
      name: 'a TLS secret without key',
      path: `${CORE}/secrets`,
      object: { metadata: { name: 'a' }, type: 'kubernetes.io/tls', data: {} },
      message: /data\[tls.crt\]: Required value/,
    },
    {
      name: 'a role of no verbs',
      path: `${RBAC}/roles`,
      object: { metadata: { name: 'a' }, rules: [{ resources: ['pods'], apiGroups: [''] }] },
      message: /rules\[0\].verbs: Required value/,
    },
    {
      name: 'a job that restarts for ever',
      path: `${BATCH}/jobs`,
      object: { metadata: { name: 'a' }, spec: { template: { spec: { containers: [container] } } } },
      message: /restartPolicy: Required value: valid values: "OnFailure", "Never"/,
    },
    { name: 'a namespace with a dot', path: '/api/v1/namespaces', object: { metadata: { name: 'a.b' } }, message: /must not contain dots/ },
    {
      name: 'a label that is none',
      path: `${CORE}/configmaps`,
      object: { metadata: { name: 'a', labels: { 'a b': '!' } } },
      message: /metadata.labels: Invalid value: "a b"/,
    },
  ];
  it.each(cases)('refuse $name', async ({ path, object, message }) => {
    expect(await (await given()).post(path, object)).toMatchObject({ code: 422, message: expect.stringMatching(message) });
  });

  const fixed: readonly { name: string; path: string; object: Json; patch: Json; message: RegExp }[] = [
    {
      name: 'the selector of a deployment',
      path: `${APPS}/deployments`,
      object: workload(),
      patch: { spec: { selector: { matchLabels: { more: 'x' } } } },
      message: /spec.selector: Invalid value: .*field is immutable/,
    },
    {
      name: 'the role of a binding',
      path: `${RBAC}/rolebindings`,
      object: { metadata: { name: 'web' }, roleRef: { kind: 'Role', name: 'r' } },
      patch: { roleRef: { name: 'admin' } },
      message: /cannot change roleRef/,
    },
    {
      name: 'an immutable secret',
      path: `${CORE}/secrets`,
      object: { metadata: { name: 'web' }, immutable: true, data: { a: 'eA==' } },
      patch: { data: { a: 'eQ==' } },
      message: /data: Forbidden: field is immutable when `immutable` is set/,
    },
    {
      name: 'the type of a secret',
      path: `${CORE}/secrets`,
      object: { metadata: { name: 'web' } },
      patch: { type: 'other' },
      message: /type: Invalid value: "other": field is immutable/,
    },
    {
      name: 'the address of a service',
      path: `${CORE}/services`,
      object: { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } },
      patch: { spec: { clusterIP: '10.96.0.99' } },
      message: /spec.clusterIPs\[0\]: Invalid value: \["10.96.0.99"\]: may not change once set/,
    },
    {
      name: 'the template of a job',
      path: `${BATCH}/jobs`,
      object: { metadata: { name: 'web' }, spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      patch: { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
      message: /spec.template: Invalid value: .*field is immutable/,
    },
    {
      name: 'the spec of a pod',
      path: `${CORE}/pods`,
      object: { metadata: { name: 'web' }, spec: { containers: [container] } },
      patch: { spec: { hostname: 'x' } },
      message: /pod updates may not change fields other than/,
    },
    {
      name: 'the data of a revision',
      path: `${APPS}/controllerrevisions`,
      object: { metadata: { name: 'web' }, revision: 1, data: { a: 1 } },
      patch: { data: { a: 2 } },
      message: /data: Invalid value: .*field is immutable/,
    },
  ];
  it.each(fixed)('keep $name as it is', async ({ path, object, patch, message }) => {
    const api = await given();
    await api.post(path, object);
    expect(await api.merge(`${path}/web`, patch)).toMatchObject({ code: 422, message: expect.stringMatching(message) });
  });
});

describe('a deployment', () => {
  it('increases its generation with its annotations too, and ignores labels in a write to its status', async () => {
    const api = await given();
    await api.post(`${APPS}/deployments`, workload());
    expect((await api.merge(`${APPS}/deployments/web`, { metadata: { annotations: { a: 'b' } } })).metadata.generation).toBe(2);
    const reported = await api.merge(`${APPS}/deployments/web/status`, { metadata: { labels: { x: 'y' } }, status: { replicas: 1 } });
    expect(reported).toMatchObject({ status: { replicas: 1 }, metadata: { generation: 2 } });
    expect(reported.metadata).not.toHaveProperty('labels');
  });
});

describe('certificate requests', () => {
  const CERTIFICATE = btoa('-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n');
  const pem = btoa('-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n');
  const request: Json = {
    metadata: { name: 'a' },
    spec: {
      request: pem,
      signerName: 'example.com/s',
      usages: ['client auth'],
      username: 'forged',
      groups: ['system:masters-of-disguise'],
    },
  };

  it('record the authenticated user', async () => {
    expect((await (await given()).post(CSRS, request)).spec).toMatchObject({
      username: 'admin',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  it('are decided only through approval and signed only through status', async () => {
    const api = await given();
    const created = await api.post(CSRS, request);
    const approved = { ...created, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }], certificate: 'eA==' } };
    expect((await api.put(`${CSRS}/a`, approved)).status).toEqual({});
    expect(await api.put(`${CSRS}/a/status`, approved)).toMatchObject({
      code: 422,
      message: /updates may not add a condition of type "Approved"/,
    });
    const decided = await api.put(`${CSRS}/a/approval`, approved);
    expect(decided.status).toMatchObject({ conditions: [{ type: 'Approved', lastUpdateTime: '2026-01-01T00:00:00Z' }] });
    expect(decided.status).not.toHaveProperty('certificate');
    const signed = await api.put(`${CSRS}/a/status`, { ...decided, status: { ...decided.status, certificate: CERTIFICATE } });
    expect(signed.status.certificate).toBe(CERTIFICATE);
    expect(await api.put(`${CSRS}/a/approval`, { ...signed, status: {} })).toMatchObject({
      code: 422,
      message: /may not remove a condition of type "Approved"/,
    });
  });
});

describe('events', () => {
  it('are the same objects in both groups', async () => {
    const api = await given();
    await api.post(`${CORE}/events`, {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'p' },
      reason: 'Started',
      message: 'hello',
      count: 2,
    });
    expect(await api.get('/apis/events.k8s.io/v1/namespaces/default/events/e')).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { name: 'p' },
      note: 'hello',
      deprecatedCount: 2,
    });
    const posted: Json = {
      metadata: { name: 'f' },
      regarding: { kind: 'Pod', name: 'p' },
      note: 'again',
      reason: 'R',
      action: 'A',
      reportingController: 'c',
      reportingInstance: 'i',
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000000Z',
    };
    expect(await api.post('/apis/events.k8s.io/v1/namespaces/default/events', posted)).toMatchObject({ note: 'again' });
    expect(await api.get(`${CORE}/events/f`)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { name: 'p' },
      message: 'again',
      reportingComponent: 'c',
    });
    expect((await api.get(`${CORE}/events?fieldSelector=involvedObject.name=p,reason=R`)).items).toHaveLength(1);
  });
});

describe('leases', () => {
  it('are created by the first PUT, and changed only with their resourceVersion', async () => {
    const api = await given();
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
    const lease: Answer = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: { holderIdentity: 'one' } };
    expect(await api.put(path, { ...lease, metadata: { name: 'l', uid: 'gone' } })).toMatchObject({ code: 409 });
    expect((await api.send('PUT', path, { ...lease, metadata: { name: 'l', resourceVersion: '5' } })).status).toBe(201);
    expect(await api.put(path, { ...lease, spec: { holderIdentity: 'two' } })).toMatchObject({
      code: 422,
      message: /metadata.resourceVersion: Invalid value: 0: must be specified for an update/,
    });
  });
});

describe('generated names', () => {
  it('are tried until one is free', async () => {
    const api = await given();
    const names = await Promise.all(
      Array.from({ length: 20 }, async () => (await api.post(`${CORE}/configmaps`, { metadata: { generateName: 'x-' } })).metadata.name),
    );
    expect(new Set(names).size).toBe(20);
    for (const name of names) expect(name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
