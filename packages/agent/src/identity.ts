import type { Cancel, Runtime } from '@outrigger/core';
import { type AnyController, type Manager, type Resource, type Watch, watch } from '@outrigger/kube';
import { type ClaimLimits, DEFAULT_CLAIM_LIMITS } from './cluster/claims.js';
import { CLUSTER_CONTROLLER, clusterController, isSumChanged } from './cluster/controller.js';
import { leaseController } from './cluster/lease.js';
import type { HubEndpoint } from './credentials/hub-kubeconfig.js';
import { addOnCredentials, pendingKeys } from './credentials/secrets.js';
import { MissingKinds } from './missing-kinds.js';
import { NAMESPACES_CONTROLLER, namespacesController } from './namespaces/controller.js';
import { healthController } from './health/controller.js';
import { LeaseWatches } from './health/leases.js';
import { joinController } from './join/controller.js';
import { watchedRequests } from './join/own-requests.js';
import { DEFAULT_AGENT_NAMESPACE, type OwnIdentity } from './join/own-spec.js';
import { registrationController } from './registration/controller.js';
import type { KubeClientDriver, RegistrationSettings } from './registration/specs.js';
import { type AddOnApiVersion, type AddOnRecord, addOns } from './resources/add-ons.js';
import { claims, properties } from './resources/claims.js';
import { managedNamespaces } from './resources/managed-namespaces.js';
import { nodes } from './resources/nodes.js';
import { type OwnClusterRecord, ownCluster } from './resources/own-cluster.js';
import { requests } from './resources/requests.js';

export interface AgentSettings {
  /** How add-ons authenticate to the hub. Default `csr`. */
  readonly driver?: KubeClientDriver;
  /** Requested lifetime of certificates; if absent, the signer decides. */
  readonly certificateSeconds?: number;
  /** Requested lifetime of tokens. Default one year. */
  readonly tokenSeconds?: number;
  readonly claimLimits?: ClaimLimits;
  /** Report the cluster's ClusterProperties (about.k8s.io) as claims too. Default no. */
  readonly tellsProperties?: boolean;
  /** The version of the agent, which the Lease of the cluster shows. */
  readonly version?: string;
}

export interface IdentityOptions {
  readonly runtime: Runtime;
  readonly clusterName: string;
  readonly hubServer: string;
  /** How add-ons reach the hub. Default: `hubServer`, with the authorities that the machine trusts. */
  readonly hubEndpoint?: HubEndpoint;
  /** The namespace of the Secrets with pending keys. */
  readonly namespace?: string;
  /** Default v1alpha1. */
  readonly addOnApiVersion?: AddOnApiVersion;
  readonly settings?: AgentSettings;
  /** Set if the agent also renews its own certificate. */
  readonly own?: { readonly identity: OwnIdentity; readonly stored: () => void };
  /** Kinds that cannot be read; the status of the cluster lists them. */
  readonly missing?: MissingKinds;
}

export interface Identity {
  readonly controllers: readonly AnyController[];
  readonly addOns: Resource<AddOnRecord>;
  readonly ownCluster: Resource<OwnClusterRecord>;
  /** Connects the watches that are added while running to the manager that runs the controllers. */
  attach(manager: Manager): void;
  /** Queues the cluster's key. */
  look(): void;
}

const YEAR_SECONDS = 365 * 24 * 3600;

/** The controllers for the identity and health of the cluster and its add-ons: certificates, tokens, leases, status. */
export function createIdentity(options: IdentityOptions): Identity {
  const { runtime, clusterName, own, settings = {}, addOnApiVersion = 'v1alpha1', namespace = DEFAULT_AGENT_NAMESPACE } = options;
  const hub = options.hubEndpoint ?? { server: options.hubServer, name: 'hub' };
  const resources = {
    addOns: addOns(clusterName, addOnApiVersion),
    requests: requests(clusterName),
    credentials: addOnCredentials(clusterName),
    pendingKeys: pendingKeys(namespace),
    ownCluster: ownCluster(clusterName),
  };
  const registration: RegistrationSettings = {
    clusterName,
    hub,
    driver: settings.driver ?? 'csr',
    certificateSeconds: settings.certificateSeconds,
    tokenSeconds: settings.tokenSeconds ?? YEAR_SECONDS,
  };
  const namespaces = managedNamespaces(hub.server);
  let running: Manager | undefined;
  const startWatch = (leaseWatch: Watch, onComplete: () => void): Cancel =>
    running?.watch('health', leaseWatch, onComplete) ?? ((): void => undefined);
  const leases = new LeaseWatches(startWatch, (name) => running?.enqueue('health', { namespace: clusterName, name }));
  const controllers = [
    clusterController({
      clusterName,
      ownCluster: resources.ownCluster,
      claimLimits: settings.claimLimits ?? DEFAULT_CLAIM_LIMITS,
      tellsProperties: settings.tellsProperties ?? false,
      missing: options.missing ?? new MissingKinds(),
    }),
    leaseController({ clusterName, ownCluster: resources.ownCluster, version: settings.version }),
    namespacesController({ clusterName, hubServer: hub.server, ownCluster: resources.ownCluster, namespaces }),
    registrationController({ ...resources, settings: registration, addOnApiVersion, namespace }),
    healthController({ ...resources, clusterName, clock: runtime.clock, addOnApiVersion, leases }),
    ...(own
      ? [joinController({ ...resources, ...own, endpoint: hub, requests: watchedRequests(resources.requests, { name: clusterName }) })]
      : []),
  ];
  return {
    controllers,
    addOns: resources.addOns,
    ownCluster: resources.ownCluster,
    look: () => running?.enqueue(CLUSTER_CONTROLLER, { name: clusterName }),
    attach(manager) {
      running = manager;
      const own = { name: clusterName };
      for (const facts of settings.tellsProperties ? [nodes, claims, properties] : [nodes, claims]) {
        manager.watch(
          CLUSTER_CONTROLLER,
          facts === nodes ? watch(nodes, (change) => (isSumChanged(change) ? [own] : [])) : watch(facts as Resource, () => [own]),
          () => manager.enqueue(CLUSTER_CONTROLLER, own),
        );
      }
      manager.watch(
        NAMESPACES_CONTROLLER,
        watch(namespaces, () => [own]),
        () => manager.enqueue(NAMESPACES_CONTROLLER, own),
      );
    },
  };
}
