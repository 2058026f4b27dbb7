import type { Runtime } from '@outrigger/core';
import type { Identity } from '../handle/contract.js';
import type { Store } from '../store/contract.js';
import { bootstrapTokenIdentity } from './bootstrap-tokens.js';
import { API_AUDIENCE, type ServiceAccountTokens, type TokenVerdict } from './service-account-tokens.js';

/** Authenticates a bearer token. The verdict has a `problem` if the token is not valid. */
export type TokenAuthenticator = (token: string, audiences?: readonly string[]) => Promise<TokenVerdict>;

export function createTokenAuthenticator(runtime: Runtime, store: Store, serviceAccounts: ServiceAccountTokens): TokenAuthenticator {
  return async (token, audiences = [API_AUDIENCE]) => {
    const bootstrap: Identity | undefined = bootstrapTokenIdentity(store, token, runtime.clock.now());
    if (bootstrap) return { identity: bootstrap, audiences };
    return (await serviceAccounts.check(token, audiences)) ?? { problem: 'invalid bearer token' };
  };
}
