import { integer, mapList, object, optional, required, string, time } from '../../schema/builders.js';
import { conditions } from '../../schema/common.js';
import type { KindVersion } from '../../schema/kind.js';

const score = object('PlacementScoreItem', 'One score.', {
  name: required('Name of the score.', string()),
  value: required('The score.', integer({ format: 'int32', minimum: -100, maximum: 100 })),
});

const status = object('AddOnPlacementScoreStatus', 'Scores of one cluster.', {
  conditions: optional('Conditions that the writer of the scores reports.', conditions),
  scores: optional('The scores.', mapList(score, ['name'])),
  validUntil: optional('The time until which the scores are valid.', time()),
});

export const addOnPlacementScore: KindVersion = {
  version: 'v1alpha1',
  typeName: 'AddOnPlacementScore',
  description: 'Scores that an add-on assigns to one cluster, for use in Placements. Its namespace is the name of the cluster.',
  status: optional('The scores.', status),
};
