import { type AddOnPlacementScore, addOnPlacementScores } from '@outrigger/api';
import { parseTime, type Projected } from '@outrigger/core';
import type { Resource } from '@outrigger/kube';
import { HUB } from './base.js';
import { base } from '@outrigger/rules/observed';

/** The scores that an add-on gives to one cluster. The name of its namespace is the name of the cluster. */
export interface PlacementScoreProjection extends Projected {
  readonly scores: readonly { readonly name: string; readonly value: number }[];
  /** When the scores expire; undefined if they never expire. */
  readonly validUntil: number | undefined;
}

export const placementScores: Resource<PlacementScoreProjection> = {
  name: 'placement-scores',
  api: HUB,
  kind: addOnPlacementScores,
  project(object, intern) {
    const { status = {} } = object as AddOnPlacementScore;
    return {
      scores: intern((status.scores ?? []).map(({ name, value }) => ({ name, value }))),
      validUntil: parseTime(status.validUntil),
      ...base(object, intern),
    };
  },
  indexes: {},
};
