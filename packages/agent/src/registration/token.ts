import { serviceAccountUidIn, secrets, serviceAccounts } from '@outrigger/api';
import { type KubeObject, backoffMs, findCondition, encodeText } from '@outrigger/core';
import { sha256Hex } from '@outrigger/core/hash';
import { type EffectContext, type Now, type SeenTime, type Written, ageOf, seeTime } from '@outrigger/kube';
import type { CredentialProjection } from '../credentials/secrets.js';
import { type TokenClaims, readClaims } from '../credentials/token.js';
import { putSecret } from '../credentials/put-secret.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import type { TokenSpec } from './specs.js';
import type { RegistrationMemory, TokenRequests } from './state.js';

/** The share of a token's lifetime that is left when the agent replaces it. */
const RENEW_AT_SHARE = 0.2;

export type TokenStep =
  | { readonly type: 'keep'; readonly forMs: number }
  /** Wait, because the hub has not created the ServiceAccount yet, or for `forMs` because the last tokens were replaced at once. */
  | { readonly type: 'wait'; readonly forMs?: number }
  | { readonly type: 'request' };

const REPEAT = { freeOfCharge: 3, baseMs: 1_000, maxMs: 300_000, forgottenAfterMs: 600_000 } as const;

/** Records that the hub issued a token at the monotonic time `at`. */
export function tokenRequested(before: TokenRequests | undefined, at: number): TokenRequests {
  return { at, count: before && at - before.at < REPEAT.forgottenAfterMs ? before.count + 1 : 1 };
}

/**
 * Delays a request if the tokens of the last requests had to be replaced at once, for example because the hub reports another ServiceAccount
 * than the one that its tokens name, or because another writer keeps changing the Secret. The first few requests are not delayed.
 */
export function inTime(step: TokenStep, last: TokenRequests | undefined, { monotonic }: Now): TokenStep {
  if (step.type !== 'request' || !last || last.count < REPEAT.freeOfCharge) return step;
  const forMs = last.at + backoffMs(last.count - REPEAT.freeOfCharge + 1, REPEAT) - monotonic;
  return forMs > 0 ? { type: 'wait', forMs } : step;
}

/**
 * Records when the stored token was issued. As for certificates, the monotonic clock measures the age, so that a wall clock that is wrong or
 * jumps neither replaces all tokens immediately nor lets a token expire. Returns undefined if the age is unknown: the agent sees the token for
 * the first time, with a clock that is behind the hub's.
 */
export function seeToken(last: SeenTime | undefined, token: TokenClaims | undefined, now: Now): SeenTime | undefined {
  if (token === undefined) return undefined;
  const { serviceAccountUid: uid, issuedAt } = token;
  return last?.uid !== uid && now.wall < issuedAt ? undefined : seeTime(last, uid, issuedAt, now);
}

/**
 * Returns the next step for a token. A new token is requested if the stored one is missing, unreadable, near its expiry, of unknown age, or for
 * a ServiceAccount other than the hub's current one, or if other data of the Secret differs.
 */
export function nextTokenStep(
  spec: TokenSpec,
  stored: CredentialProjection | undefined,
  clusterAddOn: ClusterAddOnProjection,
  { seen, now }: { readonly seen: SeenTime | undefined; readonly now: Now },
): TokenStep {
  const ready = findCondition(clusterAddOn.status.conditions, 'TokenInfrastructureReady');
  const uid = ready?.status === 'True' ? serviceAccountUidIn(ready.message) : undefined;
  if (uid === undefined) return { type: 'wait' };
  const token = stored?.token;
  if (!stored || !token || !seen || token.user !== spec.user || token.serviceAccountUid !== uid || !hasExactData(stored, spec)) {
    return { type: 'request' };
  }
  const leftMs = (1 - RENEW_AT_SHARE) * (token.expiresAt - token.issuedAt) - ageOf(seen, now);
  return leftMs > 0 ? { type: 'keep', forMs: leftMs } : { type: 'request' };
}

/** Whether the Secret has exactly the data of the spec. A certificate in the same Secret means that it was created with another driver. */
function hasExactData(stored: CredentialProjection, { extraData }: TokenSpec): boolean {
  const names = Object.keys(extraData);
  const isExact = names.length === Object.keys(stored.extraDataDigests).length && stored.certificate === '' && !stored.hasKey;
  return isExact && names.every((name) => stored.extraDataDigests[name] === sha256Hex(extraData[name] ?? ''));
}

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token: string };
}

export async function requestToken(spec: TokenSpec, context: EffectContext<RegistrationMemory>): Promise<readonly Written[]> {
  const request: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { expirationSeconds: spec.expirationSeconds },
  };
  const { signal, runtime } = context;
  const { status } = await context.client(HUB).createSubresource(serviceAccounts, spec.serviceAccount, 'token', request, { signal });
  const token = status?.token ?? '';
  const claims = readClaims(token);
  const seenAt = runtime.clock.monotonic();
  context.remember((memory) => ({
    ...memory,
    ...(claims ? { token: { uid: claims.serviceAccountUid, time: claims.issuedAt, ageMs: 0, seenAt } } : {}),
    tokenRequests: tokenRequested(memory?.tokenRequests, seenAt),
  }));
  const extraData = Object.fromEntries(Object.entries(spec.extraData).map(([name, value]) => [name, encodeText(value)]));
  const data = { token: encodeText(token), ...extraData };
  const object = await putSecret(context.client(CLUSTER), { key: spec.secret, labels: spec.labels, data }, signal);
  return [{ api: CLUSTER, kind: secrets, object }];
}
