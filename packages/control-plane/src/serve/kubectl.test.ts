import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createCsr, exportPrivateKey } from '@outrigger/core/x509';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, createControlPlane } from '../assemble.js';
import { kubeconfig as writeKubeconfig } from '../auth/kubeconfig.js';
import type { Served } from './listen.js';

const kubectlPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'kubectl'))
  .find(existsSync);
if (kubectlPath === undefined) console.warn('kubectl is not on the PATH: its tests are skipped');

const runtime = createRealRuntime({ log: silent() });
const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
const kubeconfig = join(folder, 'config');
let plane: ControlPlane;
let served: Served;

describe.skipIf(kubectlPath === undefined)('the real kubectl', () => {
  beforeAll(async () => {
    plane = await createControlPlane({ runtime, storage: 'memory', simulateWorkloads: { readyAfterMs: 50, nodes: 2, pods: true } });
    await plane.start();
    served = await plane.serve();
    writeFileSync(kubeconfig, served.adminKubeconfig);
  });
  afterAll(async () => {
    await plane.stop();
    runtime.scope.close();
    rmSync(folder, { recursive: true });
  });

  it('sees the cluster', async () => {
    expect(await kubectl('get', 'nodes')).toMatch(/sim-node-1\s+Ready/);
    expect(await kubectl('get', 'namespaces', '-o', 'name')).toContain('namespace/kube-system');
    expect(await kubectl('version')).toContain('Server Version: v1.');
    expect(await kubectl('api-resources', '--namespaced=false')).toContain('clusterroles');
    expect(await kubectl('auth', 'whoami')).toContain('kubernetes-admin');
  });

  it('applies, waits, describes, patches, labels, scales and deletes a deployment', async () => {
    expect(await kubectlIn(deployment('web', 2), 'apply', '-f', '-')).toBe('deployment.apps/web created\n');
    expect(await kubectlIn(deployment('web', 2), 'apply', '-f', '-')).toBe('deployment.apps/web unchanged\n');
    expect(await kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=20s')).toContain('condition met');
    expect(await kubectl('get', 'deployment', 'web')).toMatch(/web\s+2\/2\s+2\s+2/);
    expect(await kubectl('get', 'pods', '-l', 'app=web')).toMatch(/web-\S+\s+1\/1\s+Running/);
    const described = await kubectl('describe', 'deployment', 'web');
    expect(described).toMatch(/Replicas:\s+2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/);
    expect(await kubectl('patch', 'deployment', 'web', '-p', '{"spec":{"replicas":3}}')).toContain('patched');
    expect(await kubectl('label', 'deployment', 'web', 'tier=front')).toContain('labeled');
    expect(await kubectl('scale', 'deployment', 'web', '--replicas=1')).toContain('scaled');
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.labels.tier}/{.spec.replicas}')).toBe('front/1');
    await kubectl('set', 'image', 'deployment/web', 'main=example.com/main:2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=20s');
    expect(await kubectl('rollout', 'history', 'deployment/web')).toMatch(/1\s+<none>\n2\s+<none>/);
    expect(await kubectl('logs', 'deployment/web')).toContain('simulated: container main');
    await kubectl('rollout', 'undo', 'deployment/web');
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'example.com/main:1',
    );
    expect(await kubectl('delete', 'deployment', 'web', '--timeout=20s')).toContain('deleted');
    expect(await eventually(() => kubectl('get', 'pods', '-l', 'app=web', '-o', 'name'), '')).toBe('');
  });

  it('shows the causes of revisions, and an undo uses the old replica set again', async () => {
    const replicaSets = async (path: string): Promise<string> =>
      (await kubectl('get', 'replicasets', '-l', 'app=undone', '-o', `jsonpath={.items[*]${path}}`)).split(' ').sort().join(' ');
    const cause = async (text: string, causes: string): Promise<void> => {
      await kubectl('annotate', 'deployment/undone', `kubernetes.io/change-cause=${text}`, '--overwrite');
      await kubectl('rollout', 'status', 'deployment/undone', '--timeout=20s');
      expect(await eventually(() => replicaSets('.metadata.annotations.kubernetes\\.io/change-cause'), causes)).toBe(causes);
    };
    await kubectlIn(deployment('undone', 2), 'apply', '-f', '-');
    await cause('first', 'first');
    const first = await replicaSets('.metadata.name');
    await kubectl('set', 'image', 'deployment/undone', 'main=example.com/main:2');
    await cause('second', 'first second');
    expect(await kubectl('rollout', 'history', 'deployment/undone')).toMatch(/1\s+first\n2\s+second/);
    await kubectl('rollout', 'undo', 'deployment/undone');
    await kubectl('rollout', 'status', 'deployment/undone', '--timeout=20s');
    expect(await kubectl('rollout', 'history', 'deployment/undone')).toMatch(/REVISION\s+CHANGE-CAUSE\n2\s+second\n3\s+first/);
    expect((await replicaSets('.metadata.name')).split(' ')).toHaveLength(2);
    expect(await kubectl('get', 'replicaset', first, '-o', 'jsonpath={.spec.replicas}/{.status.readyReplicas}')).toBe('2/2');
    await kubectl('delete', 'deployment', 'undone', '--timeout=20s');
  });

  it('runs a pod to completion', async () => {
    await kubectl('run', 'once', '--image=example.com/once', '--restart=Never');
    expect(await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/once', '--timeout=20s')).toContain('condition met');
    expect(await kubectl('get', 'pod', 'once')).toMatch(/once\s+0\/1\s+Completed/);
    expect(await kubectl('logs', 'once')).toContain('simulated: container once');
  });

  it('drains a node and runs a job', async () => {
    await kubectl('run', 'guest', '--image=example.com/guest', '--overrides={"spec":{"nodeName":"sim-node-2"}}');
    await kubectl('wait', '--for=condition=Ready', 'pod/guest', '--timeout=20s');
    expect(await kubectl('drain', 'sim-node-2', '--force', '--timeout=20s')).toContain('drained');
    expect(await kubectl('get', 'pods', '-o', 'name', '--field-selector=metadata.name=guest')).toBe('');
    await kubectl('create', 'job', 'once', '--image=example.com/once');
    expect(await kubectl('wait', '--for=condition=Complete', 'job/once', '--timeout=20s')).toContain('condition met');
    expect(
      await eventually(() => kubectl('get', 'pods', '-l', 'job-name=once', '-o', 'jsonpath={.items[*].status.phase}'), 'Succeeded'),
    ).toBe('Succeeded');
  });

  it('applies server-side and reports conflicts', async () => {
    const map = (value: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ssa' }, data: { a: value } });
    expect(await kubectlIn(map('1'), 'apply', '--server-side', '-f', '-')).toContain('serverside-applied');
    const refused = await kubectlIn(map('2'), 'apply', '--server-side', '--field-manager=other', '-f', '-').catch(
      (error: Error) => error.message,
    );
    expect(refused).toContain('conflict with "kubectl"');
    expect(await kubectlIn(map('2'), 'apply', '--server-side', '--field-manager=other', '--force-conflicts', '-f', '-')).toContain(
      'serverside-applied',
    );
  });

  it('watches', async () => {
    const watching = spawn(kubectlPath ?? '', [
      '--kubeconfig',
      kubeconfig,
      'get',
      'configmaps',
      '-w',
      '-o',
      'name',
      '--field-selector=metadata.name=seen',
    ]);
    const lines = createInterface({ input: watching.stdout })[Symbol.asyncIterator]();
    await kubectl('create', 'configmap', 'seen');
    expect(await lines.next()).toMatchObject({ value: 'configmap/seen' });
    watching.kill();
  });

  it('gets Kubernetes’ messages for refusals, and answers to `auth can-i`', async () => {
    await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods');
    await kubectl('create', 'rolebinding', 'ann-reads', '--role=reader', '--user=ann');
    expect(await kubectl('auth', 'can-i', 'list', 'pods', '--as=ann')).toBe('yes\n');
    const no = await kubectl('auth', 'can-i', 'delete', 'pods', '--as=ann').catch((error: Error) => error.message);
    expect(no).toContain('no\n');
    const refused = await kubectl('get', 'secrets', '--as=ann').catch((error: Error) => error.message);
    expect(refused).toContain('secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "default"');
    expect(await kubectl('auth', 'can-i', '--list', '--as=ann')).toMatch(/pods\s+\[\]\s+\[\]\s+\[get list\]/);
  });

  it('approves a certificate that then works', async () => {
    const keyPair = await runtime.keys.generate('P-256');
    const csr = await createCsr(runtime.keys, { keyPair, commonName: 'carl', organizations: ['crew'] });
    const object = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'carl' },
      spec: { request: Buffer.from(csr).toString('base64'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    };
    await kubectlIn(JSON.stringify(object), 'create', '-f', '-');
    expect(await kubectl('get', 'csr', 'carl')).toMatch(/kubernetes-admin\s+.*Pending/);
    expect(await kubectl('certificate', 'approve', 'carl')).toContain('approved');
    const certificate = await eventuallySome(() => kubectl('get', 'csr', 'carl', '-o', 'jsonpath={.status.certificate}'));
    expect(Buffer.from(certificate, 'base64').toString()).toContain('BEGIN CERTIFICATE');
    expect(await kubectl('get', 'csr', 'carl')).toContain('Approved,Issued');
    const asCarl = join(folder, 'carl');
    const issued = {
      certificate: Buffer.from(certificate, 'base64').toString(),
      privateKey: await exportPrivateKey(runtime.keys, keyPair.privateKey),
    };
    writeFileSync(asCarl, writeKubeconfig({ server: served.url, authority: served.ca, user: { name: 'carl', ...issued }, name: 'x' }));
    expect(await kubectl('auth', 'whoami', '--kubeconfig', asCarl)).toMatch(/carl[\s\S]*crew/);
  });

  it('makes tokens, and deletes a namespace with all that is in it', async () => {
    await kubectl('create', 'namespace', 'doomed');
    await kubectl('create', 'serviceaccount', 'bot', '-n', 'doomed');
    const token = (await kubectl('create', 'token', 'bot', '-n', 'doomed')).trim();
    const asBot = join(folder, 'bot');
    writeFileSync(asBot, writeKubeconfig({ server: served.url, authority: served.ca, user: { name: 'bot', token }, name: 'x' }));
    expect(await kubectl('auth', 'whoami', '--kubeconfig', asBot)).toContain('system:serviceaccount:doomed:bot');
    expect(await kubectl('delete', 'namespace', 'doomed', '--timeout=20s')).toContain('deleted');
    expect(await kubectl('get', 'serviceaccounts', '-n', 'doomed', '-o', 'name')).toBe('');
  });
});

function kubectl(...args: string[]): Promise<string> {
  return kubectlIn(undefined, ...args);
}

function kubectlIn(input: string | undefined, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, HOME: folder };
    const child = execFile(kubectlPath ?? '', ['--kubeconfig', kubeconfig, ...args], { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr}${stdout}`));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}

async function eventually(read: () => Promise<string>, want: string): Promise<string> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    if ((await read()) === want) return want;
    await runtime.timers.sleep(50);
  }
  return read();
}

async function eventuallySome(read: () => Promise<string>): Promise<string> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const found = await read();
    if (found !== '') return found;
    await runtime.timers.sleep(50);
  }
  return '';
}

function deployment(name: string, replicas: number): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] } },
    },
  });
}

function silent() {
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  return log;
}
