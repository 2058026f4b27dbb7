import { ApiError, type KubeObject, toTime, type Runtime } from '@outrigger/core';
import type { Identity, VirtualHandlers, VirtualRequest } from '../handle/contract.js';
import type { Store } from '../store/contract.js';
import { storageKey } from '../store/key.js';
import type { TokenAuthenticator } from './authenticator.js';
import { API_AUDIENCE, type BoundObject, type ServiceAccountTokens } from './service-account-tokens.js';

const DEFAULT_EXPIRATION_SECONDS = 3600;
const SHORTEST_EXPIRATION_SECONDS = 600;
const LONGEST_EXPIRATION_SECONDS = 2 ** 32;

interface TokenRequest extends KubeObject {
  readonly spec?: {
    readonly audiences?: readonly string[] | null;
    readonly expirationSeconds?: number | null;
    readonly boundObjectRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
      readonly uid?: string;
    } | null;
  };
}

interface TokenReview extends KubeObject {
  readonly spec?: { readonly token?: string; readonly audiences?: readonly string[] };
}

interface Pod extends KubeObject {
  readonly spec?: { readonly serviceAccountName?: string; readonly nodeName?: string };
}

export interface TokenServices {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly tokens: ServiceAccountTokens;
  readonly authenticate: TokenAuthenticator;
}

/** Returns the handlers of the kinds that issue and review tokens. These kinds are never stored. */
export function tokenReviews(services: TokenServices): VirtualHandlers {
  return {
    '/serviceaccounts/token': (request) => issueToken(request, services),
    'authentication.k8s.io/tokenreviews': (request) => reviewToken(request.object, services.authenticate),
    'authentication.k8s.io/selfsubjectreviews': async ({ object, identity }) =>
      ({ ...object, status: { userInfo: userInfo(identity) } }) as KubeObject,
  };
}

async function reviewToken(review: TokenReview, authenticate: TokenAuthenticator): Promise<KubeObject> {
  const { token = '', audiences } = review.spec ?? {};
  if (token === '') throw new ApiError('BadRequest', 'token is required for TokenReview in authentication');
  const verdict = await authenticate(token, audiences?.length ? audiences : undefined);
  const status =
    'identity' in verdict
      ? { authenticated: true, user: userInfo(verdict.identity), audiences: verdict.audiences }
      : { user: {}, error: verdict.problem };
  return { ...review, status } as KubeObject;
}

async function issueToken(request: VirtualRequest, { runtime, store, tokens }: TokenServices): Promise<KubeObject> {
  const { object, parent, namespace, name } = request;
  if (!parent) throw new ApiError('NotFound', `serviceaccounts "${name}" not found`, { details: { name, kind: 'serviceaccounts' } });
  const { spec = {} } = object as TokenRequest;
  const expirationSeconds = spec.expirationSeconds ?? DEFAULT_EXPIRATION_SECONDS;
  refuseBadLifetime(expirationSeconds);
  const audiences = spec.audiences?.length ? spec.audiences : [API_AUDIENCE];
  const binding = spec.boundObjectRef ? resolveBinding(spec.boundObjectRef, namespace, name, store) : {};
  const now = runtime.clock.now();
  const token = await tokens.issue({ account: parent, audiences, expirationSeconds, ...binding });
  return {
    ...object,
    metadata: { name, namespace, uid: parent.metadata.uid, creationTimestamp: toTime(now) },
    spec: { audiences, expirationSeconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: toTime(now + expirationSeconds * 1000) },
  } as KubeObject;
}

function refuseBadLifetime(seconds: number): void {
  const why =
    seconds < SHORTEST_EXPIRATION_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > LONGEST_EXPIRATION_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why === undefined) return;
  const message = `Invalid value: ${seconds}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'spec.expirationSeconds' }];
  throw new ApiError('Invalid', `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${message}`, {
    details: { group: 'authentication.k8s.io', kind: 'TokenRequest', causes },
  });
}

type BoundObjectRef = NonNullable<NonNullable<TokenRequest['spec']>['boundObjectRef']>;
type Binding = { readonly bound: BoundObject; readonly node?: { readonly name: string; readonly uid: string } };

const BINDABLE = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const;

function resolveBinding(ref: BoundObjectRef, namespace: string, account: string, store: Store): Binding {
  const { apiVersion = 'v1', kind = '', name = '' } = ref;
  if (apiVersion !== 'v1' || !Object.hasOwn(BINDABLE, kind)) {
    throw new ApiError('BadRequest', `cannot bind token to object of type ${apiVersion}, Kind=${kind}`);
  }
  const bindable = kind as keyof typeof BINDABLE;
  const plural = BINDABLE[bindable];
  const found = store.get(storageKey({ group: '', plural, namespace: kind === 'Node' ? '' : namespace, name }))?.object;
  if (!found) throw new ApiError('NotFound', `${plural} "${name}" not found`, { details: { name, kind: plural } });
  const uid = found.metadata.uid ?? '';
  if (ref.uid && ref.uid !== uid) {
    const why = `the UID in the bound object reference (${ref.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw new ApiError('Conflict', `Operation cannot be fulfilled on ${kind} "${name}": ${why}`, { details: { name, kind } });
  }
  const bound: BoundObject = { kind: bindable, name, uid };
  return kind === 'Pod' ? { bound, ...podNode(found, account, store) } : { bound };
}

function podNode(pod: Pod, account: string, store: Store): { readonly node?: { readonly name: string; readonly uid: string } } {
  if (pod.spec?.serviceAccountName !== account) {
    throw new ApiError(
      'BadRequest',
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  const name = pod.spec.nodeName;
  if (name === undefined || name === '') return {};
  const node = store.get(storageKey({ group: '', plural: 'nodes', namespace: '', name }))?.object;
  return { node: { name, uid: node?.metadata.uid ?? '' } };
}

function userInfo({ user, uid, groups, extra }: Identity): object {
  return { username: user, ...(uid === undefined ? {} : { uid }), groups, ...(extra && Object.keys(extra).length > 0 ? { extra } : {}) };
}
