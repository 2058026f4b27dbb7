import { type Controller, defineController, watch } from '@outrigger/kube';
import { type FinishedWorkProjection, finishedWorks } from '../../../resources/finished-works.js';
import { decide } from './decide.js';

/** Keyed by ManifestWork: deletes works that were meant to run only once. */
export function finishedWorkController(): Controller<FinishedWorkProjection> {
  return defineController({
    name: 'finished-works',
    watches: [watch(finishedWorks, ({ after }) => (after?.ttlSeconds === undefined || after.completedAt === undefined ? [] : [after.key]))],
    observe: (view, key) => view.get(finishedWorks, key),
    decide,
  });
}
