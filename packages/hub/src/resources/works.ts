import { ADDON_NAME_LABEL, manifestWorks } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectWork, type WorkProjection } from '@outrigger/rules/works';
import { HUB } from './base.js';

export const works: Resource<WorkProjection, 'addOn'> = {
  name: 'works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: ADDON_NAME_LABEL,
  project: projectWork,
  // Use `join`, which returns a flat string, because the index keeps the string, and a template string would also keep its parts in memory.
  indexes: { addOn: ({ key, addOnName }) => [[key.namespace ?? '', addOnName].join('/')] },
};
