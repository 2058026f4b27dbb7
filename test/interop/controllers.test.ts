import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../../tools/kube-binaries/binaries.js';
import { Api, eventually, type Obj } from '../conformance/api.js';
import { Http, startEmbedded } from '../harness/index.js';
import { freePorts } from '../harness/process.js';
import { GoProcess } from './go-program.js';

const NS = 'run';
const PODS = `/api/v1/namespaces/${NS}/pods`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NS}/deployments`;

/** The controllers whose effect can be observed without nodes. */
const CONTROLLERS = [
  'cronjob-controller',
  'deployment-controller',
  'disruption-controller',
  'endpointslice-controller',
  'job-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'statefulset-controller',
];

const podTemplate = (app: string, image: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image }], ...more },
});

describe('kube-controller-manager on the embedded server', () => {
  let stop: () => Promise<void>;
  let api: Api;
  let manager: GoProcess;
  beforeAll(async () => {
    const server = await startEmbedded();
    const folder = await mkdtemp(join(tmpdir(), 'outrigger-controllers-'));
    const http = new Http({ url: server.url, caPem: server.caPem, certPem: server.adminCertPem, keyPem: server.adminKeyPem });
    api = new Api(http);
    const [port] = await freePorts(1);
    manager = new GoProcess(await findBinary('kube-controller-manager'), [
      `--kubeconfig=${server.kubeconfigPath}`,
      `--controllers=${CONTROLLERS.join(',')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${folder}`,
    ]);
    stop = async () => {
      await manager.stop();
      http.close();
      await server.stop();
      await rm(folder, { recursive: true });
    };
    await api.create('/api/v1/namespaces', { metadata: { name: NS } });
  });
  afterAll(() => stop());

  const list = async (path: string): Promise<readonly Obj[]> => ((await api.get(path)).body as unknown as { items: Obj[] }).items;
  const podsOf = (app: string): Promise<readonly Obj[]> => list(`${PODS}?labelSelector=app%3D${app}`);
  /** Reports a pod's phase as a kubelet would, because none runs here. */
  const report = async (pod: Obj, phase: string): Promise<void> => {
    const ready = { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const status = { phase, podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], conditions: [ready] };
    expect((await api.patch('merge', `${PODS}/${pod.metadata.name}/status`, { status })).status).toBe(200);
  };
  const reportAll = async (app: string, phase: string, count: number): Promise<void> => {
    await eventually(async () => expect(await podsOf(app)).toHaveLength(count));
    for (const pod of await podsOf(app)) await report(pod, phase);
  };

  it('leads, by a lease it keeps', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
    await eventually(async () => expect((await api.get(lease)).body.spec).toMatchObject({ leaseTransitions: 0 }));
  });

  it('rolls a Deployment out, and out again', async () => {
    await api.create(DEPLOYMENTS, {
      metadata: { name: 'd' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'd' } }, template: podTemplate('d', 'a:1') },
    });
    await reportAll('d', 'Running', 2);
    const status = async (): Promise<unknown> => (await api.get(`${DEPLOYMENTS}/d`)).body.status;
    await eventually(async () => expect(await status()).toMatchObject({ readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2 }));
    await api.patch('strategic', `${DEPLOYMENTS}/d`, { spec: { template: podTemplate('d', 'a:2') } });
    await eventually(async () => {
      for (const pod of await podsOf('d')) await report(pod, 'Running');
      expect((await podsOf('d')).map(({ spec }) => spec)).toMatchObject([
        { containers: [{ image: 'a:2' }] },
        { containers: [{ image: 'a:2' }] },
      ]);
    });
    expect(await list(`/apis/apps/v1/namespaces/${NS}/replicasets`)).toHaveLength(2);
  });

  it('creates an EndpointSlice for a Service, at first an empty one', async () => {
    await api.create(`/api/v1/namespaces/${NS}/services`, {
      metadata: { name: 'nobody' },
      spec: { selector: { app: 'nobody' }, ports: [{ port: 80 }] },
    });
    const slices = `/apis/discovery.k8s.io/v1/namespaces/${NS}/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dnobody`;
    await eventually(async () => expect(await list(slices)).toHaveLength(1));
  });

  it('brings a StatefulSet up one by one', async () => {
    await api.create(`/apis/apps/v1/namespaces/${NS}/statefulsets`, {
      metadata: { name: 's' },
      spec: { replicas: 2, serviceName: 's', selector: { matchLabels: { app: 's' } }, template: podTemplate('s', 'a:1') },
    });
    await reportAll('s', 'Running', 1);
    await reportAll('s', 'Running', 2);
    expect((await podsOf('s')).map(({ metadata }) => metadata.name)).toEqual(['s-0', 's-1']);
  });

  it('completes a Job', async () => {
    const jobs = `/apis/batch/v1/namespaces/${NS}/jobs`;
    await api.create(jobs, {
      metadata: { name: 'j' },
      spec: { completions: 2, parallelism: 2, template: podTemplate('j', 'a:1', { restartPolicy: 'Never' }) },
    });
    await reportAll('j', 'Succeeded', 2);
    await eventually(async () =>
      expect((await api.get(`${jobs}/j`)).body.status).toMatchObject({ succeeded: 2, completionTime: expect.any(String) as string }),
    );
  });

  it('counts for a quota and a disruption budget', async () => {
    const budgets = `/apis/policy/v1/namespaces/${NS}/poddisruptionbudgets`;
    await api.create(budgets, { metadata: { name: 'd' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'd' } } } });
    await eventually(async () =>
      expect((await api.get(`${budgets}/d`)).body.status).toMatchObject({ disruptionsAllowed: 1, expectedPods: 2 }),
    );
    const quotas = `/api/v1/namespaces/${NS}/resourcequotas`;
    await api.create(quotas, { metadata: { name: 'q' }, spec: { hard: { services: '5' } } });
    await eventually(async () => expect((await api.get(`${quotas}/q`)).body.status).toMatchObject({ used: { services: '1' } }));
  });

  it('got no response that it could not parse', () => {
    const complaints = manager.said
      .split('\n')
      .filter((line) => line.startsWith('E') && !/Failed to watch.*could not find the requested resource/.test(line));
    expect(complaints).toEqual([]);
  });
});
