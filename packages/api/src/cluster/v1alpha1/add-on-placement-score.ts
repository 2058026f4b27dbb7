import { integer, mapList, object, optional, required, string, time } from '../../schema/builders.js';
import { conditions } from '../../schema/common.js';
import type { KindVersion } from '../../schema/kind.js';

const score = object('PlacementScoreItem', 'One score.', {
  name: required('Name of the score.', string()),
  value: required('The score.', integer({ format: 'int32', minimum: -100, maximum: 100 })),
});

const status = object('AddOnPlacementScoreStatus', 'Scores of one cluster.', {
  conditions: optional('What the writer of the scores has to say.', conditions),
  scores: optional('The scores.', mapList(score, ['name'])),
  validUntil: optional('After this time the scores no longer count.', time()),
});

export const addOnPlacementScore: KindVersion = {
  version: 'v1alpha1',
  typeName: 'AddOnPlacementScore',
  description: 'Scores an add-on gives to one cluster, for Placements to prefer by; its namespace is the name of the cluster.',
  status: optional('The scores.', status),
};
