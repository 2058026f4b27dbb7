import type { AddOnTemplate } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import { builtinProblems } from './builtin.js';

/** Returns errors in a template's manifests that a managed cluster would report and that the schemas of built-in kinds can detect. */
export function manifestProblems({ spec }: AddOnTemplate): readonly string[] {
  const manifests = spec.agentSpec.workload?.manifests ?? [];
  return manifests.flatMap((manifest, index) =>
    problemsOf(manifest as unknown as KubeObject).map((problem) => `spec.agentSpec.workload.manifests[${index}].${problem}`),
  );
}

function problemsOf(manifest: KubeObject): readonly string[] {
  const { apiVersion, kind } = manifest;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || /\{\{/.test(`${apiVersion}${kind}`)) return [];
  return builtinProblems(manifest);
}
