import type { Intern } from '@outrigger/core';

/** The maximum size of one generation of interned values. */
export interface InternLimits {
  readonly values: number;
  readonly chars: number;
}

const DEFAULT_LIMITS: InternLimits = { values: 50_000, chars: 8_000_000 };

/** The instance of all empty arrays. Most lists in a projection are empty, such as those of failures and finalizers. */
const EMPTY: readonly unknown[] = Object.freeze([]);

/** The values of one generation. Strings and objects are in separate maps, because a string may be equal to the JSON text of an object. */
class Generation {
  readonly texts = new Map<string, string>();
  readonly objects = new Map<string, object>();
  chars = 0;

  get size(): number {
    return this.texts.size + this.objects.size;
  }
}

/**
 * Returns one shared instance for equal values. Strings are compared directly, objects and arrays by their JSON text, so their members must
 * have a fixed order. Two generations limit the size: when the young generation is full, it becomes the old one, and the previous old one
 * is dropped. Dropping a value only reduces sharing and does not affect correctness.
 */
export class InternTable {
  #young = new Generation();
  #old = new Generation();
  readonly #limits: InternLimits;

  constructor(limits: InternLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  readonly intern: Intern = <T>(value: T): T => {
    if (typeof value === 'string') return this.#share('texts', value, value) as T;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value) && value.length === 0) return EMPTY as T;
    return this.#share('objects', JSON.stringify(value), value) as T;
  };

  /** Drops the values that were not used since the last call. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Generation();
  }

  #share(type: 'texts' | 'objects', content: string, value: unknown): unknown {
    const young = this.#young[type].get(content);
    if (young !== undefined) return young;
    const found = this.#old[type].get(content) ?? value;
    if (this.#young.size >= this.#limits.values || this.#young.chars >= this.#limits.chars) this.age();
    (this.#young[type] as Map<string, unknown>).set(content, found);
    this.#young.chars += content.length;
    return found;
  }
}
