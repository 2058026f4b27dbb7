import type { AddOnDependency } from '@outrigger/api';
import type { Outcomes } from '@outrigger/kube';
import type { ConfigLookup } from '../../configuration/lookup.js';
import type { DependencyLookups } from '../../dependencies/evaluate.js';
import type { AddOnRecord } from '../../resources/add-ons.js';
import type { BindingRecord } from '../../resources/bindings.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { DeclarationRecord } from '../../resources/declarations.js';
import type { RolloutRecord } from '../../resources/rollouts.js';
import type { TokenObjectRecord } from '../../resources/token-objects.js';
import type { WorkRecord } from '../../resources/works.js';
import type { Membership } from '../../strategy/membership.js';
import type { VersionCatalog } from '../../versions/catalog.js';

/** Everything one pass over a ManagedClusterAddOn may look at, read from the caches in one synchronous turn. */
export interface AddOnState {
  readonly addOn: AddOnRecord;
  /** Absent where the add-on is not declared (any more). */
  readonly declaration: DeclarationRecord | undefined;
  readonly cluster: ClusterRecord | undefined;
  readonly membership: Membership;
  readonly rollout: RolloutRecord | undefined;
  readonly catalog: VersionCatalog;
  readonly configs: ConfigLookup;
  /** Where the content of configurations is kept. */
  readonly contentNamespace: string;
  readonly dependencies: readonly AddOnDependency[];
  readonly prerequisites: DependencyLookups;
  /** The works that carry the add-on's manifests; for an add-on another manager renders, all of its works. */
  readonly works: readonly WorkRecord[];
  /** The work that runs before the add-on is removed. */
  readonly hookWork: WorkRecord | undefined;
  readonly access: HubAccess;
  readonly requests: CertificateRequests;
  readonly outcomes: Outcomes;
}

/** The certificate requests of the add-on's agent on this cluster. */
export interface CertificateRequests {
  /** Why some of them could not be approved or signed, as far as this process has tried. */
  readonly problems: readonly string[];
  /** Names of those that still wait for something. */
  readonly open: readonly string[];
}

/** What gives the add-on's agent on this cluster its rights on the hub. */
export interface HubAccess {
  readonly bindings: readonly BindingRecord[];
  /** Made by upstream's manager for this cluster, or for a whole namespace and in nobody's use any more. */
  readonly outdatedBindings: readonly BindingRecord[];
  readonly tokenObjects: readonly TokenObjectRecord[];
}

/** A ManagedClusterAddOn that is gone and could not take everything with it: what is in other namespaces has no owner. */
export interface Leftovers {
  readonly addOn: undefined;
  readonly access: HubAccess;
}
