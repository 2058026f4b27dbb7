import {
  AGENT_NAMESPACE,
  ALL_CLUSTER_AGENTS_GROUP,
  CLUSTER_NAME_LABEL,
  KUBE_CLIENT_SIGNER,
  clusterAgentGroup,
  clusterAgentUser,
} from '@outrigger/api';
import { type HubEndpoint, hubKubeconfig } from '../credentials/hub-kubeconfig.js';
import type { CredentialSpec } from '../credentials/machine.js';
import { CREDENTIAL_LABEL } from '../credentials/secrets.js';

/** The Secret with which an agent joins. The user who installs the agent creates it. */
export const BOOTSTRAP_SECRET_NAME = 'bootstrap-hub-kubeconfig';
/** The Secret with the agent's own credential. */
export const HUB_SECRET_NAME = 'hub-kubeconfig-secret';
export const DEFAULT_AGENT_NAMESPACE: string = AGENT_NAMESPACE;

export interface OwnIdentity {
  readonly clusterName: string;
  readonly agentName: string;
  /** The namespace in which the agent keeps its Secrets. */
  readonly namespace: string;
  readonly certificateSeconds: number | undefined;
  /** The names of the agent's Secrets. Defaults to the names that upstream's agent uses. */
  readonly secretNames?: SecretNames | undefined;
}

/** The names of the agent's Secrets, if they differ from upstream's. */
export interface SecretNames {
  readonly bootstrap?: string | undefined;
  readonly hub?: string | undefined;
}

export function bootstrapSecretName({ secretNames }: OwnIdentity): string {
  return secretNames?.bootstrap ?? BOOTSTRAP_SECRET_NAME;
}

export function ownSecretKey({ namespace, secretNames }: OwnIdentity): { readonly namespace: string; readonly name: string } {
  return { namespace, name: secretNames?.hub ?? HUB_SECRET_NAME };
}

/** The value of `requester` in the spec for an agent that has joined, which sends requests with its certificate. */
const CERTIFIED = 'certificate';

/**
 * Returns the spec of the agent's own certificate. An agent that joins again keeps its key, by which the hub recognizes it. `joiner` is the
 * identity with which an agent joins; undefined for an agent that has joined.
 */
export function ownSpec(identity: OwnIdentity, endpoint: HubEndpoint, joiner: string | undefined): CredentialSpec {
  const { clusterName, agentName, certificateSeconds } = identity;
  return {
    id: 'cluster',
    secret: ownSecretKey(identity),
    labels: { [CREDENTIAL_LABEL]: 'cluster' },
    signerName: KUBE_CLIENT_SIGNER,
    user: clusterAgentUser(clusterName, agentName),
    groups: [clusterAgentGroup(clusterName), ALL_CLUSTER_AGENTS_GROUP],
    units: [],
    dnsNames: [],
    expirationSeconds: certificateSeconds,
    requestPrefix: `${clusterName}-`,
    requestLabels: { [CLUSTER_NAME_LABEL]: clusterName },
    extraData: { 'cluster-name': clusterName, 'agent-name': agentName, kubeconfig: hubKubeconfig(endpoint, 'certificate') },
    requester: joiner ?? CERTIFIED,
    ...(joiner === undefined ? {} : { reuseKeyOf: ownSecretKey(identity) }),
  };
}
