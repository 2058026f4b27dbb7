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

export interface HeapStep {
  readonly mode: HeapMode;
  /** Whether to run one full garbage collection now. */
  readonly collect: boolean;
}

const QUIET = 0.1;
const BUSY = 0.5;
const MB = 2 ** 20;
/** Less unused memory than this is not worth a collection. */
const WORTHWHILE_BYTES = 8 * MB;
/**
 * A collection stops the process for about 1.5 ms per megabyte in use: for 0.8 s at this size, and for several times as long on a machine
 * that is busy with other work. Even then it loses neither a lease (15 s) nor a liveness probe (three failures). With a larger heap, the
 * memory is not worth the pause.
 */
const LARGEST_COLLECTED_BYTES = 512 * MB;

/**
 * Decides how the heap is managed until the next sample. Between the quiet and the busy threshold the mode does not change, so that it does
 * not flap.
 */
export function nextHeapStep(mode: HeapMode, { utilization, reservedBytes, usedBytes }: HeapSample): HeapStep {
  if (utilization >= BUSY) return { mode: 'fast', collect: false };
  if (mode === 'small' || utilization >= QUIET) return { mode, collect: false };
  return { mode: 'small', collect: usedBytes <= LARGEST_COLLECTED_BYTES && reservedBytes - usedBytes >= WORTHWHILE_BYTES };
}
