import type { AddOnTemplateSpec } from '@outrigger/api';
import { type CompiledTemplate, type RenderProblem, compileTemplate } from './template.js';

type Compiled = CompiledTemplate | { readonly problems: readonly RenderProblem[] };

/** Compiles each content once and keeps the most recent few: the clusters of a fleet render from very few templates. */
export function templateCompiler(capacity: number = 200): (specHash: string, spec: AddOnTemplateSpec) => Compiled {
  const compiled = new Map<string, Compiled>();
  return (specHash, spec) => {
    const known = compiled.get(specHash);
    if (known) return known;
    const result = compileTemplate(spec.agentSpec.workload?.manifests ?? []);
    compiled.set(specHash, result);
    const oldest = compiled.keys().next().value;
    if (compiled.size > capacity && oldest !== undefined) compiled.delete(oldest);
    return result;
  };
}
