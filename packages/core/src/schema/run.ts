import { CostPool } from '../cost.js';
import type { FieldError } from './types.js';

/** One step of a path: a property, an index, or a key of a map (`additionalProperties`). */
export type Segment = string | number | MapKey;
export interface MapKey {
  readonly key: string;
}

/** The cost limit of all `pattern`s of one object: the length of each text times the size of its pattern's program. */
const PATTERN_COST_LIMIT = 20_000_000;

/** The state of one validation: its current path and its errors, in the order in which an API server reports them. */
export interface Run {
  /** The current path; segments are pushed and popped. The text of a path is built only for an error. */
  readonly path: Segment[];
  /** Errors of types, formats, bounds and the like. */
  schemaErrors: FieldError[];
  /** Errors of embedded objects. */
  readonly embeddedErrors: FieldError[];
  /** Errors about duplicate items in lists of type set or map. */
  readonly listErrors: FieldError[];
  readonly patternCost: CostPool;
  /** Whether the part just checked is known to differ from its old value (see `ratchet`). */
  changed: boolean;
  /** How many alternatives (`anyOf` and the like) surround the current path. */
  alternatives: number;
}

export function newRun(): Run {
  return {
    path: [],
    patternCost: new CostPool(PATTERN_COST_LIMIT),
    schemaErrors: [],
    embeddedErrors: [],
    listErrors: [],
    changed: false,
    alternatives: 0,
  };
}

/**
 * Checks a value. `old` is its value before an update, or undefined if there is no such value. Returns the number of checks that passed,
 * because among failed alternatives (`anyOf`, `oneOf`), the most successful one is reported.
 */
export type Check = (value: unknown, old: unknown, run: Run) => number;

/** A path in the notation of the API server's schema validator: `spec.configs[2].name`, with map keys after a dot. The root is empty. */
export function bodyPath(path: readonly Segment[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`;
    else text += `.${segment.key}`;
  }
  return text;
}

/** A path in the notation of all other validation of the API server: `metadata.labels[a.b/c]`. The root is `<nil>`. */
export function fieldPath(path: readonly Segment[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`;
    else text += `[${segment.key}]`;
  }
  return text === '' ? '<nil>' : text;
}

/** The field of an error, from a path of the schema validator. */
export function bodyField(path: string): string {
  const field = path.startsWith('.') ? path.slice(1) : path;
  return field === '' ? '<nil>' : field;
}
