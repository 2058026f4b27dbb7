import type { Outcomes, SeenTime } from '@outrigger/kube';
import type { ExaminedCertificates } from '../credentials/certificates.js';
import type { CredentialState } from '../credentials/machine.js';
import type { CredentialProjection, PendingKeyProjection } from '../credentials/secrets.js';
import type { AddOnApiVersion, ClusterAddOnProjection } from '../resources/add-ons.js';
import type { RegistrationSettings, TokenSpec } from './specs.js';

/** The last tokens that the hub issued, each within ten minutes of the previous one. `at` is the monotonic time of the latest. */
export interface TokenRequests {
  readonly at: number;
  readonly count: number;
}

/** The data that one pass over the credentials of an add-on keeps for the next. */
export interface RegistrationMemory {
  readonly certificates?: ExaminedCertificates;
  /** The time at which the last observed token was issued, with the age from which the token's current age is computed. */
  readonly token?: SeenTime | undefined;
  readonly tokenRequests?: TokenRequests;
}

/** Everything that one pass over the credentials of an add-on observes. */
export interface RegistrationState {
  /** The add-on; undefined if it was deleted, in which case the pass only cleans up its remaining objects. */
  readonly clusterAddOn: ClusterAddOnProjection | undefined;
  readonly settings: RegistrationSettings;
  readonly addOnApiVersion: AddOnApiVersion;
  readonly certificates: readonly CredentialState[];
  readonly token: { readonly spec: TokenSpec; readonly stored: CredentialProjection | undefined } | undefined;
  /** The Secrets and pending keys of this add-on that no registration needs. */
  readonly leftovers: { readonly secrets: readonly CredentialProjection[]; readonly pending: readonly PendingKeyProjection[] };
  readonly outcomes: Outcomes;
  readonly remembered: RegistrationMemory;
}
