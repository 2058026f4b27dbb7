import { ADDON_GROUP, type ClusterManagementAddOn } from '@outrigger/api';
import type { Json, JsonObject } from '@outrigger/core';
import type { JsonPatchOperation } from '@outrigger/kube';
import { suggestion } from '@outrigger/rules/explanation';
import { notFound } from '../failure.js';
import { isTemplateKind } from './versions.js';

/**
 * Returns a patch that sets the default version (the template in supportedConfigs), which applies to clusters without an override and
 * entries without their own version.
 */
export function defaultTemplate({ spec }: ClusterManagementAddOn, template: string): readonly JsonPatchOperation[] {
  const configs = spec.supportedConfigs ?? [];
  const index = configs.findIndex(isTemplateKind);
  if (index >= 0) return [{ op: 'add', path: `/spec/supportedConfigs/${index}/defaultConfig`, value: { name: template } }];
  const entry: JsonObject = { group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: template } };
  return configs.length > 0
    ? [{ op: 'add', path: '/spec/supportedConfigs/-', value: entry }]
    : [{ op: 'add', path: '/spec/supportedConfigs', value: [entry] as Json }];
}

/** Returns a patch that sets or removes the version of one entry of the strategy. */
export function entryVersion(
  { metadata, spec }: ClusterManagementAddOn,
  placement: string,
  version: string | undefined,
): readonly JsonPatchOperation[] {
  const entries = spec.installStrategy?.placements ?? [];
  const names = entries.map((entry) => `${entry.namespace}/${entry.name}`);
  const index = names.indexOf(placement);
  if (index < 0) throw notFound(`the strategy of ${metadata.name} has no Placement "${placement}"${suggestion(placement, names)}`);
  const path = `/spec/installStrategy/placements/${index}/addonTemplate`;
  const before = entries[index]?.addonTemplate ?? {};
  if (version !== undefined) return [{ op: 'add', path, value: { ...before, installVersion: version } as unknown as Json }];
  return before.installVersion === undefined ? [] : [{ op: 'remove', path: `${path}/installVersion` }];
}
