import type { Intern } from '../resource.js';

/** How much one generation may hold. */
export interface InternLimits {
  readonly values: number;
  readonly chars: number;
}

const DEFAULT_LIMITS: InternLimits = { values: 50_000, chars: 8_000_000 };

/**
 * Shares equal values by content. Strings are their own content; objects and arrays are compared by their JSON text, so give their members
 * a fixed order. Two generations bound the size: when the young one is full it becomes the old one, and the previous old one is dropped.
 * Forgetting a value costs sharing, never correctness.
 */
export class InternTable {
  #young = new Map<string, unknown>();
  #old = new Map<string, unknown>();
  #youngChars = 0;
  readonly #limits: InternLimits;

  constructor(limits: InternLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  readonly intern: Intern = <T>(value: T): T => {
    if (typeof value === 'string') return this.#share(value, value) as T;
    if (typeof value !== 'object' || value === null) return value;
    return this.#share(JSON.stringify(value), value) as T;
  };

  /** Drops the values that were not asked for since the last call. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngChars = 0;
  }

  #share(content: string, value: unknown): unknown {
    const young = this.#young.get(content);
    if (young !== undefined) return young;
    const found = this.#old.get(content) ?? value;
    if (this.#young.size >= this.#limits.values || this.#youngChars >= this.#limits.chars) this.age();
    this.#young.set(content, found);
    this.#youngChars += content.length;
    return found;
  }
}
