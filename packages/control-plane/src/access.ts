import type { Cancel, Runtime } from '@outrigger/core';
import { parseCsr } from '@outrigger/core/x509';
import { createTokenAuthenticator, type TokenAuthenticator } from './auth/authenticator.js';
import type { Credentials } from './auth/credentials.js';
import { issuerDocuments } from './auth/issuer-documents.js';
import { ServiceAccountTokens } from './auth/service-account-tokens.js';
import { tokenReviews } from './auth/token-reviews.js';
import { createAuthorizer, followPolicy } from './authz/authorizer.js';
import { certificateChecks } from './authz/certificate-admission.js';
import { escalationChecks } from './authz/escalation.js';
import { PolicyIndex } from './authz/policy-index.js';
import { accessReviews } from './authz/reviews.js';
import type { ServerAdmission, Authorizer, NonResourceDocument, VirtualHandlers } from './handle/contract.js';
import type { Store } from './store/contract.js';

/** Authorizes requests to one store, and handles the kinds that review access to it. */
export interface AccessControl {
  readonly authorize: Authorizer;
  readonly authenticateToken: TokenAuthenticator;
  readonly admission: readonly ServerAdmission[];
  readonly virtual: VirtualHandlers;
  /** The documents about the issuer of ServiceAccount tokens, by path. */
  readonly documents: Readonly<Record<string, NonResourceDocument>>;
  readonly stop: Cancel;
}

export function createAccessControl(runtime: Runtime, store: Store, credentials: Credentials): AccessControl {
  const policy = new PolicyIndex();
  const stop = followPolicy(store, policy);
  const authorize = createAuthorizer(policy);
  const tokens = new ServiceAccountTokens(runtime, store, credentials.tokens);
  const authenticateToken = createTokenAuthenticator(runtime, store, tokens);
  return {
    authorize,
    authenticateToken,
    admission: [escalationChecks(policy, authorize), certificateChecks(authorize, (request) => organizationsOf(runtime, request))],
    virtual: { ...accessReviews(policy, authorize), ...tokenReviews({ runtime, store, tokens, authenticate: authenticateToken }) },
    documents: issuerDocuments(credentials.tokens),
    stop,
  };
}

async function organizationsOf(runtime: Runtime, request: string): Promise<readonly string[]> {
  const { subject } = await parseCsr(runtime.keys, Buffer.from(request, 'base64').toString('utf8'));
  return subject.organizations;
}
