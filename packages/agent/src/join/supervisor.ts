import { type Scope, errorMessage } from '@outrigger/core';
import { type Manager, createClient } from '@outrigger/kube';
import { createAgent } from '../agent.js';
import { servedAddOnVersion } from './add-on-version.js';
import type { Bootstrap } from './bootstrap.js';
import type { CertificateUse } from './controller.js';
import type { HeldCredential } from './held-credential.js';
import { joiningManager } from './joining-manager.js';
import type { JoinPhase, JoiningAgent, JoiningAgentOptions } from './options.js';
import { OwnSecrets } from './own-secrets.js';
import { DEFAULT_AGENT_NAMESPACE, type OwnIdentity } from './own-spec.js';
import { Refusals, reportingRefusals } from './refusals.js';
import { Wake } from './wake.js';

type Usable = Extract<HeldCredential, { type: 'usable' }>;

const RETRY_MS = 5_000;
/**
 * The agent tries a rejected credential again after this time, because the hub may reject a valid certificate temporarily and joining again
 * may fail too.
 */
const TRY_REFUSED_AGAIN_MS = 10 * 60_000;

/**
 * Runs an agent, starting with its bootstrap kubeconfig. If it has a credential that the hub accepts, it performs its roles; otherwise it
 * joins. If the credential becomes invalid (it expires, the hub changes, the hub rejects it), the agent joins again without a restart.
 */
export function createJoiningAgent(options: JoiningAgentOptions): JoiningAgent {
  return new Supervisor(options);
}

class Supervisor implements JoiningAgent {
  readonly #options: JoiningAgentOptions;
  readonly #identity: OwnIdentity;
  readonly #scope: Scope & { close(): void };
  readonly #secrets: OwnSecrets;
  readonly #wake: Wake;
  readonly #refusals: Refusals;
  /** The fingerprint of a certificate that the hub rejects; empty if there is none. */
  #refused = '';
  #phase: JoinPhase = 'starting';
  #running: Promise<void> = Promise.resolve();

  constructor(options: JoiningAgentOptions) {
    this.#options = options;
    const { runtime, cluster, clusterName, agentName, namespace = DEFAULT_AGENT_NAMESPACE, settings, secretNames } = options;
    this.#identity = { clusterName, agentName, namespace, certificateSeconds: settings?.certificateSeconds, secretNames };
    this.#scope = runtime.scope.child('agent');
    this.#secrets = new OwnSecrets(cluster, runtime, this.#identity, this.#scope.signal);
    this.#wake = new Wake(this.#scope.signal);
    this.#refusals = new Refusals(runtime.clock);
  }

  get phase(): JoinPhase {
    return this.#phase;
  }

