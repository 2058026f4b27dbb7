/** One sample of the memory and load of a server process. */
export interface HeapSample {
  /** The share of the time since the last sample in which the event loop was busy, from 0 to 1. */
  readonly utilization: number;
  /** The reserved size of the heap and the used part of it, in bytes. */
  readonly reservedBytes: number;
  readonly usedBytes: number;
}

/** `fast` lets the heap grow to save processor time; `small` returns unused memory to the operating system. */
export type HeapMode = 'fast' | 'small';

/** The state that `nextHeapStep` keeps from one sample to the next. */
export interface HeapState {
  readonly mode: HeapMode;
  /** The last garbage collection, kept until its effect is known: the reserved size before it, and the number of samples since then. */
  readonly collection?: { readonly reservedBytes: number; readonly samples: number };
}

export interface HeapStep extends HeapState {
  /** The percentage by which the old generation may grow before it is collected. */
  readonly growthPercent: number;
  /** Whether to run one full garbage collection now. */
  readonly collect: boolean;
}

const QUIET = 0.1;
const BUSY = 0.5;
const MB = 2 ** 20;
/** The process runs a garbage collection only if at least this much memory is unused. */
const WORTHWHILE_BYTES = 8 * MB;
/** The process runs another garbage collection only if the unused memory is at least this share of the used memory. */
const FRAGMENTED_SHARE = 0.25;
/**
 * The number of samples to wait for the effect of a collection, because V8's memory reducer runs eight seconds after the collection. A
 * collection and the memory reducer together compact about 50 MB, so a fragmented heap needs several collections.
 */
const SAMPLES_PER_COLLECTION = 3;
/**
 * The percentage by which the old generation may grow before it is collected. The percentage is smaller for a large heap, because the
 * memory for growth is a share of the heap.
 */
export const GROWTH_PERCENT = 40;
const LARGE_BYTES = 256 * MB;
const LARGE_GROWTH_PERCENT = 25;
/**
 * A garbage collection stops the process for about 1.5 ms per megabyte in use. At this size the pause is 1.5 s, or several times as long on
 * a machine that is busy with other work. Even then the process keeps its lease (15 s) and passes its liveness check (three failed probes).
 * For a larger heap, the released memory does not justify the pause.
 */
const LARGEST_COLLECTED_BYTES = 1024 * MB;

/**
 * Decides how the heap is managed until the next sample. While the load is between the thresholds QUIET and BUSY, the mode does not change,
 * so that it does not flap. Below QUIET, the heap is collected until a collection releases little.
 */
export function nextHeapStep(state: HeapState, sample: HeapSample): HeapStep {
  const { utilization, reservedBytes, usedBytes } = sample;
  const growthPercent = usedBytes >= LARGE_BYTES ? LARGE_GROWTH_PERCENT : GROWTH_PERCENT;
  if (utilization >= BUSY) return { mode: 'fast', growthPercent, collect: false };
  const { mode, collection } = state;
  const waiting = collection && { ...collection, samples: collection.samples + 1 };
  if (utilization >= QUIET) return { mode, ...(waiting ? { collection: waiting } : {}), growthPercent, collect: false };
  if (mode === 'small' && waiting && waiting.samples < SAMPLES_PER_COLLECTION)
    return { mode, collection: waiting, growthPercent, collect: false };
  const collect = usedBytes <= LARGEST_COLLECTED_BYTES && (mode === 'fast' ? isWorthwhile(sample) : isWorthAnother(sample, collection));
  return { mode: 'small', ...(collect ? { collection: { reservedBytes, samples: 0 } } : {}), growthPercent, collect };
}

function isWorthwhile({ reservedBytes, usedBytes }: HeapSample): boolean {
  return reservedBytes - usedBytes >= WORTHWHILE_BYTES;
}

/** Whether the last collection released memory and the heap is still fragmented. */
function isWorthAnother(sample: HeapSample, last: HeapState['collection']): boolean {
  const { reservedBytes, usedBytes } = sample;
  if (last === undefined || last.reservedBytes - reservedBytes < WORTHWHILE_BYTES) return false;
  return isWorthwhile(sample) && reservedBytes - usedBytes >= usedBytes * FRAGMENTED_SHARE;
}
