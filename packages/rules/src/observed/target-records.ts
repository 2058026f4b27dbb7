import { type KubeObject, type OwnerReference, parseTime } from '@outrigger/core';
import { type Intern, type Observed, base } from './base.js';

/** A stored record of a target that ended, without its data: the rules of the hub only decide how long to keep it. */
export interface StoredTargetRecord extends Observed {
  readonly createdAt: number;
  readonly owners: readonly OwnerReference[];
}

export function projectTargetRecord(object: KubeObject, intern: Intern): StoredTargetRecord {
  const { creationTimestamp, ownerReferences = [] } = object.metadata;
  return { ...base(object, intern), createdAt: parseTime(creationTimestamp) ?? 0, owners: intern(ownerReferences) };
}
