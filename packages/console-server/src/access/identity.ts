import { type SelfSubjectReview, selfSubjectReviews } from '@outrigger/api';
import { type KubeObject, type Kind, ApiError, apiVersionOf } from '@outrigger/core';
import type { Client } from '@outrigger/kube';

/** A user as authenticated by the API server. */
export interface Identity {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface TokenReview extends KubeObject {
  readonly spec: { readonly token: string };
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
    readonly error?: string;
  };
}

const tokenReviews: Kind<TokenReview> = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
};

/** Maximum length of a token that is sent to the API server. */
const MAX_TOKEN_LENGTH = 16_384;

/** Returns the user of a token, or undefined if the API server rejects the token or names no user. */
export async function reviewToken(client: Client, token: string): Promise<Identity | undefined> {
  if (token === '' || token.length > MAX_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) return undefined;
  const { status } = await client.create(tokenReviews, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    metadata: {},
    spec: { token },
  });
  const user = status?.user?.username;
  if (status?.authenticated !== true || typeof user !== 'string' || user === '' || user === 'system:anonymous') return undefined;
  return { user, uid: status.user?.uid ?? '', groups: status.user?.groups ?? [], extra: status.user?.extra ?? {} };
}

/** The name of the user that the client acts as, according to the API server. */
export async function userNameOf(client: Client): Promise<string> {
  const review: SelfSubjectReview = { apiVersion: apiVersionOf(selfSubjectReviews), kind: selfSubjectReviews.kind, metadata: {} };
  const name = (await client.create(selfSubjectReviews, review)).status?.userInfo?.username;
  if (name) return name;
  throw new ApiError('InternalError', 'the API server does not report who you are, so nothing can be decided');
}
