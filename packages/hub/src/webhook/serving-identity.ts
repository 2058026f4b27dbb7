import type { Runtime } from '@outrigger/core';
import type { IssuedCertificate } from '@outrigger/core/x509';
import { type Lifetimes, trustedBundle } from './authorities.js';
import type { AuthorityStore } from './authority-store.js';
import { type ServingNames, issueServingCertificate } from './certificates.js';

export interface ServingIdentityOptions {
  readonly runtime: Runtime;
  readonly authorities: AuthorityStore;
  readonly names: ServingNames;
  readonly lifetimes: Lifetimes;
  readonly publish: (caBundle: string) => Promise<void>;
}

/** The serving certificate of one replica, and the CA bundle with which API servers trust it. */
export class ServingIdentity {
  readonly #options: ServingIdentityOptions;
  #serving: { readonly certificate: IssuedCertificate; readonly authority: string; readonly issuedAt: number } | undefined;
  #caBundle = '';

  constructor(options: ServingIdentityOptions) {
    this.#options = options;
  }

  get caBundle(): string {
    return this.#caBundle;
  }

  /**
   * Returns the certificate to serve with from now on: the current one while it is valid for long enough, otherwise a new one. Publishes
   * the CA bundle before a new certificate is used.
   */
  async renew(): Promise<IssuedCertificate> {
    const { runtime, authorities, names, lifetimes, publish } = this.#options;
    const found = await authorities.load();
    const bundle = trustedBundle(found);
    if (bundle !== this.#caBundle) {
      await publish(bundle);
      this.#caBundle = bundle;
    }
    const now = runtime.clock.now();
    const { certificate: authority } = found.current;
    const isGood = this.#serving?.authority === authority && now < this.#serving.issuedAt + (lifetimes.certificateMs * 2) / 3;
    if (this.#serving && isGood) return this.#serving.certificate;
    const certificate = await issueServingCertificate(runtime, found.current, names, lifetimes.certificateMs);
    this.#serving = { certificate, authority, issuedAt: now };
    return certificate;
  }
}
