import { serviceAccountUidIn, secrets, serviceAccounts } from '@outrigger/api';
import { type KubeObject, findCondition, encodeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import type { EffectContext, Now, Written } from '@outrigger/kube';
import type { CredentialProjection } from '../credentials/secrets.js';
import { putSecret } from '../credentials/put-secret.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import type { TokenSpec } from './specs.js';

/** The share of a token's lifetime that is left when the agent replaces it. */
const RENEW_AT_SHARE = 0.2;

export type TokenStep =
  | { readonly type: 'keep'; readonly forMs: number }
  /** Wait, because the hub has not created the ServiceAccount yet. */
  | { readonly type: 'wait' }
  | { readonly type: 'request' };

/**
 * Returns the next step for a token. A new token is requested if the stored one is missing, unreadable, near its expiry, or for a
 * ServiceAccount other than the hub's current one, or if other data of the Secret differs.
 */
export function nextTokenStep(
  spec: TokenSpec,
  stored: CredentialProjection | undefined,
  clusterAddOn: ClusterAddOnProjection,
  now: Now,
): TokenStep {
  const ready = findCondition(clusterAddOn.status.conditions, 'TokenInfrastructureReady');
  const uid = ready?.status === 'True' ? serviceAccountUidIn(ready.message) : undefined;
  if (uid === undefined) return { type: 'wait' };
  const token = stored?.token;
  if (!stored || !token || token.user !== spec.user || token.serviceAccountUid !== uid || !hasContents(stored, spec)) {
    return { type: 'request' };
  }
  const leftMs = token.expiresAt - now.wall - RENEW_AT_SHARE * (token.expiresAt - token.issuedAt);
  return leftMs > 0 ? { type: 'keep', forMs: leftMs } : { type: 'request' };
}

/** Whether the Secret has exactly the data of the spec. A certificate in the same Secret means that it was created with another driver. */
function hasContents(stored: CredentialProjection, { contents }: TokenSpec): boolean {
  const names = Object.keys(contents);
  const isExact = names.length === Object.keys(stored.contents).length && stored.certificate === '' && !stored.hasKey;
  return isExact && names.every((name) => stored.contents[name] === sha256Hex(contents[name] ?? ''));
}

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token: string };
}

export async function requestToken(spec: TokenSpec, context: EffectContext): Promise<readonly Written[]> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: spec.expirationSeconds },
  };
  const { signal } = context;
  const { status } = await context.client(HUB).createSubresource(serviceAccounts, spec.serviceAccount, 'token', request, { signal });
  const contents = Object.fromEntries(Object.entries(spec.contents).map(([name, value]) => [name, encodeText(value)]));
  const data = { token: encodeText(status?.token ?? ''), ...contents };
  const object = await putSecret(context.client(CLUSTER), { key: spec.secret, labels: spec.labels, data }, signal);
  return [{ api: CLUSTER, kind: secrets, object }];
}
