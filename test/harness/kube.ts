import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary } from '../../tools/kube-binaries/binaries.js';
import { type Certificates, makeCertificates, readPair } from './certificates.js';
import { untilCollected } from './collector.js';
import { registerEvidence } from './evidence.js';
import { Http } from './http.js';
import { apiserverArgs, controllerManagerArgs, etcdArgs } from './kube-arguments.js';
import { writeKubeconfig } from './kubeconfig.js';
import { writeObjects } from './objects.js';
import { freePorts, ServerProcess } from './process.js';
import type { Component, RealKube, TestServer } from './server.js';
import { signToken, startTokenWebhook } from './tokens.js';

export interface KubeOptions {
  /**
   * Whether kube-controller-manager runs, for garbage collection, namespace deletion, certificate signing and service accounts. It starts
   * with the server or, with `after kinds`, at the first `followKinds`, for a suite that installs kinds first.
   */
  readonly controllerManager?: boolean | 'after kinds';
  /** Makes etcd sync to disk, as in production. Off by default, because tests discard the data. */
  readonly fsync?: boolean;
}

/**
 * Starts a real kube-apiserver with etcd (and, on request, kube-controller-manager) on loopback ports and in a temporary folder. RBAC is
 * on, and there are an admin certificate and tokens for any user.
 */
export async function startKube({ controllerManager = false, fsync = false }: KubeOptions = {}): Promise<RealKube> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-kube-'));
  const cleanups: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    return await start(folder, { controllerManager, fsync }, cleanups, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  folder: string,
  { controllerManager, fsync }: Required<KubeOptions>,
  cleanups: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RealKube> {
  const [etcdPort, peerPort, apiPort] = (await freePorts(3)) as [number, number, number];
  const certificates = await makeCertificates(folder);
  const tokenSecret = randomBytes(24).toString('base64url');
  const webhook = await startTokenWebhook(tokenSecret);
  cleanups.push(() => webhook.close());
  const connection = await connect(folder, `https://127.0.0.1:${apiPort}`, certificates);
  const webhookConfig = await writeKubeconfig(join(folder, 'token-webhook.kubeconfig'), { url: webhook.url });
  const etcdFolder = join(folder, 'etcd');
  await mkdir(etcdFolder, { mode: 0o700 });

  const isApiReady = apiProbe(connection);
  cleanups.push(async () => isApiReady.close());
  const etcd = new ServerProcess({
    name: 'etcd',
    binary: await findBinary('etcd'),
    args: etcdArgs({ dataFolder: etcdFolder, clientPort: etcdPort, peerPort, fsync }),
    logFile: join(folder, 'etcd.log'),
    isReady: () => isHealthy(`http://127.0.0.1:${etcdPort}/health`),
  });
  const apiserver = new ServerProcess({
    name: 'kube-apiserver',
    binary: await findBinary('kube-apiserver'),
    args: apiserverArgs({ certificates, etcdPort, port: apiPort, webhookConfig, serviceAccountAdmission: controllerManager !== false }),
    logFile: join(folder, 'kube-apiserver.log'),
    isReady: isApiReady,
  });
  const processes = new Map<Component, ServerProcess>([
    ['etcd', etcd],
    ['kube-apiserver', apiserver],
  ]);
  const manager = controllerManager ? await managerProcess(folder, certificates, connection) : undefined;
  if (manager) processes.set('kube-controller-manager', manager);

  const forget = registerEvidence('server', async (into) => {
    for (const log of (await readdir(folder)).filter((name) => name.endsWith('.log'))) await copyFile(join(folder, log), join(into, log));
    await withAdmin(connection, (admin) => writeObjects(admin, into));
  });
  cleanups.push(async () => forget());
  for (const process of processes.values()) {
    cleanups.push(() => process.kill());
    if (process !== manager || controllerManager === true) await process.start();
  }
  const find = (component: Component): ServerProcess => {
    const found = processes.get(component);
    if (!found) throw new Error(`${component} is not part of this server`);
    return found;
  };
  const token = (user: string, groups: readonly string[] = []): string => signToken(tokenSecret, user, groups);
  return {
    name: 'kube',
    ...connection,
    etcdUrl: `http://127.0.0.1:${etcdPort}`,
    hasControllers: manager !== undefined,
    token,
    credentialsFor: async (user, groups = []) => ({ token: token(user, groups) }),
    forgetHistory: async () => undefined,
    followKinds: async () => {
      if (!manager) return;
      await manager.kill();
      await manager.start();
      await withAdmin(connection, untilCollected);
    },
    kill: (component) => find(component).kill(),
    restart: async (component) => {
      await find(component).kill();
      await find(component).start();
    },
    pause: (component) => find(component).pause(),
    resume: (component) => find(component).resume(),
    pid: (component) => find(component).pid,
    stop,
  };
}

/** The administrator's connection to the server. */
type Connection = Pick<TestServer, 'url' | 'caPem' | 'adminCertPem' | 'adminKeyPem' | 'kubeconfigPath'>;

async function connect(folder: string, url: string, certificates: Certificates): Promise<Connection> {
  const ca = await readPair(certificates.ca);
  const admin = await readPair(certificates.admin);
  const credentials = { url, caPem: ca.cert, certPem: admin.cert, keyPem: admin.key };
  return {
    url,
    caPem: ca.cert,
    adminCertPem: admin.cert,
    adminKeyPem: admin.key,
    kubeconfigPath: await writeKubeconfig(join(folder, 'admin.kubeconfig'), credentials),
  };
}

async function managerProcess(folder: string, certificates: Certificates, { kubeconfigPath }: Connection): Promise<ServerProcess> {
  const [port] = (await freePorts(1)) as [number];
  return new ServerProcess({
    name: 'kube-controller-manager',
    binary: await findBinary('kube-controller-manager'),
    args: controllerManagerArgs({ certificates, kubeconfigPath, port }),
    logFile: join(folder, 'kube-controller-manager.log'),
    isReady: () => isListening(certificates, port),
  });
}

/** Whether kube-controller-manager listens. It answers /healthz without authentication. */
async function isListening(certificates: Certificates, port: number): Promise<boolean> {
  const ca = await readPair(certificates.ca);
  const http = new Http({ url: `https://127.0.0.1:${port}`, caPem: ca.cert });
  try {
    return (await http.send({ path: '/healthz' })).status === 200;
  } finally {
    http.close();
  }
}

/**
 * Returns a readiness probe. The server counts as ready only when the namespace `default` exists, on which suites rely. The server creates
 * this namespace after its start hooks have run.
 */
function apiProbe({ url, caPem, adminCertPem, adminKeyPem }: Connection): (() => Promise<boolean>) & { close(): void } {
  const http = new Http({ url, caPem, certPem: adminCertPem, keyPem: adminKeyPem });
  const probe = async (): Promise<boolean> => {
    const ready = await http.send({ path: '/readyz' }, AbortSignal.timeout(2000));
    if (ready.status !== 200) return false;
    return (await http.send({ path: '/api/v1/namespaces/default' }, AbortSignal.timeout(2000))).status === 200;
  };
  return Object.assign(probe, { close: () => http.close() });
}

async function withAdmin({ url, caPem, adminCertPem, adminKeyPem }: Connection, act: (admin: Http) => Promise<void>): Promise<void> {
  const admin = new Http({ url, caPem, certPem: adminCertPem, keyPem: adminKeyPem });
  try {
    await act(admin);
  } finally {
    admin.close();
  }
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = get(url, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', reject);
  });
}
