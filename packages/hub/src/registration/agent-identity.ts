import { AGENT_IDENTITY_ANNOTATION } from '@outrigger/api';
import { type JsonObject, deepEqual, isJsonObject, parseJson, parseTime, toTime } from '@outrigger/core';

/**
 * The identity record: the hub's record of the agent that holds a cluster's name. It is an annotation on the cluster's Namespace, which
 * agents cannot write and which outlives the ManagedCluster. Without the identity record, a machine that used the name before could act as
 * the cluster that uses the name now.
 */
export interface AgentIdentity {
  /** Uid of the Namespace that stores the identity record. If the Namespace has another uid, it was restored from a backup. */
  readonly namespace?: string;
  /** Digest of the public key with which the agent last joined or renewed. */
  readonly key?: string;
  /**
   * Credential ids of the certificates that the agent may present, latest first. Empty if the agent's key is recorded but its first
   * certificate is not recorded yet. Absent if the credentials are unknown, because the cluster joined before the hub kept records.
   */
  readonly credentials?: readonly string[];
  /**
   * Digests of the public keys of the certificates in `credentials` other than the latest, by credential id. An agent that lost its latest
   * certificate before storing it joins again with the key of an earlier one.
   */
  readonly earlierKeys?: Readonly<Record<string, string>>;
  /** Creation time, on the API server's clock, of the last recorded request. */
  readonly requestedAt?: string;
  /** When the last certificate of the cluster and its add-ons expires, rounded up to the hour. */
  readonly until?: string;
  /** When the cluster was detached. No machine has held the name since then. */
  readonly detached?: string;
  /** Whether an administrator has confirmed that the name may be reused before `until`. */
  readonly reuse?: true;
}

/** The part of an issued certificate that the identity record needs. */
export interface IssuedCertificate {
  readonly holder: 'cluster' | 'add-on';
  /** Whether the agent requested the certificate with its previous certificate instead of the bootstrap credential. */
  readonly isRenewal: boolean;
  readonly credentialId: string;
  /** Credential id of the requester; undefined if the API server does not send it. */
  readonly requesterCredential: string | undefined;
  readonly key: string;
  readonly requestedAt: string;
  /** When the certificate expires, in milliseconds since the epoch. */
  readonly endsAt: number;
}

/**
 * The maximum number of certificates in the identity record. It is more than one because an agent that lost its latest certificate before
 * storing it may reconnect with an earlier one.
 */
const KEPT_CREDENTIALS = 4;
const HOUR_MS = 3_600_000;
const CREDENTIAL_EXTRA = 'authentication.kubernetes.io/credential-id';

/** The credential id that the API server assigns to a client certificate. */
export function certificateCredential(sha256: string): string {
  return `X509SHA256=${sha256}`;
}

/** The credential id of the client certificate that a request was made with; undefined if the API server does not send it. */
export function requesterCredential(extra: Readonly<Record<string, readonly string[]>> | undefined): string | undefined {
  return extra?.[CREDENTIAL_EXTRA]?.find((id) => id.startsWith(certificateCredential('')));
}

/** Parses the identity record. Returns undefined if the text is not a JSON object. Ignores fields of another type. */
export function readIdentity(text: string | undefined): AgentIdentity | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { credentials, earlierKeys, reuse } = value;
  const texts = ['namespace', 'key', 'requestedAt', 'until', 'detached'].filter((name) => typeof value[name] === 'string');
  return {
    ...Object.fromEntries(texts.map((name) => [name, value[name]])),
    ...(Array.isArray(credentials) ? { credentials: credentials.filter((id) => typeof id === 'string') } : {}),
    ...(isJsonObject(earlierKeys) ? { earlierKeys: textsOf(earlierKeys) } : {}),
    ...(reuse === true ? { reuse } : {}),
  };
}

function textsOf(value: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : [])));
}

/** Whether a public key is a key of the agent in the identity record. */
export function hasKey({ key, earlierKeys = {} }: AgentIdentity, digest: string): boolean {
  return key === digest || Object.values(earlierKeys).includes(digest);
}

/** The patch to a Namespace's metadata that stores the identity record. */
export function identityPatch(identity: AgentIdentity): JsonObject {
  return { metadata: { annotations: { [AGENT_IDENTITY_ANNOTATION]: JSON.stringify(identity) } } };
}

/**
 * Returns the identity record for an agent that joins with this key. From now on the agent holds the name, and no earlier credential is
 * accepted.
 */
export function admitted(identity: AgentIdentity | undefined, key: string): AgentIdentity {
  return { key, credentials: [], ...(identity?.requestedAt ? { requestedAt: identity.requestedAt } : {}), ...untilOf(identity) };
}

/** Returns the identity record after a certificate was issued, or the same object if nothing changes. */
export function withIssued(identity: AgentIdentity | undefined, issued: IssuedCertificate): AgentIdentity {
  const known = identity ?? {};
  const until = toTime(Math.ceil(Math.max(issued.endsAt, parseTime(known.until) ?? 0) / HOUR_MS) * HOUR_MS);
  const changed: AgentIdentity = { ...withHolder(known, issued), until };
  return identity && deepEqual(changed, identity) ? identity : changed;
}

