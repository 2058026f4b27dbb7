import { ApiError } from '../errors.js';
import { MAX_DEPTH } from '../patch/own.js';

/**
 * Rejects a schema that is nested too deeply, because compiling recurses over the schema. (The compiled functions do not recurse over
 * data.)
 */
export function assertSchemaDepth(schema: unknown): void {
  let level: unknown[] = [schema];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new ApiError('Invalid', `the schema is nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? (Object.values(part) as unknown[]) : []));
  }
}
