import { type AddOnPlacementScore, addOnPlacementScores } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base } from './base.js';

/** The scores an add-on gives one cluster; the cluster is its namespace. */
export interface PlacementScoreRecord extends Projected {
  readonly scores: readonly { readonly name: string; readonly value: number }[];
  /** Absent: for good. */
  readonly validUntil: number | undefined;
}

export const placementScores: Resource<PlacementScoreRecord> = {
  name: 'placement-scores',
  api: HUB,
  kind: addOnPlacementScores,
  project(object, intern) {
    const { status = {} } = object as AddOnPlacementScore;
    return {
      ...base(object, intern),
      scores: intern((status.scores ?? []).map(({ name, value }) => ({ name, value }))),
      validUntil: parseTime(status.validUntil),
    };
  },
  indexes: {},
};
