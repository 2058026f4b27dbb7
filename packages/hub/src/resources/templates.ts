import { addOnTemplates } from '@outrigger/api';
import type { Resource } from '@outrigger/kube';
import { projectTemplate, type TemplateProjection } from '@outrigger/rules/observed';
import { HUB } from './base.js';

export const templates: Resource<TemplateProjection, 'addOn'> = {
  name: 'templates',
  api: HUB,
  kind: addOnTemplates,
  project: projectTemplate,
  indexes: { addOn: (template) => [template.addOnName] },
};
