import {
  CLIENT_CERTIFICATE_USAGES,
  type CertificateSigningRequest,
  type Secret,
  certificateSigningRequests,
  secrets,
} from '@outrigger/api';
import {
  ApiError,
  type Keys,
  type ObjectKey,
  type Random,
  TerminalError,
  ifFound,
  isApiError,
  decodeText,
  encodeText,
  keyOf,
} from '@outrigger/core';
import { createCsr, exportPrivateKey, readCertificate } from '@outrigger/core/x509';
import type { Client, EffectContext, EffectHandlers, Written } from '@outrigger/kube';
import { CLUSTER, HUB } from '../resources/apis.js';
import type { AskInput, BeginInput, CredentialEffects, ReaddressInput, StoreInput } from './actions.js';
import { type ExaminedCertificates, readFacts, withFacts } from './certificates.js';
import { ensureNamespace } from './ensure-namespace.js';
import { type KeyPair, importKeyPair } from './key-pair.js';
import { type CredentialSpec, requestDigest } from './machine.js';
import {
  CREDENTIAL_ID_ANNOTATION,
  CREDENTIAL_LABEL,
  REQUESTER_ANNOTATION,
  REQUEST_ANNOTATION,
  REQUEST_DIGEST_ANNOTATION,
  pendingKeyName,
} from './secrets.js';
import { putSecret } from './put-secret.js';

export interface CredentialEffectOptions {
  /** The namespace of the Secrets with pending keys. */
  readonly namespace: string;
}

/** The maximum length of the prefix of a request's name, which leaves room for the suffix within the 253 characters of a name. */
const MAX_PREFIX = 248;

/** Returns the effects of a credential's steps. Private keys are in memory only inside these functions. */
export function credentialEffects(options: CredentialEffectOptions): EffectHandlers<CredentialEffects, ExaminedCertificates> {
  return {
    async examine({ certificate }, { runtime, remember }) {
      const facts = await readFacts(certificate, runtime.keys, runtime.clock);
      remember((examined) => withFacts(examined, certificate, facts));
    },
    begin: (input, context) => begin(input, context, options.namespace),
    readdress: (input, context) => readdress(input, context, options.namespace),
    ask: (input, context) => ask(input, context, options.namespace),
    store: (input, context) => store(input, context, options.namespace),
  };
}

async function begin({ spec }: BeginInput, context: EffectContext, namespace: string): Promise<readonly Written[]> {
  const { runtime, signal } = context;
  const cluster = context.client(CLUSTER);
  const key = (await keptKey(spec.reuseKeyOf, context)) ?? (await newKey(runtime.keys));
  await ensureNamespace(cluster, namespace, signal);
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: pendingKeyName(spec.id),
      namespace,
      labels: { [CREDENTIAL_LABEL]: 'pending' },
      annotations: requestAnnotations(spec, runtime.random),
    },
    type: 'Opaque',
    data: { 'tls.key': encodeText(key) },
  };
  return [{ api: CLUSTER, kind: secrets, object: await createOnce(cluster, secret, signal) }];
}

/** Returns the annotations of a pending key, with a new name for its request. */
function requestAnnotations(spec: CredentialSpec, random: Random): Readonly<Record<string, string>> {
  const suffix = Array.from(random.bytes(5), (byte) => (byte % 36).toString(36)).join('');
  return {
    [CREDENTIAL_ID_ANNOTATION]: spec.id,
    [REQUEST_ANNOTATION]: `${spec.requestPrefix.slice(0, MAX_PREFIX)}${suffix}`,
    [REQUEST_DIGEST_ANNOTATION]: requestDigest(spec),
    ...(spec.requester === undefined ? {} : { [REQUESTER_ANNOTATION]: spec.requester }),
  };
}

/**
 * Gives the pending key the name of a new request. If the agent has joined before, the key of its certificate replaces the pending key,
 * because the hub may not know a pending key that was created for a renewal. Otherwise the pending key stays, because the hub may already
 * have recorded it. One write changes the name and the key, so that a crash loses no key.
 */
async function readdress({ spec, pendingUid }: ReaddressInput, context: EffectContext, namespace: string): Promise<readonly Written[]> {
  const { runtime, signal } = context;
  const found = await pendingSecret(spec, pendingUid, context, namespace);
  // An earlier attempt made this change, but its response was lost.
  if (found.metadata.annotations?.[REQUESTER_ANNOTATION] === spec.requester) return [{ api: CLUSTER, kind: secrets, object: found }];
  const kept = await keptKey(spec.reuseKeyOf, context);
  const annotations = { ...found.metadata.annotations, ...requestAnnotations(spec, runtime.random) };
  const data = kept === undefined ? found.data : { ...found.data, 'tls.key': encodeText(kept) };
  const next: Secret = { ...found, metadata: { ...found.metadata, annotations }, ...(data ? { data } : {}) };
  return [{ api: CLUSTER, kind: secrets, object: await context.client(CLUSTER).replace<Secret>(secrets, next, { signal }) }];
}

