import { ADDON_NAME_LABEL, manifestWorks } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectWork, type WorkRecord } from '@outrigger/rules/works';
import { HUB } from './base.js';

export const works: Resource<WorkRecord, 'addOn'> = {
  name: 'works',
  api: HUB,
  kind: manifestWorks,
  labelSelector: ADDON_NAME_LABEL,
  project: projectWork,
  // `join` returns a flat string. The index keeps it, and a template string would keep its parts as well.
  indexes: { addOn: ({ key, addOnName }) => [[key.namespace ?? '', addOnName].join('/')] },
};
