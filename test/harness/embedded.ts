import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createControlPlane, type Storage } from '@outrigger/control-plane';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import type { Credentials, TestServer } from './server.js';

/** The addresses of the suites' webhooks, which listen on this machine. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

export interface EmbeddedOptions {
  /** The storage of the server. By default, the server stores its data in memory. */
  readonly storage?: Storage;
}

export interface EmbeddedServer extends TestServer {
  /** Stops the server and starts it again on the same port with its stored data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts this repository's control plane in this process, on a loopback port. The returned server has the same interface as a real server,
 * so that the same suites run on both.
 */
export async function startEmbedded({ storage = 'memory' }: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const runtime = createRealRuntime({ log: createLogger({ level: 'error' }) });
  let controlPlane = await createControlPlane({ runtime, storage, webhookAddresses: LOOPBACK });
  await controlPlane.start();
  const { url, port, ca, adminKubeconfig } = await controlPlane.serve();
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-embedded-'));
  const kubeconfigPath = join(folder, 'admin.kubeconfig');
  await writeFile(kubeconfigPath, adminKubeconfig, { mode: 0o600 });
  const credentialsFor = async (name: string, groups: readonly string[] = []): Promise<Credentials> => {
    const { certificate, privateKey } = await controlPlane.issueUser({ name, groups });
    return { certPem: certificate, keyPem: privateKey };
  };
  const admin = await credentialsFor('admin', ['system:masters']);
  return {
    name: 'embedded',
    url,
    caPem: ca,
    adminCertPem: admin.certPem ?? '',
    adminKeyPem: admin.keyPem ?? '',
    kubeconfigPath,
    hasControllers: true,
    credentialsFor,
    // The embedded server's garbage collector reads the kinds from the server's memory, so there is nothing to wait for.
    followKinds: async () => undefined,
    forgetHistory: () => controlPlane.store.compact(controlPlane.store.revision),
    restart: async () => {
      if (storage === 'memory') throw new Error('a server that stores nothing cannot be restarted');
      await controlPlane.stop();
      controlPlane = await createControlPlane({ runtime, storage, webhookAddresses: LOOPBACK });
      await controlPlane.start();
      await controlPlane.serve({ port });
    },
    stop: async () => {
      await controlPlane.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
