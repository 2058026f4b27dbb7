/**
 * Counts available add-ons by image. Updates the counts with each event, because scanning 200,000 add-ons ten times per second would
 * disturb the run.
 */
export class SettledCounts {
  readonly #images = new Map<string, string>();
  readonly #available = new Set<string>();
  readonly #byImage = new Map<string, number>();
  readonly #settledAt = new Map<string, number>();

  available(key: string, isAvailable: boolean, now: number): void {
    if (isAvailable === this.#available.has(key)) return;
    if (isAvailable) {
      this.#available.add(key);
      this.#settledAt.set(key, now);
    } else this.#available.delete(key);
    this.#count(this.#images.get(key), isAvailable ? 1 : -1);
  }

  image(key: string, image: string, now: number): void {
    const before = this.#images.get(key);
    if (before === image) return;
    this.#images.set(key, image);
    if (!this.#available.has(key)) return;
    this.#settledAt.set(key, now);
    this.#count(before, -1);
    this.#count(image, 1);
  }

  settled(image?: string): number {
    return image === undefined ? this.#available.size : (this.#byImage.get(image) ?? 0);
  }

  /** Returns the times at which each add-on last became available or, if the add-on stayed available, changed its image. */
  settledAt(): readonly number[] {
    return [...this.#settledAt.values()];
  }

  settledSinceReset(): number {
    return this.#settledAt.size;
  }

  /** Clears the recorded times. */
  reset(): void {
    this.#settledAt.clear();
  }

  #count(image: string | undefined, by: number): void {
    if (image !== undefined) this.#byImage.set(image, (this.#byImage.get(image) ?? 0) + by);
  }
}
