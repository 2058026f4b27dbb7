import { type ManagedClusterClientConfig, type Secret, secrets } from '@outrigger/api';
import { type Runtime, type Scope, type Transport, errorMessage, isApiError } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import {
  type Client,
  type ConnectionConfig,
  type Controller,
  type Manager,
  type Metrics,
  createClient,
  createManager,
  reflect,
} from '@outrigger/kube';
import { createAgent } from '../agent.js';
import { decode, pendingKeys } from '../credentials/secrets.js';
import type { AgentSettings } from '../identity.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import { requests } from '../resources/requests.js';
import { servedAddOnVersion } from './add-on-version.js';
import { type Bootstrap, readBootstrap } from './bootstrap.js';
import { joinController } from './controller.js';
import { type HeldCredential, holdCredential } from './held-credential.js';
import { NamedRequests } from './own-requests.js';
import { BOOTSTRAP_SECRET_NAME, DEFAULT_AGENT_NAMESPACE, type OwnIdentity, ownSecretKey } from './own-spec.js';
import { Refusals, reportingRefusals } from './refusals.js';
import { Wake } from './wake.js';

/** A connection that can go over to other credentials while it is in use. */
export interface HubTransport extends Transport {
  update(config: ConnectionConfig): void;
}

export interface JoiningAgentOptions {
  readonly runtime: Runtime;
  /** The managed cluster itself. */
  readonly cluster: Client;
  readonly clusterName: string;
  readonly agentName: string;
  /** Opens a connection to the hub; called again when the agent joins another one. */
  readonly connectHub: (config: ConnectionConfig) => HubTransport;
  /** Where the agent keeps its Secrets and finds `bootstrap-hub-kubeconfig`. */
  readonly namespace?: string;
  readonly settings?: AgentSettings;
  /** Sent with the ManagedCluster when it is first announced. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly clientConfigs?: readonly ManagedClusterClientConfig[];
  readonly metrics?: Metrics;
}

export type JoinPhase = 'starting' | 'joining' | 'joined' | 'stopped';

export interface JoiningAgent {
  readonly phase: JoinPhase;
  /** Begins; resolves at once. Failures are logged and tried again for as long as the agent runs. */
  start(): void;
  stop(): Promise<void>;
}

type Usable = Extract<HeldCredential, { type: 'usable' }>;

const RETRY_MS = 5_000;
/** A hub may be wrong about a certificate for a while; the way back in may be closed as well, so what is held is tried again. */
const TRY_REFUSED_AGAIN_MS = 10 * 60_000;

/**
 * An agent from its bootstrap kubeconfig on. With a credential the hub takes it works; without one it joins; and whatever makes the credential
 * useless (its end, another hub, a hub that refuses it) leads back to joining, without a restart.
 */
export function createJoiningAgent(options: JoiningAgentOptions): JoiningAgent {
  return new Supervisor(options);
}

class Supervisor implements JoiningAgent {
  readonly #options: JoiningAgentOptions;
  readonly #identity: OwnIdentity;
  readonly #scope: Scope & { close(): void };
  readonly #wake: Wake;
  readonly #refusals: Refusals;
  /** Digest of the bootstrap kubeconfig the current phase was begun with. */
  #bootstrapDigest = '';
  /** A certificate the hub does not take any more. */
  #refused = '';
  #phase: JoinPhase = 'starting';
  #running: Promise<void> = Promise.resolve();

  constructor(options: JoiningAgentOptions) {
    this.#options = options;
    const { runtime, clusterName, agentName, namespace = DEFAULT_AGENT_NAMESPACE, settings } = options;
    this.#identity = { clusterName, agentName, namespace, certificateSeconds: settings?.certificateSeconds };
    this.#scope = runtime.scope.child('agent');
    this.#wake = new Wake(this.#scope.signal);
    this.#refusals = new Refusals(runtime.clock);
  }

  get phase(): JoinPhase {
    return this.#phase;
  }

  start(): void {
    void this.#followBootstrap();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#scope.close();
    this.#wake.wake();
    await this.#running;
  }

