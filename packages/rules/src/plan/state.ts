import type { ConfigLookup } from '../configuration/lookup.js';
import type { AddOnRecord } from '../observed/add-ons.js';
import type { ClusterRecord } from '../observed/clusters.js';
import type { DeclarationRecord } from '../observed/declarations.js';
import type { RolloutRecord } from '../observed/rollouts.js';
import type { Membership } from '../strategy/membership.js';
import type { VersionCatalog } from '../versions/catalog.js';
import type { WorkRecord } from '../works/work-record.js';

/** All inputs that determine the content of one add-on on one cluster. */
export interface PlanState {
  readonly clusterAddOn: AddOnRecord;
  /** The declaration; undefined if the add-on is not declared. */
  readonly managementAddOn: DeclarationRecord | undefined;
  readonly cluster: ClusterRecord | undefined;
  readonly membership: Membership;
  readonly rollout: RolloutRecord | undefined;
  readonly catalog: VersionCatalog;
  readonly configs: ConfigLookup;
  /** The works that contain the add-on's manifests. For an add-on that another manager renders, all works with the add-on's label. */
  readonly works: readonly WorkRecord[];
}
