import { isJsonObject, type JsonObject, type KubeObject, type Runtime } from '@outrigger/core';
import type { Identity } from '../handle/contract.js';
import type { Store } from '../store/contract.js';
import { storageKey } from '../store/key.js';
import { serviceAccountIdentity } from './identities.js';
import type { TokenSigner } from './jwt.js';

/** The audience (`aud`) and the issuer of tokens for this API server. */
export const API_AUDIENCE = 'https://kubernetes.default.svc.cluster.local';
const ISSUER: string = API_AUDIENCE;
const VERIFIED_KEPT = 4096;

export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

export interface TokenOrder {
  readonly account: KubeObject;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound?: BoundObject | undefined;
  /** The node of the pod that the token is bound to. It is added to the claims. */
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
}

export type TokenVerdict =
  | { readonly identity: Identity; readonly audiences: readonly string[] }
  /** A token that this server issued but that is not valid, or no longer valid. Clients may see the reason. */
  | { readonly problem: string };

/**
 * Issues tokens for ServiceAccounts and checks them: the signature, the times, the audience, and whether the account and the bound object
 * still exist.
 */
export class ServiceAccountTokens {
  readonly #runtime: Runtime;
  readonly #store: Store;
  readonly #signer: TokenSigner;
  /**
   * The claims of tokens whose signature has been verified, so that each signature is verified only once. All properties that can change
   * are checked for every request.
   */
  readonly #verified = new Map<string, JsonObject>();

  constructor(runtime: Runtime, store: Store, signer: TokenSigner) {
    this.#runtime = runtime;
    this.#store = store;
    this.#signer = signer;
  }

  issue({ account, audiences, expirationSeconds, bound, node }: TokenOrder): Promise<string> {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const now = this.#nowSeconds();
    return this.#signer.sign({
      aud: [...audiences],
      exp: now + expirationSeconds,
      iat: now,
      iss: ISSUER,
      jti: this.#runtime.random.uuid(),
      'kubernetes.io': {
        namespace,
        ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
        ...(node ? { node: { name: node.name, uid: node.uid } } : {}),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  /** Checks a token. Returns undefined for a token that this server did not sign. */
  async check(token: string, audiences: readonly string[]): Promise<TokenVerdict | undefined> {
    const claims = this.#verified.get(token) ?? (await this.#verify(token));
    if (!claims) return undefined;
    const granted = (Array.isArray(claims['aud']) ? claims['aud'] : []).map(String).filter((name) => audiences.includes(name));
    if (granted.length === 0) return { problem: 'the token is not meant for this audience' };
    const problem = this.#timeProblem(claims);
    return problem === undefined ? this.#resolve(claims, granted) : { problem };
  }

  async #verify(token: string): Promise<JsonObject | undefined> {
    const claims = await this.#signer.verify(token);
    if (!claims || claims['iss'] !== ISSUER) return undefined;
    if (this.#verified.size >= VERIFIED_KEPT) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }

  #timeProblem({ exp, nbf }: JsonObject): string | undefined {
    const now = this.#nowSeconds();
    if (typeof exp !== 'number' || exp <= now) return 'service account token has expired';
    return typeof nbf === 'number' && nbf > now + 60 ? 'service account token is not valid yet' : undefined;
  }

  #resolve(claims: JsonObject, audiences: readonly string[]): TokenVerdict {
    const own = isJsonObject(claims['kubernetes.io']) ? claims['kubernetes.io'] : {};
    const namespace = String(own['namespace'] ?? '');
    const account = reference(own['serviceaccount']);
    if (!account || this.#uidOf('serviceaccounts', namespace, account.name) !== account.uid) {
      return { problem: `service account ${namespace}/${account?.name ?? ''} does not exist (any more)` };
    }
    const pod = reference(own['pod']);
    const secret = reference(own['secret']);
    const node = reference(own['node']);
    if (pod && this.#uidOf('pods', namespace, pod.name) !== pod.uid) return INVALIDATED;
    if (secret && this.#uidOf('secrets', namespace, secret.name) !== secret.uid) return INVALIDATED;
    if (node && !pod && this.#uidOf('nodes', '', node.name) !== node.uid) return INVALIDATED;
    const tokenId = typeof claims['jti'] === 'string' ? claims['jti'] : undefined;
    return { identity: serviceAccountIdentity({ namespace, ...account, tokenId, pod, node }), audiences };
  }

  #uidOf(plural: string, namespace: string, name: string): string | undefined {
    return this.#store.get(storageKey({ group: '', plural, namespace, name }))?.object.metadata.uid;
  }

  #nowSeconds(): number {
    return Math.floor(this.#runtime.clock.now() / 1000);
  }
}

const INVALIDATED: TokenVerdict = { problem: 'service account token has been invalidated' };

function reference(value: unknown): { readonly name: string; readonly uid: string } | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, uid } = value;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}
