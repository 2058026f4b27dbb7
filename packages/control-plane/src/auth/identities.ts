import type { Identity } from '../handle/contract.js';

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/**
 * The identity of a request without credentials. It has the permissions of the group `system:unauthenticated`: by default, to read health
 * and version.
 */
export const ANONYMOUS: Identity = { user: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** The identity of the server's own components. */
export const SYSTEM: Identity = { user: 'system:apiserver', groups: ['system:masters', AUTHENTICATED] };

/**
 * The identity that creates the objects that a server must have before its first request. It is compared with `===`, so no client can have
 * this identity. Webhooks and policies do not apply to it, because otherwise a webhook that is not running yet could prevent the server
 * from starting.
 */
export const BOOTSTRAP: Identity = { ...SYSTEM };

/** Returns the identity for a certificate whose subject has this common name and these organizations. */
export function certificateIdentity(commonName: string, organizations: readonly string[], sha256?: string): Identity {
  const extra = sha256 === undefined ? {} : { extra: { [CREDENTIAL_ID]: [`X509SHA256=${sha256}`] } };
  return { user: commonName, groups: withAuthenticated(organizations), ...extra };
}

export interface ServiceAccountInfo {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly tokenId?: string | undefined;
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
}

export function serviceAccountIdentity({ namespace, name, uid, tokenId, pod, node }: ServiceAccountInfo): Identity {
  const extra = {
    ...(tokenId ? { [CREDENTIAL_ID]: [`JTI=${tokenId}`] } : {}),
    ...(pod ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] } : {}),
    ...(node ? { 'authentication.kubernetes.io/node-name': [node.name], 'authentication.kubernetes.io/node-uid': [node.uid] } : {}),
  };
  return { user: `system:serviceaccount:${namespace}:${name}`, uid, groups: withAuthenticated(serviceAccountGroups(namespace)), extra };
}

export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Returns the parts of a ServiceAccount's user name, or undefined for any other user name. */
export function parseServiceAccountUser(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

export function withAuthenticated(groups: readonly string[]): string[] {
  return groups.includes(AUTHENTICATED) ? [...groups] : [...groups, AUTHENTICATED];
}
