import { ADDON_NAME_LABEL, type ManifestWork, manifestWorks } from '@outrigger/api';
import type { ManifestItem, WorkItem } from '@outrigger/console-contract';
import { type JsonObject, asJson, objectOrEmpty } from '@outrigger/core';
import { toYaml } from '@outrigger/core/yaml';
import type { ConsoleRules } from '../rules.js';
import { conditionItems } from './conditions.js';
import { MAX_CONTENT } from './limits.js';
import { linkTo } from './links.js';

/**
 * Lists a cluster's works with the state of each manifest. `withContent` adds the manifests themselves, with the data of Secrets masked.
 */
export function workItems(works: readonly ManifestWork[], rules: ConsoleRules, withContent: boolean): readonly WorkItem[] {
  let left = withContent ? MAX_CONTENT : 0;
  const contentOf = (manifest: JsonObject): Pick<ManifestItem, 'yaml' | 'isLeftOut'> => {
    if (!withContent) return { yaml: '' };
    const yaml = left <= 0 ? '' : toYaml(rules.redact(manifest));
    left -= yaml.length;
    return left < 0 || yaml === '' ? { yaml: '', isLeftOut: true } : { yaml };
  };
  return works.map((work) => ({
    name: work.metadata.name ?? '',
    addOn: work.metadata.labels?.[ADDON_NAME_LABEL] ?? '',
    object: linkTo(manifestWorks, work.metadata.name ?? '', work.metadata.namespace),
    conditions: conditionItems(work.status?.conditions),
    manifests: manifestItems(work, contentOf),
  }));
}

function manifestItems(
  { spec, status }: ManifestWork,
  contentOf: (manifest: JsonObject) => Pick<ManifestItem, 'yaml' | 'isLeftOut'>,
): readonly ManifestItem[] {
  const reported = new Map((status?.resourceStatus?.manifests ?? []).map((one) => [one.resourceMeta.ordinal, one]));
  return (spec.workload?.manifests ?? []).map((manifest, ordinal) => {
    const object = asJson(manifest);
    const metadata = objectOrEmpty(object['metadata']);
    const report = reported.get(ordinal);
    const isSecret = object['kind'] === 'Secret' && object['apiVersion'] === 'v1';
    const apiVersion = text(object['apiVersion']);
    return {
      group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
      kind: text(object['kind']),
      namespace: text(metadata['namespace']),
      name: text(metadata['name']),
      conditions: conditionItems(report?.conditions),
      feedback: (report?.statusFeedback?.values ?? []).map(({ name, fieldValue }) => ({
        name,
        // A work can report any field of its objects, so the values may be the data of a Secret.
        value: isSecret ? '(hidden)' : String(fieldValue.integer ?? fieldValue.string ?? fieldValue.boolean ?? fieldValue.jsonRaw ?? ''),
      })),
      ...contentOf(object),
    };
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
