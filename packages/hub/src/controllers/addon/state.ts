import type { JsonObject } from '@outrigger/core';
import type { Outcomes } from '@outrigger/kube';
import type { ConfigRef } from '../../configuration/references.js';
import type { Dependency, DependencyLookups } from '../../dependencies/evaluate.js';
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
  readonly dependencies: readonly Dependency[];
  readonly prerequisites: DependencyLookups;
  readonly works: readonly WorkRecord[];
  readonly outcomes: Outcomes;
}

/** A configuration object as it is now. */
export interface LiveConfig {
  readonly specHash: string;
  readonly generation: number;
  /** The object without apiVersion, kind, metadata and status. */
  readonly content: JsonObject;
}

/** Why a referenced object cannot be read. */
export type ConfigProblem = 'NotFound' | 'Forbidden' | 'NotServed';

export interface ConfigLookup {
  live(ref: ConfigRef): LiveConfig | ConfigProblem;
  /** Content kept under its digest, of objects that have changed or gone since. */
  stored(specHash: string): JsonObject | undefined;
}
