import type { AnyController, Resource } from '@outrigger/kube';
import { type ClaimLimits, DEFAULT_CLAIM_LIMITS } from './cluster/claims.js';
import { clusterController } from './cluster/controller.js';
import { leaseController } from './cluster/lease.js';
import type { HubEndpoint } from './credentials/hub-kubeconfig.js';
import { addOnCredentials, pendingKeys } from './credentials/secrets.js';
import { MissingKinds } from './missing-kinds.js';
import { namespacesController } from './namespaces/controller.js';
import { healthController } from './health/controller.js';
import { type CertificateUse, joinController } from './join/controller.js';
import { watchedRequests } from './join/own-requests.js';
import { DEFAULT_AGENT_NAMESPACE, type OwnIdentity } from './join/own-spec.js';
import { registrationController } from './registration/controller.js';
import type { KubeClientDriver, RegistrationSettings } from './registration/specs.js';
import type { AddOnApiVersion, ClusterAddOnProjection } from './resources/add-ons.js';
import { managedNamespaces } from './resources/managed-namespaces.js';
import type { OwnClusterProjection } from './resources/own-cluster.js';
import { requests } from './resources/requests.js';

export interface AgentSettings {
  /** The way in which add-ons authenticate to the hub. Defaults to `csr`. */
  readonly driver?: KubeClientDriver;
  /** The requested lifetime of certificates. If it is absent, the signer decides. */
  readonly certificateSeconds?: number;
  /** The requested lifetime of tokens. Defaults to one year. */
  readonly tokenSeconds?: number;
  readonly claimLimits?: ClaimLimits;
  /** Whether to report the cluster's ClusterProperties (about.k8s.io) as claims too. Defaults to false. */
  readonly reportsProperties?: boolean;
  /** The version of the agent, which it writes to the Lease of the cluster. */
  readonly version?: string;
}

export interface IdentityOptions {
  readonly clusterAddOns: Resource<ClusterAddOnProjection>;
  readonly ownCluster: Resource<OwnClusterProjection>;
  readonly clusterName: string;
  readonly hubServer: string;
  /** The connection of add-ons to the hub. Defaults to `hubServer`, with the CA certificates that the machine trusts. */
  readonly hubEndpoint?: HubEndpoint;
  /** The namespace of the Secrets with pending keys. */
  readonly namespace?: string;
  /** Default: v1alpha1. */
  readonly addOnApiVersion?: AddOnApiVersion;
  readonly settings?: AgentSettings;
  /** The identity for which the agent renews its own certificate; undefined if another process renews it. */
  readonly own?: { readonly identity: OwnIdentity; readonly use: CertificateUse };
  /** The kinds that the agent cannot read. The status of the cluster lists them. */
  readonly missing?: MissingKinds;
}

const YEAR_SECONDS = 365 * 24 * 3600;

/** Returns the controllers for the identity and health of the cluster and its add-ons: certificates, tokens, leases, status. */
export function identityControllers(options: IdentityOptions): readonly AnyController[] {
  const { clusterName, own, settings = {}, addOnApiVersion = 'v1alpha1', namespace = DEFAULT_AGENT_NAMESPACE } = options;
  const hub = options.hubEndpoint ?? { server: options.hubServer, name: 'hub' };
  const resources = {
    clusterAddOns: options.clusterAddOns,
    requests: requests(clusterName, own !== undefined),
    credentials: addOnCredentials(clusterName),
    pendingKeys: pendingKeys(namespace),
    ownCluster: options.ownCluster,
  };
  const registration: RegistrationSettings = {
    clusterName,
    hub,
    driver: settings.driver ?? 'csr',
    certificateSeconds: settings.certificateSeconds,
    tokenSeconds: settings.tokenSeconds ?? YEAR_SECONDS,
  };
  const namespaces = managedNamespaces(hub.server);
  return [
    clusterController({
      clusterName,
      ownCluster: resources.ownCluster,
      claimLimits: settings.claimLimits ?? DEFAULT_CLAIM_LIMITS,
      reportsProperties: settings.reportsProperties ?? false,
      missing: options.missing ?? new MissingKinds({ name: clusterName }),
    }),
    leaseController({ clusterName, ownCluster: resources.ownCluster, version: settings.version }),
    namespacesController({ clusterName, hubServer: hub.server, ownCluster: resources.ownCluster, namespaces }),
    registrationController({ ...resources, settings: registration, addOnApiVersion, namespace }),
    healthController({ ...resources, clusterName, addOnApiVersion }),
    ...(own
      ? [joinController({ ...resources, ...own, endpoint: hub, requests: watchedRequests(resources.requests, { name: clusterName }) })]
      : []),
  ];
}