  get #isStopped(): boolean {
    return this.#scope.signal.aborted;
  }

  async #run(): Promise<void> {
    const { log } = this.#options.runtime;
    while (!this.#isStopped) {
      try {
        await this.#runPhase();
      } catch (error) {
        if (this.#isStopped) return;
        log.warn({ error: errorMessage(error) }, 'agent cannot go on yet');
        await this.#wake.within(this.#options.runtime.timers, RETRY_MS);
      }
    }
  }

  async #runPhase(): Promise<void> {
    this.#wake.clear(); // what happened before now is in what is read next
    const bootstrap = await this.#bootstrap();
    const held = await this.#held(bootstrap);
    const { log } = this.#options.runtime;
    if (held.type === 'usable') {
      log.info({ cluster: this.#identity.clusterName }, 'agent has a credential for the hub');
      await this.#work(bootstrap, held);
    } else {
      log.info({ cluster: this.#identity.clusterName, why: held.why }, 'agent joins the hub');
      await this.#join(bootstrap);
    }
  }

  async #bootstrap(): Promise<Bootstrap> {
    const { namespace } = this.#identity;
    const secret = await this.#read(BOOTSTRAP_SECRET_NAME);
    if (!secret) throw new Error(`Secret ${namespace}/${BOOTSTRAP_SECRET_NAME} does not exist: it tells the agent which hub to join`);
    this.#bootstrapDigest = digestOf(secret);
    return readBootstrap(decode(secret.data?.['kubeconfig'] ?? ''), `Secret ${namespace}/${BOOTSTRAP_SECRET_NAME}`);
  }

  async #held(bootstrap: Bootstrap): Promise<HeldCredential> {
    const { keys, clock } = this.#options.runtime;
    const secret = await this.#read(ownSecretKey(this.#identity).name);
    const held = await holdCredential(secret, bootstrap, this.#identity, { keys, now: clock.now() });
    const isRefused = held.type === 'usable' && held.fingerprint === this.#refused;
    return isRefused ? { type: 'unusable', why: 'the hub does not take the certificate any more' } : held;
  }

  async #read(name: string): Promise<Secret | undefined> {
    const { namespace } = this.#identity;
    try {
      return await this.#options.cluster.get<Secret>(secrets, { namespace, name }, { signal: this.#scope.signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Asks for a certificate with the bootstrap credential until there is one. */
  async #join(bootstrap: Bootstrap): Promise<void> {
    const { runtime, cluster, connectHub, annotations = {}, clientConfigs = [] } = this.#options;
    const { clusterName, namespace } = this.#identity;
    this.#phase = 'joining';
    const transport = connectHub(bootstrap.connection);
    const hub = createClient({ transport, runtime });
    const scope = this.#scope.child('joining');
    const look = (): void => manager.enqueue('join', { name: clusterName });
    const { project } = requests(clusterName);
    const manager: Manager = createManager({
      runtime,
      apis: { [HUB]: hub, [CLUSTER]: cluster },
      controllers: [
        joinController({
          identity: this.#identity,
          endpoint: bootstrap.endpoint,
          requests: new NamedRequests({ hub, runtime, project: (object) => project(object, same), changed: look, signal: scope.signal }),
          pendingKeys: pendingKeys(namespace),
          announcement: { clusterName, annotations, clientConfigs },
          stored: () => this.#wake.wake(),
          ...(this.#refused === '' ? {} : { refused: this.#refused }),
        }),
      ] as readonly Controller<unknown>[],
    });
    const cancelRetry = this.#refused === '' ? (): void => undefined : runtime.timers.after(TRY_REFUSED_AGAIN_MS, () => this.#forgive());
    try {
      // Nothing may be there yet that would wake the key by itself.
      await this.#keepUntilWoken(manager, look);
    } finally {
      cancelRetry();
      scope.close();
      await transport.close();
    }
  }

  #forgive(): void {
    this.#refused = '';
    this.#wake.wake();
  }

  /** Does what agents do, for as long as the hub takes the credential. A renewed one is taken over without a pause. */
  async #work(bootstrap: Bootstrap, held: Usable): Promise<void> {
    const { runtime, cluster, connectHub, settings, metrics } = this.#options;
    const { clusterName, agentName, namespace } = this.#identity;
    this.#phase = 'joined';
    const transport = connectHub(held.connection);
    let current = held;
    let cancelEnd = this.#endAt(held);
    const renewed = async (): Promise<void> => {
      const next = await this.#held(bootstrap);
      if (next.type !== 'usable') return this.#wake.wake();
      current = next;
      cancelEnd();
      cancelEnd = this.#endAt(next);
      transport.update(next.connection);
    };
    const hub = createClient({
      transport: reportingRefusals(transport, this.#refusals, () => {
        this.#refused = current.fingerprint;
        this.#wake.wake();
      }),
      runtime,
    });
    try {
      const manager = createAgent({
        runtime,
        hub,
        cluster,
        clusterName,
        hubServer: bootstrap.endpoint.server,
        hubEndpoint: bootstrap.endpoint,
        agentId: agentName,
        namespace,
        addOnApiVersion: await servedAddOnVersion(hub),
        own: { identity: this.#identity, stored: () => void renewed().catch(() => this.#wake.wake()) },
        ...(settings ? { settings } : {}),
        ...(metrics ? { metrics } : {}),
      });
      await this.#keepUntilWoken(manager);
    } finally {
      cancelEnd();
      await transport.close();
    }
  }

  async #keepUntilWoken(manager: Manager, started: () => void = () => undefined): Promise<void> {
    const { log } = this.#options.runtime;
    manager.start().then(started, (error: unknown) => log.error({ error: errorMessage(error) }, 'agent could not start'));
    try {
      await this.#wake.next();
    } finally {
      await manager.stop();
    }
  }

  /** By the monotonic clock from here on: a wall clock that jumps does not end a certificate. */
  #endAt({ notAfter }: Usable): () => void {
    const { timers, clock } = this.#options.runtime;
    const endsAt = clock.monotonic() + notAfter - clock.now();
    let cancel = (): void => undefined;
    const arm = (): void => {
      const leftMs = endsAt - clock.monotonic();
      if (leftMs <= 0) this.#wake.wake();
      else cancel = timers.after(leftMs, arm);
    };
    arm();
    return () => cancel();
  }

  /** Another bootstrap kubeconfig (another hub, another authority, a fresh token) is acted on at once. */
  async #followBootstrap(): Promise<void> {
    const { cluster, runtime } = this.#options;
    const selection = { namespace: this.#identity.namespace, fieldSelector: `metadata.name=${BOOTSTRAP_SECRET_NAME}` };
    for await (const event of reflect({ client: cluster, runtime, kind: secrets, selection, metadataOnly: false }, this.#scope.signal)) {
      if (event.type !== 'Apply' && event.type !== 'InitApply') continue;
      if (digestOf(event.object) !== this.#bootstrapDigest) this.#wake.wake();
    }
  }
}

function same<T>(value: T): T {
  return value;
}

function digestOf({ data = {} }: Secret): string {
  return sha256Hex(data['kubeconfig'] ?? '');
}
