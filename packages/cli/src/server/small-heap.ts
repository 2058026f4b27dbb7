import { setFlagsFromString } from 'node:v8';

/**
 * Makes this process prefer a small heap to speed, for a server that does little: the agent of one cluster. By default the young generation
 * grows to 32 MB in a burst of a second and never shrinks, and the old one may double before it is collected. Call it before other work.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--optimize-for-size');
  // A burst of work ends before optimized code pays for its compilation: optimize what runs for long only.
  setFlagsFromString('--interrupt-budget=1000000');
}
