import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ControlPlane, createControlPlane } from '@outrigger/control-plane';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goTool } from './go-program.js';

const run = promisify(execFile);

const container = (image: string): string => `{ name: c, image: '${image}', ports: [{ containerPort: 80 }] }`;
const workload = (kind: string, name: string, more = ''): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, annotations: { 'sim.outrigger.dev/behavior': '{{ .Values.behavior }}' } }
spec:
  ${more}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [${container('example.com/app:{{ .Values.tag }}')}] }
`;

/** A chart with every kind that `helm --wait` waits for. */
const CHART: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: waiting\nversion: 0.1.0\n',
  'values.yaml': 'tag: v1\nbehavior: ready\n',
  'templates/deployment.yaml': workload('Deployment', 'web', 'replicas: 2'),
  'templates/statefulset.yaml': workload('StatefulSet', 'db', 'replicas: 2\n  serviceName: db'),
  'templates/daemonset.yaml': workload('DaemonSet', 'node-agent'),
  'templates/service.yaml': `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
`,
  'templates/job.yaml': `
apiVersion: batch/v1
kind: Job
metadata: { name: 'migrate-{{ .Values.tag }}' }
spec: { template: { spec: { restartPolicy: Never, containers: [${container('example.com/job:1')}] } } }
`,
  'templates/hook.yaml': `
apiVersion: batch/v1
kind: Job
metadata: { name: after, annotations: { helm.sh/hook: 'post-install,post-upgrade', helm.sh/hook-delete-policy: before-hook-creation } }
spec: { template: { spec: { restartPolicy: Never, containers: [${container('example.com/hook:1')}] } } }
`,
  'templates/tests/probe.yaml': `
apiVersion: v1
kind: Pod
metadata: { name: probe, annotations: { helm.sh/hook: test } }
spec: { restartPolicy: Never, containers: [${container('example.com/probe:1')}] }
`,
};

describe('helm --wait on a simulated cluster', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let server: ControlPlane;
  let folder: string;
  let helm: (...args: readonly string[]) => Promise<{ readonly code: number; readonly text: string }>;
  beforeAll(async () => {
    const binary = await goTool('helm.sh/helm/v3/cmd/helm', 'v3.19.5');
    server = await createControlPlane({ runtime, storage: 'memory', simulateWorkloads: { readyAfterMs: 100, nodes: 2, pods: true } });
    await server.start();
    folder = await mkdtemp(join(tmpdir(), 'outrigger-helm-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, (await server.serve()).adminKubeconfig);
    for (const [name, text] of Object.entries(CHART)) {
      const file = join(folder, 'chart', name);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, text);
    }
    const env = {
      ...process.env,
      KUBECONFIG: kubeconfig,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      HELM_DATA_HOME: folder,
    };
    helm = (...args) =>
      run(binary, args, { env }).then(
        ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
        (error: { readonly code?: number; readonly stdout?: string; readonly stderr?: string }) => ({
          code: error.code ?? 1,
          text: `${error.stdout ?? ''}${error.stderr ?? ''}`,
        }),
      );
  });
  afterAll(async () => {
    await server.stop();
    runtime.scope.close();
    await rm(folder, { recursive: true });
  });

  const waiting = ['--wait', '--wait-for-jobs', '--timeout', '60s'];
  const chart = (): string => join(folder, 'chart');

  it('installs, and returns when everything is ready', async () => {
    const installed = await helm('install', 'app', chart(), '-n', 'apps', '--create-namespace', ...waiting);
    expect(installed).toMatchObject({ code: 0, text: expect.stringContaining('STATUS: deployed') as string });
  });

  it('runs the test pod of a chart to its end', async () => {
    const tested = await helm('test', 'app', '-n', 'apps', '--logs', '--timeout', '60s');
    expect(tested.text).toMatch(
      /TEST SUITE: +probe\n[^]*Phase: +Succeeded[^]*simulated: container c of image example.com\/probe:1 started/,
    );
    expect(tested.code).toBe(0);
  });

  it('upgrades, and a failed upgrade is rolled back by --atomic', async () => {
    expect(await helm('upgrade', 'app', chart(), '-n', 'apps', '--set', 'tag=v2', ...waiting)).toMatchObject({ code: 0 });
    const broken = ['--set', 'tag=v3,behavior=hang'];
    const failed = await helm('upgrade', 'app', chart(), '-n', 'apps', ...broken, '--atomic', '--wait', '--timeout', '5s');
    expect(failed.code).not.toBe(0);
    expect(failed.text).toMatch(/rolled back due to atomic being set/);
    expect((await helm('history', 'app', '-n', 'apps')).text).toMatch(/4\s+.*deployed.*Rollback to 2/);
  });

  it('rolls back and uninstalls, and returns when everything is gone', async () => {
    expect(await helm('rollback', 'app', '1', '-n', 'apps', ...waiting)).toMatchObject({ code: 0 });
    expect(await helm('uninstall', 'app', '-n', 'apps', '--wait', '--timeout', '60s')).toMatchObject({ code: 0 });
    expect((await helm('list', '-n', 'apps', '-q')).text.trim()).toBe('');
  });
});
