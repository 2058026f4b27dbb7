import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_NAMESPACE, namespaces, secrets, serviceAccounts } from '@outrigger/api';
import { createControlPlane } from '@outrigger/control-plane';
import { nameOf } from '@outrigger/core';
import { type Client, createClient } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ran, runCommand } from '../../cli/world.js';

const CREDENTIALS = ['bootstrap-hub-kubeconfig', 'hub-kubeconfig-secret'];

describe('uninstall agent', () => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let folder: string;
  let server: Awaited<ReturnType<typeof createControlPlane>>;
  let cluster: Client;
  const uninstall = (...args: readonly string[]): Promise<Ran> =>
    runCommand(['uninstall', 'agent', ...args], runtime, { KUBECONFIG: join(folder, 'kubeconfig') });
  /** Creates the Namespace and the Secrets with the credentials of an agent. Upstream's agent and ours use the same names. */
  const createCredentials = async (labels: Readonly<Record<string, string>> = {}): Promise<void> => {
    await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: AGENT_NAMESPACE } });
    for (const name of CREDENTIALS)
      await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: AGENT_NAMESPACE, name, labels } });
  };
  const credentials = async (): Promise<readonly string[]> =>
    (await cluster.list(secrets, { namespace: AGENT_NAMESPACE })).items.map(nameOf).sort();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrigger-uninstall-'));
    server = await createControlPlane({ runtime, storage: 'memory' });
    await server.start();
    await writeFile(join(folder, 'kubeconfig'), (await server.serve()).adminKubeconfig);
    cluster = createClient({ transport: server.transport(), runtime });
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it("AT-60 keeps the credentials of upstream's agent, which have the same names", async () => {
    await createCredentials();
    for (const flags of [[], ['--apply']])
      expect(await uninstall(...flags)).toMatchObject({ code: 0, out: '', note: expect.stringMatching(/^nothing w/) as string });
    expect(await credentials()).toEqual(CREDENTIALS);
  });

  it('says that nothing is removed if only objects stay', async () => {
    await createCredentials();
    for (const [will, ...flags] of [['would be'], ['was', '--apply']]) {
      const { code, out, note } = await uninstall('--delete-kinds', ...flags);
      expect({ code, out }).toEqual({
        code: 0,
        out: `Namespace ${AGENT_NAMESPACE} stays: \`outrigger install --apply\` did not make it\n`,
      });
      expect(note).toBe(`nothing ${will} removed: no agent of Outrigger is installed there; --context names another cluster\n`);
    }
  });

  it('removes the credentials of our agent, by its label or by another object of it', async () => {
    await createCredentials({ 'outrigger.dev/credential': 'cluster' });
    const lines = [...CREDENTIALS].reverse().map((name) => `Secret ${AGENT_NAMESPACE}/${name}`);
    expect((await uninstall()).out).toBe(lines.map((line) => `${line}\n`).join(''));
    expect(await uninstall('--apply')).toMatchObject({ code: 0, out: lines.map((line) => `${line} deleted\n`).join(''), note: '' });
    expect(await credentials()).toEqual([]);
    for (const name of CREDENTIALS)
      await cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: AGENT_NAMESPACE, name } });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: AGENT_NAMESPACE, name: 'outrigger-agent' } };
    await cluster.create(serviceAccounts, account);
    expect(await uninstall('--apply')).toMatchObject({ code: 0 });
    expect(await credentials()).toEqual([]);
  });
});
