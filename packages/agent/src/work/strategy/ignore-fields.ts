import type { IgnoreFields } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { type FieldPath, removeAt } from './field-path.js';
import { parseJqPath, parseJsonPath, parsePointer } from './field-path-syntax.js';

/**
 * The manifest without the fields that are left alone once the object exists. `OnSpokeChange` fields stay in: they are sent again when
 * the manifest changes and only then. Throws an Error naming the first path that cannot be read.
 */
export function withoutIgnored(manifest: KubeObject, rules: readonly IgnoreFields[]): KubeObject {
  const paths = rules.flatMap((rule) => {
    const read = pathsOf(rule);
    return rule.condition === 'OnSpokePresent' ? read : [];
  });
  return paths.reduce<unknown>(removeAt, manifest) as KubeObject;
}

/** Also of rules that remove nothing, so that a path that cannot be read is always reported. */
function pathsOf({ jsonPaths = [], jsonPointers = [], jqPathExpressions = [] }: IgnoreFields): readonly FieldPath[] {
  const all = [...jsonPaths.map(parseJsonPath), ...jsonPointers.map(parsePointer), ...jqPathExpressions.map(parseJqPath)];
  const identity = all.find((path) => isIdentity(path));
  if (identity) throw new Error('apiVersion, kind, metadata, metadata.name and metadata.namespace cannot be ignored');
  return all;
}

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'metadata/name', 'metadata/namespace']);

function isIdentity(path: FieldPath): boolean {
  return path[0]?.type === 'every' || IDENTITY.has(path.map((step) => (step.type === 'field' ? step.name : '')).join('/'));
}
