import { type Secret, secrets } from '@outrigger/api';
import { type Runtime, ifFound, decodeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type Client, reflect } from '@outrigger/kube';
import { type Bootstrap, readBootstrap, readEndpoint, spentBootstrap } from './bootstrap.js';
import { type HeldCredential, holdCredential } from './held-credential.js';
import { type OwnIdentity, bootstrapSecretName, ownSecretKey } from './own-spec.js';

/** The agent's own Secrets: the bootstrap kubeconfig and the credential. */
export class OwnSecrets {
  readonly #cluster: Client;
  readonly #runtime: Runtime;
  readonly #identity: OwnIdentity;
  readonly #signal: AbortSignal;
  /** The digest of the bootstrap kubeconfig that was read last. */
  #bootstrapDigest = '';

  constructor(cluster: Client, runtime: Runtime, identity: OwnIdentity, signal: AbortSignal) {
    this.#cluster = cluster;
    this.#runtime = runtime;
    this.#identity = identity;
    this.#signal = signal;
  }

  /** Returns the hub to join or, if the bootstrap Secret was deleted, the hub that the agent has joined. */
  async bootstrap(): Promise<Bootstrap> {
    const name = bootstrapSecretName(this.#identity);
    const where = `Secret ${this.#identity.namespace}/${name}`;
    const secret = await this.#read(name);
    this.#bootstrapDigest = secret ? digestOf(secret) : '';
    if (secret) return readBootstrap(decodeText(secret.data?.['kubeconfig'] ?? ''), where);
    const own = await this.#read(ownSecretKey(this.#identity).name);
    const endpoint = own && readEndpoint(decodeText(own.data?.['kubeconfig'] ?? ''), 'the credential of this agent');
    if (!endpoint) throw new Error(`${where} does not exist: it tells the agent which hub to join`);
    return spentBootstrap(endpoint);
  }

  async held(bootstrap: Bootstrap): Promise<HeldCredential> {
    const { keys, clock } = this.#runtime;
    const secret = await this.#read(ownSecretKey(this.#identity).name);
    return holdCredential(secret, bootstrap, this.#identity, { keys, now: clock.now() });
  }

  /** Calls `changed` when the bootstrap kubeconfig differs from the one read last (another hub, another CA, a new token). */
  async followBootstrap(changed: () => void): Promise<void> {
    await this.#follow(bootstrapSecretName(this.#identity), this.#signal, (secret) => {
      if (digestOf(secret) !== this.#bootstrapDigest) changed();
    });
  }

  /** Calls `changed` on every change to the agent's credential. It is for an agent whose credential another process renews. */
  async followOwn(changed: () => void, signal: AbortSignal): Promise<void> {
    await this.#follow(ownSecretKey(this.#identity).name, signal, changed);
  }

  async #follow(name: string, signal: AbortSignal, changed: (secret: Secret) => void): Promise<void> {
    const selection = { namespace: this.#identity.namespace, fieldSelector: `metadata.name=${name}` };
    const source = { client: this.#cluster, runtime: this.#runtime, kind: secrets, selection, metadataOnly: false };
    for await (const event of reflect(source, signal)) {
      if (event.type === 'Apply' || event.type === 'InitApply') changed(event.object);
    }
  }

  #read(name: string): Promise<Secret | undefined> {
    return ifFound(this.#cluster.get<Secret>(secrets, { namespace: this.#identity.namespace, name }, { signal: this.#signal }));
  }
}

function digestOf({ data = {} }: Secret): string {
  return sha256Hex(data['kubeconfig'] ?? '');
}
