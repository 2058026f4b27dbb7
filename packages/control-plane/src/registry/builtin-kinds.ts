import type { StructuralSchema } from '@outrigger/core/schema';
import { ROOTS } from '../schemas/generated/resources.js';
import { builtinSchema } from './builtin-schemas.js';

/** A built-in kind that the embedded server serves. */
export interface BuiltinKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The built-in kinds. Programs that only validate objects import this file instead of the server. */
export const BUILTIN_KINDS: readonly BuiltinKind[] = Object.keys(ROOTS).map((key) => {
  const [group = '', version = '', kind = ''] = key.split('/');
  return { group, version, kind };
});

/** Returns the schema of a built-in kind, or undefined for any other kind. */
export function schemaOfBuiltin({ group, version, kind }: BuiltinKind): StructuralSchema | undefined {
  return Object.hasOwn(ROOTS, `${group}/${version}/${kind}`) ? builtinSchema(group, version, kind) : undefined;
}
