import { errorMessage } from '@outrigger/core';

/** The last stop of every error: one line for a person, and an exit code a script can use. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`outrigger: ${errorMessage(error)}\n`);
  process.exitCode = 1;
}
