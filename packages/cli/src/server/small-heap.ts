import { setFlagsFromString } from 'node:v8';

/**
 * Configures this process for a small heap at the expense of speed. It is meant for a server that does little, such as the agent of one
 * cluster. By default, V8's young generation grows to 32 MB in a one-second burst and never shrinks. Call this function before other work,
 * and before `shrinkHeapWhenQuiet`.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Optimize only long-running code, because short bursts of work end before optimization pays off.
  setFlagsFromString('--interrupt-budget=1000000');
}
