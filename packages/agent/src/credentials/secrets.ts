import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, type Secret, secrets } from '@outrigger/api';
import { keyOf, decodeText, type Projected } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { Resource } from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';
import { type TokenClaims, readClaims } from './token.js';

/** Label of the Secrets that the agent keeps. Its value is `add-on`, `cluster`, or `pending` for a key that has no certificate yet. */
export const CREDENTIAL_LABEL = 'outrigger.dev/credential';
/** Annotations of pending keys: their credential, the name of their request, and a digest of the requested certificate. */
export const CREDENTIAL_ID_ANNOTATION = 'outrigger.dev/credential-id';
export const REQUEST_ANNOTATION = 'outrigger.dev/certificate-request';
export const REQUEST_DIGEST_ANNOTATION = 'outrigger.dev/certificate-request-digest';
/** The annotation of pending keys with the identity that sends the request, if that identity can change. */
export const REQUESTER_ANNOTATION = 'outrigger.dev/certificate-requester';

/** A Secret with a credential, without its confidential parts. Keys and tokens are read only when they are used. */
export interface CredentialProjection extends Projected {
  readonly addOnName: string;
  /** The certificate in PEM, which is not confidential; empty if there is none. */
  readonly certificate: string;
  readonly hasKey: boolean;
  /** The claims of the token; undefined if there is no token or it cannot be read. */
  readonly token: TokenClaims | undefined;
  /** The digests of the Secret's data other than key, certificate and token. */
  readonly extraDataDigests: Readonly<Record<string, string>>;
}

/** A private key whose certificate has not been issued yet. It is stored so that a restart does not abandon the request. */
export interface PendingKeyProjection extends Projected {
  readonly credentialId: string;
  readonly requestName: string;
  readonly requestDigest: string;
  readonly requester: string | undefined;
}

/**
 * The credentials of add-ons in all namespaces, limited to this cluster name. A cluster that is registered with several hubs under
 * different names has one agent per hub, and each agent keeps its own credentials.
 */
export function addOnCredentials(clusterName: string): Resource<CredentialProjection, 'addOnName'> {
  return {
    name: 'add-on-credentials',
    api: CLUSTER,
    kind: secrets,
    labelSelector: `${CREDENTIAL_LABEL}=add-on,${CLUSTER_NAME_LABEL}=${clusterName}`,
    project: (object) => projectCredential(object),
    indexes: { addOnName: ({ addOnName }) => [addOnName] },
  };
}

/** The resource of the agent's own credential. */
export function ownCredential(key: { readonly namespace: string; readonly name: string }): Resource<CredentialProjection> {
  return {
    name: 'own-credential',
    api: CLUSTER,
    kind: secrets,
    namespace: key.namespace,
    fieldSelector: `metadata.name=${key.name}`,
    project: (object) => projectCredential(object),
    indexes: {},
  };
}

export function pendingKeys(namespace: string): Resource<PendingKeyProjection, 'credential'> {
  return {
    name: 'pending-keys',
    api: CLUSTER,
    kind: secrets,
    namespace,
    labelSelector: `${CREDENTIAL_LABEL}=pending`,
    project(object) {
      const annotations = object.metadata.annotations ?? {};
      return {
        ...identityOf(object),
        credentialId: annotations[CREDENTIAL_ID_ANNOTATION] ?? '',
        requestName: annotations[REQUEST_ANNOTATION] ?? '',
        requestDigest: annotations[REQUEST_DIGEST_ANNOTATION] ?? '',
        requester: annotations[REQUESTER_ANNOTATION],
      };
    },
    indexes: { credential: ({ credentialId }) => [credentialId] },
  };
}

/** Returns the name of the Secret with the pending key of a credential. A credential has at most one pending key. */
export function pendingKeyName(credentialId: string): string {
  return `pending-key-${sha256Hex(credentialId).slice(0, 20)}`;
}

export function projectCredential(secret: Secret): CredentialProjection {
  const data = secret.data ?? {};
  const { 'tls.crt': certificate, 'tls.key': key, token, ...rest } = data;
  return {
    ...identityOf(secret),
    addOnName: secret.metadata.labels?.[ADDON_NAME_LABEL] ?? '',
    certificate: certificate === undefined ? '' : decodeText(certificate),
    hasKey: key !== undefined && key !== '',
    token: token === undefined ? undefined : readClaims(decodeText(token)),
    extraDataDigests: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, sha256Hex(decodeText(value))])),
  };
}

function identityOf(secret: Secret): Projected {
  return { key: keyOf(secret), uid: secret.metadata.uid ?? '', resourceVersion: secret.metadata.resourceVersion ?? '' };
}
