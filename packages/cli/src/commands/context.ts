import type { Runtime } from '@outrigger/core';
import type { Terminal } from '../terminal/terminal.js';

/** The parts of the process that every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process gets a signal to stop. */
  readonly signal: AbortSignal;
  /** Returns the runtime. The runtime is created on first use, because invalid command lines and `--help` do not need it. */
  readonly runtime: () => Promise<Runtime>;
  /** Asks the user a yes-or-no question. Absent if the process is not interactive; commands then require `--yes`. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Reads the whole standard input of the process. */
  readonly stdin: () => Promise<string>;
}