function withHolder(known: AgentIdentity, issued: IssuedCertificate): AgentIdentity {
  const { credentialId, requesterCredential: requester, key, requestedAt } = issued;
  if (isNewHolder(known, issued)) {
    const { detached: _, reuse: __, earlierKeys: ___, ...kept } = known;
    return { ...kept, key, credentials: [credentialId], requestedAt };
  }
  if (!issued.isRenewal || !isRenewalOfHolder(known, issued)) return known;
  const latest = [credentialId, ...(requester === undefined ? [] : [requester]), ...(known.credentials ?? [])];
  const credentials = [...new Set(latest)].slice(0, KEPT_CREDENTIALS);
  return { ...known, key, credentials, ...earlierKeysOf(known, requester, credentials), requestedAt };
}

/** Returns the known keys of all `credentials` except the first. `known.key` is the key of the latest credential in `known`. */
function earlierKeysOf(
  known: AgentIdentity,
  requester: string | undefined,
  credentials: readonly string[],
): Pick<AgentIdentity, 'earlierKeys'> {
  const latest = known.credentials?.[0] ?? requester;
  const keys = new Map(Object.entries(known.earlierKeys ?? {}));
  if (latest !== undefined && known.key !== undefined) keys.set(latest, known.key);
  const entries = credentials.slice(1).flatMap((id) => {
    const key = keys.get(id);
    return key === undefined ? [] : [[id, key] as const];
  });
  return entries.length === 0 ? {} : { earlierKeys: Object.fromEntries(entries) };
}

/**
 * Whether the certificate makes its machine the new holder of the cluster's name. The machine must have requested the certificate with a
 * bootstrap credential. If the hub has recorded the key of a joining machine, the certificate must have this key. Otherwise a user approved
 * the request, which must then be newer than all recorded requests. Requests, including those from an earlier holder, stay on the hub for
 * an hour, and their times have a resolution of one second.
 */
function isNewHolder(known: AgentIdentity, { holder, isRenewal, credentialId, key, requestedAt }: IssuedCertificate): boolean {
  if (holder === 'add-on' || isRenewal || known.credentials?.includes(credentialId)) return false;
  return isAdmitted(known) ? key === known.key : known.requestedAt === undefined || isOlder(known.requestedAt, requestedAt);
}

/** Whether the holder of the name requested the certificate, and no later certificate is recorded. */
function isRenewalOfHolder(
  known: AgentIdentity,
  { holder, credentialId, requesterCredential: requester, requestedAt }: IssuedCertificate,
): boolean {
  const credentials = known.credentials ?? [];
  if (holder === 'add-on' || known.detached !== undefined || isAdmitted(known) || credentials.includes(credentialId)) return false;
  if (credentials.length > 0 && requester !== undefined && !credentials.includes(requester)) return false;
  return !isOlder(requestedAt, known.requestedAt);
}

/** Whether the key of a machine is recorded and its first certificate is not recorded yet. */
function isAdmitted({ credentials }: AgentIdentity): boolean {
  return credentials?.length === 0;
}

function isOlder(time: string, than: string | undefined): boolean {
  return than !== undefined && (parseTime(time) ?? 0) < (parseTime(than) ?? 0);
}

/** Records that the cluster was removed from the hub; its credentials are no longer accepted. */
export function withDetach(identity: AgentIdentity, now: string): AgentIdentity {
  return identity.detached === undefined ? { ...identity, detached: now } : identity;
}

/** The time, in milliseconds since the epoch, until which the name of a detached cluster is taken; undefined if the name is free. */
export function heldUntil(identity: AgentIdentity | undefined, nowMs: number): number | undefined {
  if (identity?.detached === undefined || identity.reuse) return undefined;
  const until = parseTime(identity.until);
  return until !== undefined && until > nowMs ? until : undefined;
}

/** Whether a requester's credential belongs to the cluster that has the name now. */
export type CredentialStanding =
  | 'own'
  /** The certificate may be a recent one that the hub has not recorded yet. */
  | 'pending'
  | 'foreign';

/** `isRecording` returns whether a certificate of the cluster is being issued, or was issued but is not in the identity record yet. */
export function credentialStanding(
  identity: AgentIdentity | undefined,
  credential: string | undefined,
  isRecording: () => boolean,
): CredentialStanding {
  if (identity?.detached !== undefined) return isRecording() ? 'pending' : 'foreign';
  if (credential === undefined || identity?.credentials === undefined || identity.credentials.includes(credential)) return 'own';
  return isAdmitted(identity) || isRecording() ? 'pending' : 'foreign';
}

function untilOf(identity: AgentIdentity | undefined): Partial<AgentIdentity> {
  return identity?.until === undefined ? {} : { until: identity.until };
}
