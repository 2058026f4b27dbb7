import {
  type AddOnRollout,
  type AddOnRolloutSpec,
  type AddOnRolloutStatus,
  GATED_ROLLOUT_FORMAT_VERSION,
  ROLLOUT_FORMAT_VERSION,
  type RolloutEntry,
} from '@outrigger/api';
import { type KubeObject, type OwnerReference, memoize, parseTime, type Intern, type Projected } from '@outrigger/core';
import { base, generationOf } from './base.js';
import { fieldManagerOf } from './field-manager.js';

/** An AddOnRollout: its targets, its admissions, and the pins and confirmations that users set in its spec. */
export interface RolloutProjection extends Projected {
  readonly generation: number;
  readonly createdAt: number;
  readonly owners: readonly OwnerReference[];
  readonly spec: AddOnRolloutSpec;
  /** The field managers that set the pins, if they are known. */
  readonly pinManagers: Readonly<Record<'pinnedRevision' | 'pinnedEntries', string | undefined>>;
  /**
   * If this version does not support the status format, only the format version is kept, so that no controller acts on fields that it could
   * misread.
   */
  readonly status: AddOnRolloutStatus;
}

export function projectRollout(object: KubeObject, intern: Intern): RolloutProjection {
  const rollout = object as AddOnRollout;
  return {
    generation: generationOf(rollout),
    createdAt: parseTime(rollout.metadata.creationTimestamp) ?? 0,
    owners: rollout.metadata.ownerReferences ?? [],
    spec: rollout.spec ?? {},
    pinManagers: {
      pinnedRevision: fieldManagerOf(rollout, 'spec', 'pinnedRevision'),
      pinnedEntries: fieldManagerOf(rollout, 'spec', 'pinnedEntries'),
    },
    status: readable(rollout.status ?? {}),
    ...base(rollout, intern),
  };
}

/** Whether this manager can read a rollout status with this format. A new rollout has no format yet. */
export function isReadableFormat(format: number | undefined): format is undefined | 1 | 2 {
  return format === undefined || format === ROLLOUT_FORMAT_VERSION || format === GATED_ROLLOUT_FORMAT_VERSION;
}

function readable(status: AddOnRolloutStatus): AddOnRolloutStatus {
  const { formatVersion } = status;
  return isReadableFormat(formatVersion) ? status : { formatVersion };
}

/** Maps each cluster to the recorded entry that it is a member of. */
const homes: (entries: readonly RolloutEntry[]) => ReadonlyMap<string, RolloutEntry> = memoize((entries: readonly RolloutEntry[]) => {
  const found = new Map<string, RolloutEntry>();
  for (const entry of entries) for (const cluster of entry.members ?? []) found.set(cluster, entry);
  return found;
});

/** Returns the entry that lists the cluster as a member; the last one if several do. */
export function homeOf({ entries }: AddOnRolloutStatus, cluster: string): RolloutEntry | undefined {
  return entries && homes(entries).get(cluster);
}
