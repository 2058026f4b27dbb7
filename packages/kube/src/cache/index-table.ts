import type { Index, Projected } from '../resource.js';

/** The records of one index value. `records` is what readers get; `entries` is in the same order. */
interface Bucket<P> {
  readonly value: string;
  readonly records: P[];
  readonly entries: Entry<P>[];
}

/** A cached record and where the indexes hold it: bucket and position, one pair after the other. */
export interface Entry<P> {
  record: P;
  /** The relist that saw it last. */
  generation: number;
  places: (Bucket<P> | number)[];
}

const NO_RECORDS: readonly never[] = [];

/** Every index of one store, kept in step with its records at constant cost per change, whatever the size of a bucket. */
export class IndexTable<P extends Projected> {
  readonly #indexes: readonly { readonly of: Index<P>; readonly buckets: Map<string, Bucket<P>> }[];
  readonly #byName: ReadonlyMap<string, Map<string, Bucket<P>>>;

  constructor(indexes: Readonly<Record<string, Index<P>>>) {
    const named = Object.entries(indexes).map(([name, of]) => ({ name, of, buckets: new Map<string, Bucket<P>>() }));
    this.#indexes = named;
    this.#byName = new Map(named.map(({ name, buckets }) => [name, buckets]));
  }

  /** The live bucket: read it within the turn, do not keep it. In no particular order. */
  find(index: string, value: string): readonly P[] | undefined {
    const buckets = this.#byName.get(index);
    return buckets && (buckets.get(value)?.records ?? NO_RECORDS);
  }

  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Computed apart from `put`, so that an index function that throws leaves the table as it was. */
  valuesOf(record: P): readonly (readonly string[])[] {
    return this.#indexes.map(({ of }) => of(record));
  }

  put(entry: Entry<P>, values: readonly (readonly string[])[]): void {
    if (this.#isPlacedAt(entry, values)) {
      for (let i = 0; i < entry.places.length; i += 2) {
        (entry.places[i] as Bucket<P>).records[entry.places[i + 1] as number] = entry.record;
      }
      return;
    }
    this.remove(entry);
    const places: (Bucket<P> | number)[] = [];
    for (let i = 0; i < values.length; i++) {
      const { buckets } = this.#indexes[i] as { readonly buckets: Map<string, Bucket<P>> };
      for (const value of new Set(values[i])) places.push(...enter(buckets, value, entry));
    }
    entry.places = places;
  }

  remove(entry: Entry<P>): void {
    const { places } = entry;
    for (let i = 0; i < places.length; i += 2) this.#leave(places[i] as Bucket<P>, places[i + 1] as number);
    entry.places = [];
  }

  #isPlacedAt(entry: Entry<P>, values: readonly (readonly string[])[]): boolean {
    let place = 0;
    for (let i = 0; i < values.length; i++) {
      const buckets = this.#indexes[i]?.buckets;
      for (const value of values[i] as readonly string[]) {
        const bucket = entry.places[place];
        if (bucket === undefined || bucket !== buckets?.get(value)) return false;
        place += 2;
      }
    }
    return place === entry.places.length;
  }

  /** The last record of the bucket takes the place of the one that leaves. */
  #leave(bucket: Bucket<P>, position: number): void {
    const lastEntry = bucket.entries.pop() as Entry<P>;
    const lastRecord = bucket.records.pop() as P;
    if (position < bucket.entries.length) {
      bucket.entries[position] = lastEntry;
      bucket.records[position] = lastRecord;
      lastEntry.places[lastEntry.places.indexOf(bucket) + 1] = position;
    }
    if (bucket.entries.length > 0) return;
    for (const { buckets } of this.#indexes) if (buckets.get(bucket.value) === bucket) buckets.delete(bucket.value);
  }
}

function enter<P>(buckets: Map<string, Bucket<P>>, value: string, entry: Entry<P>): [Bucket<P>, number] {
  let bucket = buckets.get(value);
  if (bucket === undefined) buckets.set(value, (bucket = { value, records: [], entries: [] }));
  bucket.records.push(entry.record);
  bucket.entries.push(entry);
  return [bucket, bucket.entries.length - 1];
}