  start(): void {
    void this.#secrets.followBootstrap(() => this.#wake.wake());
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
    const { log, timers } = this.#options.runtime;
    while (!this.#isStopped) {
      try {
        await this.#runPhase();
      } catch (error) {
        if (this.#isStopped) return;
        log.warn({ error: errorMessage(error) }, 'agent cannot continue yet');
        await this.#wake.within(timers, RETRY_MS);
      }
    }
  }

  async #runPhase(): Promise<void> {
    this.#wake.clear(); // Drop earlier wakes, because the reads below include the changes that caused them.
    const bootstrap = await this.#secrets.bootstrap();
    const held = await this.#held(bootstrap);
    const { log, timers } = this.#options.runtime;
    if (held.type === 'usable') {
      log.info({ cluster: this.#identity.clusterName }, 'agent has a credential for the hub');
      await this.#work(bootstrap, held);
    } else if (this.#options.roles === 'work') {
      this.#phase = 'joining';
      log.info({ cluster: this.#identity.clusterName, why: held.why }, 'agent waits for the credential of its registration');
      await this.#untilOwnChanges();
    } else if (bootstrap.isSpent) {
      this.#phase = 'joining';
      log.warn({ cluster: this.#identity.clusterName, why: held.why }, 'agent must join again, but its bootstrap kubeconfig is gone');
      await this.#wake.within(timers, TRY_REFUSED_AGAIN_MS);
      this.#refused = '';
    } else {
      log.info({ cluster: this.#identity.clusterName, why: held.why }, 'agent joins the hub');
      await this.#join(bootstrap);
    }
  }

  /** Waits until the Secret with the credential changes, or for TRY_REFUSED_AGAIN_MS. Another process renews the credential. */
  async #untilOwnChanges(): Promise<void> {
    const scope = this.#scope.child('credential');
    const following = this.#secrets.followOwn(() => this.#wake.wake(), scope.signal);
    try {
      await this.#wake.within(this.#options.runtime.timers, TRY_REFUSED_AGAIN_MS);
      this.#refused = '';
      // Every watch begins with a list, so it reports the Secret even if the Secret has not changed. The agent therefore waits before it
      // reads an unusable credential again.
      await this.#options.runtime.timers.sleep(RETRY_MS, this.#scope.signal).catch(() => undefined);
    } finally {
      scope.close();
      await following;
    }
  }

  async #held(bootstrap: Bootstrap): Promise<HeldCredential> {
    const held = await this.#secrets.held(bootstrap);
    const isRefused = held.type === 'usable' && held.fingerprint === this.#refused;
    return isRefused ? { type: 'unusable', why: 'the hub does not take the certificate any more' } : held;
  }

  async #join(bootstrap: Bootstrap): Promise<void> {
    const { runtime, connectHub } = this.#options;
    this.#phase = 'joining';
    const transport = connectHub(bootstrap.connection);
    const manager = joiningManager(this.#options, {
      bootstrap,
      hub: createClient({ transport, runtime }),
      identity: this.#identity,
      refused: this.#refused,
      joined: () => this.#wake.wake(),
    });
    const cancelRetry = this.#refused === '' ? (): void => undefined : runtime.timers.after(TRY_REFUSED_AGAIN_MS, () => this.#forgive());
    try {
      await this.#keepUntilWoken(manager);
    } finally {
      cancelRetry();
      await transport.close();
    }
  }

  #forgive(): void {
    this.#refused = '';
    this.#wake.wake();
  }

  /** Runs the agent for as long as the hub accepts the credential. A renewed credential is used without a restart. */
  async #work(bootstrap: Bootstrap, held: Usable): Promise<void> {
    const { runtime, cluster, connectHub, settings, work, metrics, roles = 'all' } = this.#options;
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
    const refused = (): void => {
      this.#refused = current.fingerprint;
      this.#wake.wake();
    };
    const hub = createClient({ transport: reportingRefusals(transport, this.#refusals, refused), runtime });
    const use: CertificateUse = {
      current: () => current.fingerprint,
      renewed: () => void renewed().catch(() => this.#wake.wake()),
    };
    const scope = this.#scope.child('working');
    if (roles === 'work') void this.#secrets.followOwn(use.renewed, scope.signal);
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
        roles,
        ...(roles === 'work' ? {} : { own: { identity: this.#identity, use } }),
        ...(settings ? { settings } : {}),
        ...(work ? { work } : {}),
        ...(metrics ? { metrics } : {}),
      });
      await this.#keepUntilWoken(manager);
    } finally {
      scope.close();
      cancelEnd();
      await transport.close();
    }
  }

  async #keepUntilWoken(manager: Manager): Promise<void> {
    const { log } = this.#options.runtime;
    manager.start().catch((error: unknown) => log.error({ error: errorMessage(error) }, 'agent could not start'));
    try {
      await this.#wake.next();
    } finally {
      await manager.stop();
    }
  }

  /**
   * Wakes the supervisor when the certificate expires, so that it stops the manager. The monotonic clock measures the remaining lifetime, so
   * that a jump of the wall clock does not expire the certificate.
   */
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
}
