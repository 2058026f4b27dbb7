import type { KubeObject, Runtime, Transport } from '@outrigger/core';
import { parseCsr } from '@outrigger/core/x509';
import { createTokenAuthenticator } from './auth/authenticator.js';
import { type Credentials, issueServingCertificate, issueUserCertificate, loadCredentials, type Vault } from './auth/credentials.js';
import { SYSTEM } from './auth/identities.js';
import { createTokenSigner } from './auth/jwt.js';
import { kubeconfig } from './auth/kubeconfig.js';
import { ServiceAccountTokens } from './auth/service-account-tokens.js';
import { tokenReviews } from './auth/token-reviews.js';
import { createAuthorizer, followPolicy } from './authz/authorizer.js';
import { certificateChecks } from './authz/certificate-admission.js';
import { escalationChecks } from './authz/escalation.js';
import { MASTERS_GROUP } from './authz/policy.js';
import { PolicyIndex } from './authz/policy-index.js';
import { accessReviews } from './authz/reviews.js';
import { bootstrap } from './bootstrap.js';
import { createCatalog } from './catalog.js';
import { type ClusterSimulation, type SimulationOptions, startSimulation } from './cluster/simulation.js';
import { composeAdmission } from './compose-admission.js';
import { createControllerApi } from './controllers/api.js';
import { startCertificateSigning } from './controllers/certificates/controller.js';
import { startCompaction } from './controllers/compaction.js';
import type { ControllerContext, RunningController } from './controllers/contract.js';
import { startEventExpiry } from './controllers/event-expiry.js';
import { startGarbageCollection } from './controllers/garbage-collection/controller.js';
import { permanentNamespaces } from './controllers/namespaces/admission.js';
import { startNamespaceContents } from './controllers/namespaces/contents.js';
import { startNamespaceLifecycle } from './controllers/namespaces/lifecycle.js';
import { startRoleAggregation } from './controllers/role-aggregation.js';
import type { Admission, Authorizer, Convert, Handle, Identity } from './handle/contract.js';
import { createApiServer } from './handle/server.js';
import { openStorage, type Storage } from './open-store.js';
import { startServer } from './serve/adapters/server.js';
import type { Store } from './store/contract.js';

export interface ControlPlaneOptions {
  readonly runtime: Runtime;
  readonly storage: Storage;
  /** Run on every write after the server's own checks, in order. */
  readonly admission?: readonly Admission[];
  /** Between the versions of custom resources that name a conversion webhook. */
  readonly convert?: Convert;
  /** CustomResourceDefinitions to serve from the start. */
  readonly crds?: readonly KubeObject[];
  /** Makes this a managed cluster: workloads get statuses as if they ran. */
  readonly simulateWorkloads?: SimulationOptions;
  /** Keys made earlier; where absent they are kept beside the objects. */
  readonly vault?: Vault;
}

/** An API server with what makes it a cluster: access control, garbage collection, namespaces, certificates. */
export interface ControlPlane {
  readonly handle: Handle;
  readonly store: Store;
  readonly authorize: Authorizer;
  /** PEM of the authority that signs this server's and its clients' certificates. */
  readonly authority: string;
  /** In-process requests as somebody; as the server itself (which may do everything) if nobody is named. */
  transport(identity?: Identity): Transport;
  /** Fills an empty store and starts the controllers. */
  start(): Promise<void>;
  /** Present after `start` with `simulateWorkloads`. */
  readonly simulation: ClusterSimulation | undefined;
  /** Opens a port. May be called once for each. */
  serve(options?: ServeOptions): Promise<Served>;
  /** A kubeconfig's worth of credentials for a new user. */
  issueUser(user: { readonly name: string; readonly groups: readonly string[] }): Promise<{ certificate: string; privateKey: string }>;
  /** Ends everything that `start` and `serve` began, and closes the store. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Names cluster and context in the kubeconfig. */
  readonly name?: string;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  /** PEM. */
  readonly ca: string;
  /** Text of a kubeconfig with all rights. */
  readonly adminKubeconfig: string;
  close(): Promise<void>;
}

