import { MAX_WORK_BYTES } from '@outrigger/api';

/** One rendered manifest, as input to `splitIntoWorks`. */
export interface SizedManifest {
  /** Group, kind, namespace and name, which stay the same when the content changes. */
  readonly id: string;
  /** Bytes of JSON. */
  readonly size: number;
}

/** An existing work and the manifests it contains. */
export interface PlacedWork {
  readonly index: number;
  readonly ids: readonly string[];
}

/** The manifests of one work, in the order they were rendered. */
export interface WorkShare<M extends SizedManifest> {
  readonly index: number;
  readonly manifests: readonly M[];
}

export interface WorkBudget {
  /** New manifests fill a work only up to this size, so that the manifests in it can grow. */
  readonly fillBytes: number;
  /** Maximum size of a work in bytes; admission rejects larger works. */
  readonly limitBytes: number;
}

export const WORK_BUDGET: WorkBudget = { fillBytes: 0.8 * MAX_WORK_BYTES, limitBytes: MAX_WORK_BYTES };

/**
 * Divides manifests into works. A manifest stays in its work, because moving it would delete the object on the cluster and create it again;
 * only a work that has grown above the limit loses its largest manifests. New manifests, largest first, go to the work with the most room.
 * If they do not fit there, they go to new works with the lowest free indexes. Works that become empty are not in the result. The result
 * does not depend on the order of `existing`.
 */
export function splitIntoWorks<M extends SizedManifest>(
  manifests: readonly M[],
  existing: readonly PlacedWork[],
  budget: WorkBudget = WORK_BUDGET,
): readonly WorkShare<M>[] {
  const bins = new Map(existing.map(({ index }) => [index, new Bin<M>(index)]));
  const home = new Map(existing.flatMap((work) => work.ids.map((id) => [id, work.index] as const)));
  const homeless: M[] = [];
  for (const manifest of uniqueById(manifests)) {
    const index = home.get(manifest.id);
    if (index === undefined) homeless.push(manifest);
    else binAt(bins, index).add(manifest);
  }
  for (const bin of bins.values()) homeless.push(...bin.shrinkTo(budget));
  for (const manifest of homeless.sort(largestFirst)) {
    const roomiest = [...bins.values()].sort((a, b) => a.size - b.size || a.index - b.index)[0];
    // An empty work accepts a manifest of any size, because a manifest cannot be split.
    const fits = roomiest !== undefined && (roomiest.size === 0 || roomiest.size + manifest.size <= budget.fillBytes);
    (fits ? roomiest : binAt(bins, lowestFree(bins))).add(manifest);
  }
  const order = new Map(manifests.map((manifest, position) => [manifest.id, position]));
  return [...bins.values()]
    .filter((bin) => bin.manifests.length > 0)
    .sort((a, b) => a.index - b.index)
    .map((bin) => ({ index: bin.index, manifests: bin.manifests.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)) }));
}

class Bin<M extends SizedManifest> {
  readonly index: number;
  manifests: M[] = [];
  size = 0;

  constructor(index: number) {
    this.index = index;
  }

  add(manifest: M): void {
    this.manifests.push(manifest);
    this.size += manifest.size;
  }

  /** Removes and returns the largest manifests until the remaining ones fit. Always keeps at least one manifest. */
  shrinkTo(budget: WorkBudget): M[] {
    if (this.size <= budget.limitBytes) return [];
    const givenUp: M[] = [];
    const bySize = [...this.manifests].sort(largestFirst);
    while (this.size > budget.fillBytes && bySize.length > 1) {
      const largest = bySize.shift();
      if (!largest) break;
      givenUp.push(largest);
      this.size -= largest.size;
    }
    this.manifests = bySize;
    return givenUp;
  }
}

function binAt<M extends SizedManifest>(bins: Map<number, Bin<M>>, index: number): Bin<M> {
  const bin = bins.get(index) ?? new Bin<M>(index);
  bins.set(index, bin);
  return bin;
}

function lowestFree<M extends SizedManifest>(bins: ReadonlyMap<number, Bin<M>>): number {
  let index = 0;
  while (bins.has(index)) index += 1;
  return index;
}

/** If several manifests have the same id, the last one wins. */
function uniqueById<M extends SizedManifest>(manifests: readonly M[]): M[] {
  return [...new Map(manifests.map((manifest) => [manifest.id, manifest])).values()];
}

function largestFirst(a: SizedManifest, b: SizedManifest): number {
  return b.size - a.size || (a.id < b.id ? -1 : 1);
}
