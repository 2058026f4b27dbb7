import { CostPool } from '../cost.js';
import type { FieldError } from './types.js';

/** One step of a path: a property, an index, or a key of a map (`additionalProperties`). */
export type Segment = string | number | MapKey;
export interface MapKey {
  readonly key: string;
}

/**
 * The limit on the total cost of all `pattern`s for one object. The cost of one pattern is the length of the string times the size of the
 * pattern's program.
 */
const PATTERN_COST_LIMIT = 20_000_000;

/** The state of one validation: the current path, and the errors in the order in which an API server reports them. */
export interface Run {
  /** The current path. Segments are pushed and popped; the path is formatted only for an error. */
  readonly path: Segment[];
  /** Errors about types, formats, bounds and the like. */
  schemaErrors: FieldError[];
  /** Errors in embedded objects. */
  readonly embeddedErrors: FieldError[];
  /** Errors about duplicate items in lists of type set or map. */
  readonly listErrors: FieldError[];
  readonly patternCost: CostPool;
  /** Whether the part that was just checked is known to differ from its old value (see `ratchet`). */
  changed: boolean;
  /** The number of alternatives (`anyOf` and the like) that surround the current path. */
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
 * Checks a value. `old` is its value before an update, or undefined if there is none. Returns the number of checks that passed. If all
 * alternatives (`anyOf`, `oneOf`) fail, the one with the most passed checks is reported.
 */
export type Check = (value: unknown, old: unknown, run: Run) => number;

/** Formats a path as the API server's schema validator does: `spec.configs[2].name`, with map keys after a dot. The root is empty. */
export function bodyPath(path: readonly Segment[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`;
    else text += `.${segment.key}`;
  }
  return text;
}

/** Formats a path as all other validation in the API server does: `metadata.labels[a.b/c]`. The root is `<nil>`. */
export function fieldPath(path: readonly Segment[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`;
    else text += `[${segment.key}]`;
  }
  return text === '' ? '<nil>' : text;
}

/** Converts a path of the schema validator to the field of an error. The root is `<nil>`. */
export function bodyField(path: string): string {
  const field = path.startsWith('.') ? path.slice(1) : path;
  return field === '' ? '<nil>' : field;
}
