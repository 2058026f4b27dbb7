import type { ScoreSheet, SheetLookup } from './candidate.js';

/** Score sheets at one instant: an expired one counts as absent, and it is remembered when the next of those looked at expires. */
export class ScoreSheets {
  readonly #lookup: SheetLookup;
  readonly #now: number;
  readonly #expired = new Set<string>();
  #nextExpiry: number | undefined;

  constructor(lookup: SheetLookup, now: number) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** `cluster/resource` of what was asked for and had expired. */
  get expired(): readonly string[] {
    return [...this.#expired].sort();
  }

  /** The first instant at which an answer given would be another one. */
  get nextChange(): number | undefined {
    return this.#nextExpiry === undefined ? undefined : this.#nextExpiry + 1;
  }

  find(cluster: string, resource: string): ScoreSheet | undefined {
    const sheet = this.#lookup(cluster, resource);
    if (sheet?.validUntil === undefined) return sheet;
    if (this.#now > sheet.validUntil) {
      this.#expired.add(`${cluster}/${resource}`);
      return undefined;
    }
    this.#nextExpiry = Math.min(sheet.validUntil, this.#nextExpiry ?? Number.POSITIVE_INFINITY);
    return sheet;
  }
}
