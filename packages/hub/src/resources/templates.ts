import { ADDON_VERSION_LABEL, type AddOnTemplate, type AddOnTemplateSpec, addOnTemplates } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import type { Projected, Resource } from '@outrigger/kube';
import { HUB, base, generationOf } from './base.js';

/** A whole AddOnTemplate: there are few, and every cluster of the add-on is rendered from it. */
export interface TemplateRecord extends Projected {
  readonly addOnName: string;
  /** The addon-version label; empty if there is none. */
  readonly version: string;
  readonly createdAt: number;
  readonly generation: number;
  readonly specHash: string;
  readonly spec: AddOnTemplateSpec;
}

export const templates: Resource<TemplateRecord> = {
  name: 'templates',
  api: HUB,
  kind: addOnTemplates,
  project(object, intern) {
    const template = object as AddOnTemplate;
    return {
      ...base(template, intern),
      addOnName: template.spec.addonName,
      version: template.metadata.labels?.[ADDON_VERSION_LABEL] ?? '',
      createdAt: parseTime(template.metadata.creationTimestamp) ?? 0,
      generation: generationOf(template),
      specHash: specHash(template),
      spec: template.spec,
    };
  },
  indexes: { addOn: (template) => [template.addOnName] },
};
