import type { NonResourceDocument } from '../handle/contract.js';
import type { TokenSigner } from './jwt.js';
import { API_AUDIENCE as ISSUER } from './service-account-tokens.js';

const KEYS_PATH = '/openid/v1/jwks';

/** The paths of the documents, as roles name them. */
export const ISSUER_PATHS: readonly string[] = ['/.well-known/openid-configuration', KEYS_PATH];

/**
 * Returns the documents with which other programs verify ServiceAccount tokens without asking this server: the OpenID Connect configuration of
 * the issuer, and its public key. The address of the keys is below that of the issuer, because this server does not know the addresses
 * at which clients reach it.
 */
export function issuerDocuments({ publicKey }: Pick<TokenSigner, 'publicKey'>): Readonly<Record<string, NonResourceDocument>> {
  const configuration = {
    issuer: ISSUER,
    jwks_uri: `${ISSUER}${KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [publicKey.alg],
  };
  return {
    '/.well-known/openid-configuration': { contentType: 'application/json', body: configuration },
    [KEYS_PATH]: { contentType: 'application/jwk-set+json', body: { keys: [publicKey] } },
  };
}
