import { controllerRevisions } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectTargetRecord, type TargetRecordProjection } from '@outrigger/rules/observed';
import { TARGET_RECORD_LABEL } from '@outrigger/rules/rollout';
import { HUB } from './base.js';

export const targetRecords: Resource<TargetRecordProjection, 'owner'> = {
  name: 'target-records',
  api: HUB,
  kind: controllerRevisions,
  labelSelector: TARGET_RECORD_LABEL,
  metadataOnly: true,
  project: projectTargetRecord,
  indexes: {
    /** The uids of the declarations whose targets were recorded. */
    owner: ({ owners }) => owners.map(({ uid }) => uid),
  },
};
