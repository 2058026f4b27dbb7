import { controllerRevisions } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { CONTENT_LABEL, type ContentProjection, projectContent } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const storedContents: Resource<ContentProjection, 'specHash' | 'contentOf' | 'version' | 'owner'> = {
  name: 'contents',
  api: HUB,
  kind: controllerRevisions,
  labelSelector: CONTENT_LABEL,
  project: projectContent,
  indexes: {
    specHash: ({ specHash }) => [specHash],
    contentOf: ({ contentOf }) => contentOf,
    version: ({ version }) => (version === undefined ? [] : [version]),
    /** The uids of the declarations that use the content. */
    owner: ({ owners }) => owners.map(({ uid }) => uid),
  },
};
