import type { ScoreSheet, SheetLookup } from './candidate.js';

/**
 * Looks up AddOnPlacementScores that are valid at one time; an expired AddOnPlacementScore counts as absent. Also records the earliest time
 * at which one of the returned AddOnPlacementScores expires.
 */
export class ScoreSheets {
  readonly #lookup: SheetLookup;
  readonly #now: number;
  #nextExpiry: number | undefined;

  constructor(lookup: SheetLookup, now: number) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** The earliest time at which one of the returned AddOnPlacementScores expires. */
  get nextChange(): number | undefined {
    return this.#nextExpiry === undefined ? undefined : this.#nextExpiry + 1;
  }

  isExpired(cluster: string, resource: string): boolean {
    const until = this.#lookup(cluster, resource)?.validUntil;
    return until !== undefined && this.#now > until;
  }

  find(cluster: string, resource: string): ScoreSheet | undefined {
    const sheet = this.#lookup(cluster, resource);
    if (sheet?.validUntil === undefined) return sheet;
    if (this.#now > sheet.validUntil) return undefined;
    this.#nextExpiry = Math.min(sheet.validUntil, this.#nextExpiry ?? Number.POSITIVE_INFINITY);
    return sheet;
  }
}