export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { runtime } = options;
  const storage = await openStorage(options.storage);
  const credentials = await loadCredentials(runtime, options.vault ?? storage.vault);
  return assemble(options, storage.store, credentials);
}

async function assemble(options: ControlPlaneOptions, store: Store, credentials: Credentials): Promise<ControlPlane> {
  const { runtime } = options;
  const { authority } = credentials;
  const policy = new PolicyIndex();
  const unfollowPolicy = followPolicy(store, policy);
  const authorize = createAuthorizer(policy);
  const tokens = new ServiceAccountTokens(runtime, store, await createTokenSigner(runtime.keys, credentials.tokenKey));
  const authenticateToken = createTokenAuthenticator(runtime, store, tokens);
  const server = createApiServer({
    runtime,
    store,
    authorize,
    admission: composeAdmission([
      permanentNamespaces,
      escalationChecks(policy, authorize),
      certificateChecks(authorize, (request) => organizationsOf(runtime, request)),
      ...(options.admission ?? []),
    ]),
    virtual: { ...accessReviews(policy, authorize), ...tokenReviews({ runtime, store, tokens, authenticate: authenticateToken }) },
    ...(options.convert ? { convert: options.convert } : {}),
  });
  const { handle } = server;
  const context: ControllerContext = {
    runtime,
    store,
    catalog: createCatalog(store, () => server.resources()),
    api: createControllerApi(handle, SYSTEM),
  };
  const running: RunningController[] = [];
  const listening: Served[] = [];
  let simulation: ClusterSimulation | undefined;

  return {
    handle,
    store,
    authorize,
    authority: authority.certificate,
    get simulation() {
      return simulation;
    },
    transport: (identity = SYSTEM) => ({ send: (request, signal) => handle(request, identity, signal), close: async () => {} }),
    async start() {
      await bootstrap(context, options.crds ?? []);
      running.push(
        startGarbageCollection(context),
        startNamespaceLifecycle(context),
        startNamespaceContents(context, authority.certificate),
        startRoleAggregation(context),
        startCertificateSigning(context, authority),
        startEventExpiry(context),
        startCompaction(context),
      );
      if (!options.simulateWorkloads) return;
      simulation = await startSimulation(context, options.simulateWorkloads);
      running.push(simulation);
    },
    issueUser: (user) => issueUserCertificate(runtime, authority, user),
    async serve({ host = '127.0.0.1', port = 0, name = 'outrigger' } = {}) {
      const serving = await issueServingCertificate(runtime, authority, host);
      const socket = await startServer({
        runtime,
        handle,
        host,
        port,
        certificate: serving.certificate,
        privateKey: serving.privateKey,
        clientAuthority: authority.certificate,
        authenticateToken,
        authorize,
        now: () => runtime.clock.now(),
      });
      const url = `https://${host.includes(':') ? `[${host}]` : host}:${socket.port}`;
      const admin = await issueUserCertificate(runtime, authority, { name: 'kubernetes-admin', groups: [MASTERS_GROUP] });
      const user = { name: 'kubernetes-admin', ...admin };
      const adminKubeconfig = kubeconfig({ server: url, authority: authority.certificate, user, name });
      const served = { url, port: socket.port, ca: authority.certificate, adminKubeconfig, close: () => socket.close() };
      listening.push(served);
      return served;
    },
    async stop() {
      await Promise.all(listening.splice(0).map((served) => served.close()));
      await Promise.all(running.splice(0).map((controller) => controller.stop()));
      unfollowPolicy();
      server.close();
      await store.close();
    },
  };
}

async function organizationsOf(runtime: Runtime, request: string): Promise<readonly string[]> {
  const { subject } = await parseCsr(runtime.keys, Buffer.from(request, 'base64').toString('utf8'));
  return subject.organizations;
}
