import type { AddOnTemplate } from '@outrigger/api';
import { selectorMismatches } from '@outrigger/api';
import { type KubeObject, parseApiVersion } from '@outrigger/core';
import { type CompiledSchema, compileSchema } from '@outrigger/core/schema';
import { schemaOfBuiltin } from '@outrigger/control-plane/builtin-kinds';
import { fieldProblem } from './field-problem.js';
import { unknownField } from './known-fields.js';
import { unknownKind } from './known-kinds.js';

const MANIFESTS = 'spec.agentSpec.workload.manifests';
const compiled = new Map<string, CompiledSchema>();

/** Problems that a managed cluster would find in the manifests of a template, as far as the schemas of built-in kinds can detect them. */
export function manifestProblems({ spec }: AddOnTemplate): readonly string[] {
  const manifests = spec.agentSpec.workload?.manifests ?? [];
  return [
    ...manifests.flatMap((manifest, index) =>
      problemsOf(manifest as unknown as KubeObject).map((problem) => `${MANIFESTS}[${index}].${problem}`),
    ),
    ...selectorMismatches(manifests, MANIFESTS),
  ];
}

function problemsOf(manifest: KubeObject): readonly string[] {
  if (typeof manifest.apiVersion !== 'string' || typeof manifest.kind !== 'string' || /\{\{/.test(`${manifest.apiVersion}${manifest.kind}`))
    return [];
  const schema = schemaOf(manifest);
  if (!schema) return [unknownKind(manifest)].filter((problem) => problem !== undefined);
  const { value, unknownFields } = schema.pruned(manifest);
  return [
    ...schema.validate(value).flatMap((error) => fieldProblem(error, manifest) ?? []),
    ...unknownFields.map((field) => unknownField(field, schema.schema)),
  ];
}

function schemaOf({ apiVersion, kind }: KubeObject): CompiledSchema | undefined {
  const key = `${apiVersion}/${kind}`;
  const known = compiled.get(key);
  if (known) return known;
  const structural = schemaOfBuiltin({ ...parseApiVersion(apiVersion), kind });
  if (!structural) return undefined;
  const schema = compileSchema(structural);
  compiled.set(key, schema);
  return schema;
}
