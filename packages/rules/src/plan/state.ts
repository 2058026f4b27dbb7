import type { ConfigLookup } from '../configuration/lookup.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import type { ClusterProjection } from '../observed/clusters.js';
import type { DeclarationProjection } from '../observed/declarations.js';
import type { RolloutProjection } from '../observed/rollouts.js';
import type { Membership } from '../strategy/membership.js';
import type { VersionCatalog } from '../versions/catalog.js';
import type { WorkProjection } from '../works/work-projection.js';

/** All inputs that determine the content of one add-on on one cluster. */
export interface PlanState {
  readonly clusterAddOn: AddOnProjection;
  /** The declaration; undefined if the add-on is not declared. */
  readonly managementAddOn: DeclarationProjection | undefined;
  readonly cluster: ClusterProjection | undefined;
  readonly membership: Membership;
  readonly rollout: RolloutProjection | undefined;
  readonly catalog: VersionCatalog;
  readonly configs: ConfigLookup;
  /** The works that contain the add-on's manifests. For an add-on that another manager renders, all works with the add-on's label. */
  readonly works: readonly WorkProjection[];
}
