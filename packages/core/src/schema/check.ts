import { compositeCheck } from './composite-check.js';
import { formatNamed } from './formats.js';
import { listCheck, objectCheck } from './container-checks.js';
import type { Check } from './run.js';
import { enumCheck, formatCheck, nullCheck, numberCheck, stringCheck, typeCheck } from './scalar-checks.js';
import type { StructuralSchema } from './types.js';

/**
 * Compiles a schema into one function that checks types, bounds, formats, embedded objects and the uniqueness of list items in a single
 * walk. Like the API server, it checks and reports in this order: type, alternatives, string, format, number, list, enumeration, object.
 */
export function compileCheck(schema: StructuralSchema): Check {
  const ofNull = nullCheck(schema);
  const type = typeCheck(schema);
  const composite = compositeCheck(schema, compileCheck);
  const enumeration = enumCheck(schema);
  const byKind = {
    string: kindChecks(formatNamed(schema.format) ? 6 : 5, stringCheck(schema), formatCheck(schema)),
    number: kindChecks(6, numberCheck(schema)),
    boolean: kindChecks(4),
    array: kindChecks(5, listCheck(schema, compileCheck)),
    object: kindChecks(5, objectCheck(schema, compileCheck)),
  };
  return (value, old, run) => {
    if (value === null || value === undefined) return ofNull(null, old, run);
    const kind = (Array.isArray(value) ? 'array' : typeof value) as keyof typeof byKind;
    const { applied, checks } = byKind[kind];
    let passed = applied;
    if (type) passed += 1 + type(value, old, run);
    if (composite) passed += composite(value, old, run);
    if (kind === 'object') enumeration?.(value, old, run);
    for (const check of checks) passed += check(value, old, run);
    if (kind !== 'object') enumeration?.(value, old, run);
    return passed;
  };
}

/**
 * Returns the checks for values of one JSON type. `applied` is the number of checks that the API server makes for such values. It is part
 * of the number that `Check` returns.
 */
function kindChecks(applied: number, ...checks: readonly (Check | undefined)[]): { applied: number; checks: readonly Check[] } {
  return { applied, checks: checks.filter((check) => check !== undefined) };
}
