/** A set of the store's revisions. An implementation with bounded memory may forget revisions. */
export interface RevisionNotes {
  has(revision: number): boolean;
  add(revision: number): void;
}

export const EVERY_REVISION: RevisionNotes = { has: () => true, add: () => undefined };
export const NO_REVISION: RevisionNotes = { has: () => false, add: () => undefined };

const BITS = 32;
/** The number of revisions per chunk. */
const CHUNK = 1024;
const DEFAULT_CHUNKS = 16_384;

/** A set of revisions, one bit each. If it exceeds its size, it forgets the chunk that was added first. */
export class RevisionSet implements RevisionNotes {
  readonly #chunks = new Map<number, Uint32Array>();
  readonly #maxChunks: number;

  constructor(maxChunks: number = DEFAULT_CHUNKS) {
    this.#maxChunks = maxChunks;
  }

  has(revision: number): boolean {
    const words = this.#chunks.get(Math.floor(revision / CHUNK));
    return words !== undefined && ((words[wordOf(revision)] as number) & bitOf(revision)) !== 0;
  }

  add(revision: number): void {
    const chunk = Math.floor(revision / CHUNK);
    const words = this.#chunks.get(chunk) ?? new Uint32Array(CHUNK / BITS);
    words[wordOf(revision)] = (words[wordOf(revision)] as number) | bitOf(revision);
    this.#chunks.set(chunk, words);
    if (this.#chunks.size <= this.#maxChunks) return;
    for (const oldest of this.#chunks.keys()) {
      this.#chunks.delete(oldest);
      return;
    }
  }
}

function wordOf(revision: number): number {
  return Math.floor((revision % CHUNK) / BITS);
}

function bitOf(revision: number): number {
  return 1 << (revision % BITS);
}
