import type { KubeObject, Runtime, Transport } from '@outrigger/core';
import type { IssuedCertificate } from '@outrigger/core/x509';
import { type AccessControl, createAccessControl } from './access.js';
import { type Credentials, issueUserCertificate, loadCredentials, type Vault } from './auth/credentials.js';
import { BOOTSTRAP, SYSTEM } from './auth/identities.js';
import { bootstrap } from './bootstrap.js';
import { createCatalog } from './catalog.js';
import { evict } from './cluster/evictions.js';
import { type ClusterSimulation, type SimulationOptions, startSimulation } from './cluster/simulation.js';
import { createControllerApi } from './controllers/api.js';
import type { ControllerContext, RunningController } from './controllers/contract.js';
import { permanentNamespaces } from './controllers/namespaces/admission.js';
import { startControllers } from './controllers/start.js';
import type { ServerAdmission, ApiServer, Authorizer, Convert, Handle, Identity } from './handle/contract.js';
import { createApiServer } from './handle/server.js';
import { InProcessTransport } from './in-process-transport.js';
import { processUsage } from './metrics/adapters/process-usage.js';
import { openStorage, type Storage } from './open-store.js';
import { listen, type Served, type ServeOptions } from './serve/listen.js';
import type { Store } from './store/contract.js';
import { httpsTransport } from './webhooks/adapters/https-transport.js';
import { addressRefusal } from './webhooks/adapters/addresses.js';
import type { WebhookTransport } from './webhooks/contract.js';

export interface ControlPlaneOptions {
  readonly runtime: Runtime;
  readonly storage: Storage;
  /** The admission rules that run on every write, in order, after the server's own admission. */
  readonly admission?: readonly ServerAdmission[];
  /**
   * Converts, in this process, the objects of those CRDs in `crds` that name a conversion webhook. The server does not call these webhooks.
   * For all other CRDs, it calls the webhook.
   */
  readonly convert?: Convert;
  /** Sends the calls to webhooks. By default they are sent over HTTPS; tests and simulations pass a function. */
  readonly webhooks?: WebhookTransport;
  /**
   * Address ranges such as `127.0.0.0/8` at which webhooks may be called although they belong to this machine or its cloud provider. By
   * default, there are none.
   */
  readonly webhookAddresses?: readonly string[];
  /** The CRDs to serve from the start. */
  readonly crds?: readonly KubeObject[];
  /**
   * The settings of a simulated managed cluster, in which workloads get statuses as if they ran. If absent, workloads are not simulated.
   */
  readonly simulateWorkloads?: SimulationOptions;
  /** The storage for the server's keys. By default, the keys are stored in the same place as the objects. */
  readonly vault?: Vault;
  /**
   * Keys that were loaded earlier. Several servers in one process can share them, because loading keys takes longer than the rest of the
   * start of an in-memory server.
   */
  readonly credentials?: Credentials;
}

/** An API server with the components that make it a cluster: access control, garbage collection, namespaces, certificates. */
export interface ControlPlane {
  readonly handle: Handle;
  readonly store: Store;
  readonly authorize: Authorizer;
  /** The certificate (PEM) of the authority that signs this server's certificate and its clients' certificates. */
  readonly authority: string;
  /**
   * Returns a transport for in-process requests as this identity. The default identity is that of the server itself, which has all
   * permissions.
   */
  transport(identity?: Identity): Transport;
  /** Creates the objects that every server needs, if they do not exist, and starts the controllers. */
  start(): Promise<void>;
  /** The simulation; present after `start` if `simulateWorkloads` is set. */
  readonly simulation: ClusterSimulation | undefined;
  /** Opens a port. Several ports may be open at the same time. */
  serve(options?: ServeOptions): Promise<Served>;
  /** Issues a client certificate for a user. */
  issueUser(user: { readonly name: string; readonly groups: readonly string[] }): Promise<IssuedCertificate>;
  /** Stops everything that `start` and `serve` began, and closes the store. */
  stop(): Promise<void>;
}

export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { runtime } = options;
  const { store, vault } = await openStorage(options.storage);
  try {
    const credentials = options.credentials ?? (await loadCredentials(runtime, options.vault ?? vault));
    const access = createAccessControl(runtime, store, credentials);
    return new Assembly(options, store, credentials, access);
  } catch (error) {
    await store.close();
    throw error;
  }
}

class Assembly implements ControlPlane {
  readonly handle: Handle;
  readonly store: Store;
  readonly authorize: Authorizer;
  readonly authority: string;
  simulation: ClusterSimulation | undefined;
  readonly #options: ControlPlaneOptions;
  readonly #credentials: Credentials;
  readonly #access: AccessControl;
  readonly #server: ApiServer;
  readonly #controllers: ControllerContext;
  readonly #running: RunningController[] = [];
  readonly #listening: Served[] = [];
  #isStopped = false;

  constructor(options: ControlPlaneOptions, store: Store, credentials: Credentials, access: AccessControl) {
    const { runtime, admission = [], convert, crds = [] } = options;
    this.#options = options;
    this.#credentials = credentials;
    this.#access = access;
    this.#server = createApiServer({
      runtime,
      store,
      authorize: access.authorize,
      admission: [permanentNamespaces, ...access.admission, ...admission],
      webhooks: options.webhooks ?? httpsTransport(addressRefusal(options.webhookAddresses ?? [])),
      isExempt: (identity) => identity === BOOTSTRAP,
      virtual: { ...access.virtual, '/pods/eviction': (request) => evict(this.#controllers.api, request) },
      documents: access.documents,
      ...(convert ? { convert, convertsInProcess: (name) => crds.some(({ metadata }) => metadata.name === name) } : {}),
      processUsage,
    });
    this.handle = this.#server.handle;
    this.store = store;
    this.authorize = access.authorize;
    this.authority = credentials.authority.certificate;
    const catalog = createCatalog(store, () => this.#server.resources());
    this.#controllers = { runtime, store, catalog, api: createControllerApi(this.handle, SYSTEM) };
  }

  transport(identity: Identity = SYSTEM): Transport {
    const { runtime } = this.#options;
    return new InProcessTransport({ runtime, handle: this.handle, authorize: this.authorize, isStopped: () => this.#isStopped }, identity);
  }

  async start(): Promise<void> {
    await bootstrap({ ...this.#controllers, api: createControllerApi(this.handle, BOOTSTRAP) }, this.#options.crds ?? []);
    this.#running.push(...startControllers(this.#controllers, this.#credentials.authority));
    if (!this.#options.simulateWorkloads) return;
    this.simulation = await startSimulation(this.#controllers, this.#options.simulateWorkloads);
    this.#running.push(this.simulation);
  }

  async serve(options?: ServeOptions): Promise<Served> {
    const { authority } = this.#credentials;
    const served = await listen({ runtime: this.#options.runtime, handle: this.handle, authority, access: this.#access }, options);
    this.#listening.push(served);
    return served;
  }

  issueUser(user: { readonly name: string; readonly groups: readonly string[] }): Promise<IssuedCertificate> {
    return issueUserCertificate(this.#options.runtime, this.#credentials.authority, user);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#listening.splice(0).map((served) => served.close()));
    await Promise.all(this.#running.splice(0).map((controller) => controller.stop()));
    this.#access.stop();
    this.#server.close();
    await this.store.close();
  }
}
