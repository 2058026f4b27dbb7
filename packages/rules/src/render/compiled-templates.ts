import type { AddOnTemplateSpec } from '@outrigger/api';
import { BoundedCache } from '@outrigger/core';
import { type CompiledTemplate, type RenderProblem, compileTemplate } from './template.js';

type Compiled = CompiledTemplate | { readonly problems: readonly RenderProblem[] };

/**
 * Compiles each content once and caches the most recently used results, because the clusters of a fleet are rendered from very few
 * templates.
 */
export function templateCompiler(capacity: number = 200): (specHash: string, spec: AddOnTemplateSpec) => Compiled {
  const compiled = new BoundedCache<Compiled>({ limit: capacity });
  return (specHash, spec) => compiled.get(specHash, () => compileTemplate(spec.agentSpec.workload?.manifests ?? []));
}
