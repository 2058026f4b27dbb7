import { type KubeObject, type OwnerReference, parseTime, type Intern, type Projected } from '@outrigger/core';
import { base } from './base.js';

/**
 * The stored record of a target that ended, without the data of the record. The hub needs no data, because it only decides how long to keep
 * the record.
 */
export interface TargetRecordProjection extends Projected {
  readonly createdAt: number;
  readonly owners: readonly OwnerReference[];
}

export function projectTargetRecord(object: KubeObject, intern: Intern): TargetRecordProjection {
  const { creationTimestamp, ownerReferences = [] } = object.metadata;
  return { createdAt: parseTime(creationTimestamp) ?? 0, owners: intern(ownerReferences), ...base(object, intern) };
}
