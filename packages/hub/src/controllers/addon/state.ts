import type { AddOnDependency } from '@outrigger/api';
import type { Outcomes, SeenTime } from '@outrigger/kube';
import type { DependencyLookups } from '@outrigger/rules/dependencies';
import type { ClusterProjection, DeclarationProjection } from '@outrigger/rules/observed';
import type { PlanState } from '@outrigger/rules/plan';
import type { GrantedContent } from './reported-content.js';
import type { BindingProjection } from '../../resources/bindings.js';
import type { TokenObjectProjection } from '../../resources/token-objects.js';
import type { WorkProjection } from '@outrigger/rules/works';

/** All inputs of one pass over a ManagedClusterAddOn, read from the caches in one synchronous turn. */
export interface AddOnState extends PlanState {
  /** The namespace of the stored content. */
  readonly contentNamespace: string;
  readonly dependencies: readonly AddOnDependency[];
  readonly prerequisites: DependencyLookups;
  /** The work with the pre-delete hooks. */
  readonly hookWork: WorkProjection | undefined;
  readonly access: HubAccess;
  readonly requests: CertificateRequests;
  readonly outcomes: Outcomes;
  /**
   * The content that earlier passes of this process assigned to the add-on; undefined in the first pass of this process over the add-on.
   */
  readonly remembered: GrantedContent | undefined;
  /** When the deletion of the add-on began, as the last pass observed it. */
  readonly rememberedDeletion: SeenTime | undefined;
}

/** A declared add-on on a cluster that exists. */
export interface Installed extends AddOnState {
  readonly managementAddOn: DeclarationProjection;
  readonly cluster: ClusterProjection;
}

/**
 * The data that one pass over an add-on keeps for the next: the content that the hub assigned or, during a deletion, the time at which it
 * began.
 */
export type AddOnMemory = GrantedContent | DeletionMemory;

export interface DeletionMemory {
  readonly deleted: SeenTime;
}

/** The certificate requests of the add-on's agent on this cluster. */
export interface CertificateRequests {
  /** Why this process could not approve or sign some of the requests. */
  readonly problems: readonly string[];
  /** Names of the requests that are still open. */
  readonly open: readonly string[];
}

/** The objects that grant the add-on's agent on this cluster its permissions on the hub. */
export interface HubAccess {
  readonly bindings: readonly BindingProjection[];
  /**
   * Outdated bindings that upstream's manager created: bindings for this cluster, and bindings in shared namespaces that no add-on needs
   * any more.
   */
  readonly outdatedBindings: readonly BindingProjection[];
  readonly tokenObjects: readonly TokenObjectProjection[];
}

/**
 * The remaining objects of a deleted ManagedClusterAddOn that the garbage collector does not delete: objects in other namespaces, which the
 * add-on cannot own, and token objects that upstream's manager created without an owner.
 */
export interface Leftovers {
  readonly clusterAddOn: undefined;
  readonly access: HubAccess;
}