/** Creates the pending key, or returns the one that an earlier attempt created without receiving the response. */
async function createOnce(cluster: Client, secret: Secret, signal: AbortSignal): Promise<Secret> {
  try {
    return await cluster.create<Secret>(secrets, secret, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const found = await ifFound(cluster.get<Secret>(secrets, keyOf(secret), { signal }));
    // The cache of pending keys contains only Secrets with this label. If the existing Secret lacks it, no pass would observe the Secret,
    // so the error is reported.
    if (found?.metadata.labels?.[CREDENTIAL_LABEL] !== 'pending') throw error;
    return found;
  }
}

/** Returns the private key of a Secret, or undefined if the Secret does not exist or has no usable key. */
async function keptKey(from: ObjectKey | undefined, { client, runtime, signal }: EffectContext): Promise<string | undefined> {
  if (!from) return undefined;
  const secret = await ifFound(client(CLUSTER).get<Secret>(secrets, from, { signal }));
  const key = decodeText(secret?.data?.['tls.key'] ?? '');
  return importKeyPair(runtime.keys, key).then(
    () => key,
    () => undefined,
  );
}

async function newKey(keys: Keys): Promise<string> {
  const { privateKey } = await keys.generate('P-256');
  return exportPrivateKey(keys, privateKey);
}

/** Requests a certificate. The request's name was chosen together with the key, so a repeated create does not create a second request. */
async function ask({ spec, pendingUid, requestName }: AskInput, context: EffectContext, namespace: string): Promise<readonly Written[]> {
  const { runtime, signal } = context;
  const { pair } = await pendingPair(spec, pendingUid, context, namespace);
  const csr = await createCsr(runtime.keys, {
    keyPair: pair,
    commonName: spec.user,
    organizations: spec.groups,
    organizationalUnits: spec.units,
    dnsNames: spec.dnsNames,
  });
  const request: CertificateSigningRequest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: requestName, labels: spec.requestLabels },
    spec: {
      request: encodeText(csr),
      signerName: spec.signerName,
      usages: CLIENT_CERTIFICATE_USAGES,
      ...(spec.expirationSeconds === undefined ? {} : { expirationSeconds: spec.expirationSeconds }),
    },
  };
  try {
    return [
      {
        api: HUB,
        kind: certificateSigningRequests,
        object: await context.client(HUB).create(certificateSigningRequests, request, { signal }),
      },
    ];
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return [];
    throw error;
  }
}

/** Stores the credential and then deletes the pending key. After a crash in between, both exist, and the next pass only deletes the key. */
async function store(
  { spec, pendingUid, certificate }: StoreInput,
  context: EffectContext<ExaminedCertificates>,
  namespace: string,
): Promise<readonly Written[]> {
  const { runtime, signal } = context;
  const cluster = context.client(CLUSTER);
  const { pem, pair, secret } = await pendingPair(spec, pendingUid, context, namespace);
  const chain = decodeText(certificate);
  const issued = await readable(readCertificate(runtime.keys, chain), 'the certificate that the hub issued cannot be read');
  if (!sameBytes(issued.publicKey.spki, pair.spki)) {
    // Another client created a request with the same name, so this key will never get a certificate.
    runtime.log.warn({ credential: spec.id }, 'certificate does not match the key of its request');
    await removePending(cluster, secret, signal);
    return [];
  }
  const facts = await readFacts(chain, runtime.keys, runtime.clock);
  context.remember((examined) => withFacts(examined, chain, facts));
  const extraData = Object.fromEntries(Object.entries(spec.extraData).map(([name, value]) => [name, encodeText(value)]));
  const object = await putSecret(
    cluster,
    { key: spec.secret, labels: spec.labels, data: { 'tls.crt': certificate, 'tls.key': encodeText(pem), ...extraData } },
    signal,
  );
  await removePending(cluster, secret, signal);
  return [{ api: CLUSTER, kind: secrets, object }];
}

interface PendingPair {
  readonly pem: string;
  readonly pair: KeyPair;
  readonly secret: Secret;
}

async function pendingPair(spec: CredentialSpec, uid: string, context: EffectContext, namespace: string): Promise<PendingPair> {
  const secret = await pendingSecret(spec, uid, context, namespace);
  const pem = decodeText(secret.data?.['tls.key'] ?? '');
  const problem = `Secret ${namespace}/${pendingKeyName(spec.id)} has no readable private key; delete it, and the agent creates another`;
  return { pem, pair: await readable(importKeyPair(context.runtime.keys, pem), problem), secret };
}

/**
 * Reads the pending key that the pass has observed. If it was deleted since, for example by a `store` whose response was lost, the cache is
 * stale: the next pass decides on newer caches, and there is no error to report.
 */
async function pendingSecret(spec: CredentialSpec, uid: string, context: EffectContext, namespace: string): Promise<Secret> {
  const { signal } = context;
  const key = { namespace, name: pendingKeyName(spec.id) };
  const secret = await ifFound(context.client(CLUSTER).get<Secret>(secrets, key, { signal }));
  if (secret?.metadata.uid !== uid)
    throw new ApiError('Conflict', `the caches are behind: Secret ${namespace}/${key.name} was deleted or replaced`);
  return secret;
}

/**
 * If a key or certificate cannot be read, fails with an error that is not retried, because it persists until a user changes the object. The
 * original error is omitted, because it may quote the key.
 */
async function readable<T>(reading: Promise<T>, problem: string): Promise<T> {
  return reading.catch(() => {
    throw new TerminalError(problem);
  });
}

async function removePending(cluster: Client, { metadata }: Secret, signal: AbortSignal): Promise<void> {
  const { name = '', namespace = '', uid = '' } = metadata;
  try {
    await cluster.delete(secrets, { name, namespace }, { precondition: { uid }, signal });
  } catch (error) {
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
