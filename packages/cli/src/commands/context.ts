import type { Runtime } from '@outrigger/core';
import type { Terminal } from '../terminal/terminal.js';

/** What every command gets from the process it runs in. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when a person or the system wants the command to end. */
  readonly signal: AbortSignal;
  /** Made when first asked for: most command lines are mistakes or help. */
  readonly runtime: () => Promise<Runtime>;
  /** The program's standard input, whole. */
  readonly stdin: () => Promise<string>;
}
