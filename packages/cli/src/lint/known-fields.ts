import type { StructuralSchema } from '@outrigger/core/schema';
import { nearest } from '@outrigger/rules/explanation';
import { type Path, stepsOf } from './path.js';

/** Returns advice about a field that the schema does not declare. */
export function unknownField(path: string, schema: StructuralSchema | undefined): string {
  const steps = stepsOf(path);
  const name = String(steps.at(-1) ?? '');
  const known = schema ? fieldsAt(schema, steps.slice(0, -1)) : [];
  const near = nearest(name, known) ?? known.find((one) => isVariation(one, name));
  if (near !== undefined) return `${path}: there is no such field: did you mean ${near}?`;
  const listed = known.length > 0 && known.length <= 12 ? `; known here: ${known.join(', ')}` : '';
  return `${path}: there is no such field, so it would be dropped; remove or rename it${listed}`;
}

function isVariation(known: string, name: string): boolean {
  const [short = '', long = ''] = [known.toLowerCase(), name.toLowerCase()].sort((a, b) => a.length - b.length);
  return short.length > 3 && long.includes(short);
}

function fieldsAt(schema: StructuralSchema, path: Path): readonly string[] {
  let node: StructuralSchema | undefined = schema;
  for (const step of path) {
    if (node === undefined) return [];
    const values: StructuralSchema | boolean | undefined = node.additionalProperties;
    node = typeof step === 'number' ? node.items : (node.properties?.[step] ?? (typeof values === 'object' ? values : undefined));
  }
  return Object.keys(node?.properties ?? {});
}
