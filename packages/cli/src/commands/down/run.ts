import { resolve } from 'node:path';
import { CommandError, EXIT } from '../../failure.js';
import { usable } from '../../local/data-folder.js';
import { isRunning, runningProcess } from '../../local/process-identity.js';
import type { CommandContext } from '../context.js';
import type { DownOptions } from './command.js';

const POLL_MS = 100;

/** Asks the process that uses a data folder to exit, and waits until it has exited. Succeeds if no such process runs. */
export async function down({ terminal, runtime, signal }: CommandContext, options: DownOptions): Promise<void> {
  const dataDir = resolve(options.dataDir);
  const running = await usable(dataDir, () => runningProcess(dataDir));
  if (!running) {
    terminal.note(`nothing runs in ${dataDir}\n`);
    return;
  }
  process.kill(running.pid, 'SIGTERM');
  const { clock, timers } = await runtime();
  const limit = clock.monotonic() + options.timeout * 1000;
  terminal.note(`stopping process ${running.pid} ...\n`);
  while (isRunning(running)) {
    if (clock.monotonic() > limit) {
      throw new CommandError(
        `process ${running.pid} did not end within ${options.timeout} s: its log is ${dataDir}/outrigger.log`,
        EXIT.no,
      );
    }
    await timers.sleep(POLL_MS, signal);
  }
  terminal.out(`stopped; the data stays in ${dataDir}\n`);
}
