import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The Node.js options that load the probe into a process. The process needs an IPC channel. */
export const PROBE_OPTIONS: readonly string[] = ['--import', fileURLToPath(new URL('./probe.mjs', import.meta.url))];

/** The values that a probe reads inside a measured process. The event-loop delays are measured since the last reset. */
export interface Probed {
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** The used heap; after a garbage collection, the live heap. */
  readonly heapMb: number;
  readonly heapReservedMb: number;
  /**
   * The garbage collection pauses since the last reset: for the old generation the total and the longest, for the young generation the
   * total.
   */
  readonly gcMajorMs: number;
  readonly gcMajorMaxMs: number;
  readonly gcMinorMs: number;
}

/** `reset` begins a new measurement of the event-loop delay; `collect` collects garbage before the heap is read. */
export type ProbeQuestion = 'reset' | 'read' | 'collect';

/**
 * Sends a question to the probe of a process and resolves with the answer. Wait for the answer before sending the next question to the
 * process.
 */
export function askProbe(child: ChildProcess, question: ProbeQuestion): Promise<Probed> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`process ${child.pid} ended while it was measured`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve((message as { readonly probed: Probed }).probed);
    });
    child.send({ probe: question });
  });
}

/** Kills the child process when this process exits, so that a failed benchmark leaves no process behind. */
export function endWithThisProcess(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
