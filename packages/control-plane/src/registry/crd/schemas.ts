import { deepFreeze, lazy, BoundedCache } from '@outrigger/core';
import { checkStructural, compileSchema, type CompiledSchema, type FieldError, type StructuralSchema } from '@outrigger/core/schema';
import { rules } from './rules.js';

/** Values derived from one schema. They are computed once per process, even if many control planes serve the schema. */
interface Derived {
  readonly compiled: () => CompiledSchema;
  readonly problems: (path: string) => readonly FieldError[];
}

/** The number of cached schemas. It is enough for the CRDs of a few programs with several versions each. */
const CACHED_SCHEMAS = 256;

const byContent = new BoundedCache<StructuralSchema>({ limit: CACHED_SCHEMAS });
const derived = new WeakMap<StructuralSchema, Derived>();

/**
 * Returns the shared frozen instance of a schema, so that a process with many control planes stores and compiles equal schemas once.
 * Schemas are equal only if their members have the same order, because errors are reported in this order.
 */
export function sharedSchema(schema: StructuralSchema): StructuralSchema {
  if (derived.has(schema)) return schema;
  const shared = byContent.get(JSON.stringify(schema), () => deepFreeze(schema));
  if (!derived.has(shared)) derived.set(shared, derive(shared));
  return shared;
}

/** Compiles a schema. Throws if the schema has `schemaProblems`. */
export function compiledSchema(schema: StructuralSchema): CompiledSchema {
  return derivedOf(schema).compiled();
}

/** Returns the errors that prevent a schema from being served. `path` is its path in the CRD. */
export function schemaProblems(schema: StructuralSchema, path: string): readonly FieldError[] {
  return derivedOf(schema).problems(path);
}

function derivedOf(schema: StructuralSchema): Derived {
  const shared = sharedSchema(schema);
  return derived.get(shared) ?? derive(shared);
}

function derive(schema: StructuralSchema): Derived {
  const problems = new Map<string, readonly FieldError[]>();
  return {
    compiled: lazy(() => compileSchema(schema, { rules })),
    problems(path) {
      const found = problems.get(path) ?? checkStructural(schema, { path, rules });
      problems.set(path, found);
      return found;
    },
  };
}
