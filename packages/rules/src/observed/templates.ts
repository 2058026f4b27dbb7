import { ADDON_VERSION_LABEL, type AddOnTemplate, type AddOnTemplateSpec, UNKNOWN_VERSION } from '@outrigger/api';
import { type KubeObject, parseTime, type Intern, type Projected } from '@outrigger/core';
import { specHash } from '@outrigger/core/hash';
import { base, generationOf } from './base.js';

/** A complete AddOnTemplate. The cache keeps templates complete because there are few of them and every cluster is rendered from one. */
export interface TemplateProjection extends Projected {
  readonly addOnName: string;
  /** The addon-version label; empty if there is none, or if it is `unknown`, which is not a version. */
  readonly version: string;
  readonly createdAt: number;
  readonly generation: number;
  readonly specHash: string;
  readonly spec: AddOnTemplateSpec;
}

export function projectTemplate(object: KubeObject, intern: Intern): TemplateProjection {
  const template = object as AddOnTemplate;
  const label = template.metadata.labels?.[ADDON_VERSION_LABEL] ?? '';
  return {
    addOnName: template.spec.addonName,
    version: label === UNKNOWN_VERSION ? '' : label,
    createdAt: parseTime(template.metadata.creationTimestamp) ?? 0,
    generation: generationOf(template),
    specHash: specHash(template),
    spec: template.spec,
    ...base(template, intern),
  };
}
