import type { AddOnDependency } from '@outrigger/api';
import type { Outcomes } from '@outrigger/kube';
import type { ConfigLookup } from '../../configuration/lookup.js';
import type { DependencyLookups } from '../../dependencies/evaluate.js';
import type { AddOnRecord } from '../../resources/add-ons.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { DeclarationRecord } from '../../resources/declarations.js';
import type { RolloutRecord } from '../../resources/rollouts.js';
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
  readonly dependencies: readonly AddOnDependency[];
  readonly prerequisites: DependencyLookups;
  readonly works: readonly WorkRecord[];
  readonly outcomes: Outcomes;
}
