import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findKubectl, startKube } from '../harness/index.js';
import { describeConsoleAccess } from '../integration/console/access-story.js';

describe('the console on a real API server', () => describeConsoleAccess(() => startKube({ controllerManager: 'after kinds' })));

it('deploy/console-tls: kubectl applies it, and the console serves the certificate of the Secret', async () => {
  const folder = fileURLToPath(new URL('../../deploy/console-tls', import.meta.url));
  const kubectl = await findKubectl();
  const kube = await startKube();
  try {
    const run = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)(kubectl, [...args], { env: { ...process.env, KUBECONFIG: kube.kubeconfigPath } })).stdout;
    const get = async (resource: string): Promise<unknown> =>
      JSON.parse(await run('get', resource, 'outrigger-console', '-n', 'open-cluster-management-hub', '-o', 'json'));
    await run('apply', '--server-side', '-k', folder);
    const mount = { name: 'tls', mountPath: '/etc/outrigger/tls', readOnly: true };
    const probe = { httpGet: { scheme: 'HTTPS', port: 'metrics' } };
    const tls = ['--tls-cert', `${mount.mountPath}/tls.crt`, '--tls-key', `${mount.mountPath}/tls.key`];
    const container = { volumeMounts: [mount], args: expect.arrayContaining(tls) as unknown, livenessProbe: probe, readinessProbe: probe };
    const volumes = [{ name: 'tls', secret: { secretName: 'outrigger-console-tls' } }];
    expect(await get('deployment')).toMatchObject({ spec: { template: { spec: { containers: [container], volumes } } } });
    expect(await get('service')).toMatchObject({ spec: { ports: [{ port: 443, targetPort: 'metrics' }] } });
  } finally {
    await kube.stop();
  }
});
