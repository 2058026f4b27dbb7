import type { CommandContext } from './commands/context.js';
import { processTerminal } from './terminal/terminal.js';

const REPEATED_WITHIN_MS = 1_000;

/** Returns the context for a command in this process. A second signal ends the process immediately. */
export function processContext(): { readonly context: CommandContext; readonly end: (exitCode: number) => void } {
  const controller = new AbortController();
  let runtime: Promise<Awaited<ReturnType<CommandContext['runtime']>>> | undefined;
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // After a Ctrl-C, this process gets one signal from the terminal and another that `npm start` forwards. The second one is ignored.
    const isRepeated = stoppedAt !== undefined && performance.now() - stoppedAt < REPEATED_WITHIN_MS;
    if (isRepeated) return;
    if (stoppedAt !== undefined) {
      // The default action ends the process at once. `process.exit` would wait for a thread that is blocked in a system call.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      return;
    }
    stoppedAt = performance.now();
    controller.abort(new Error(`ended by ${signal}`));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.stdout.on('error', endUnwritten);
  // If stderr cannot be written, no error message is possible, but the exit code still reports the failure.
  process.stderr.on('error', () => undefined);
  const context: CommandContext = {
    terminal: processTerminal(),
    env: process.env,
    signal: controller.signal,
    runtime: () => {
      runtime ??= import('./process-runtime.js').then(({ commandRuntime }) => commandRuntime());
      return runtime;
    },
    ...(process.stdin.isTTY && process.stdout.isTTY ? { ask: (question: string) => askOnTerminal(question, controller.signal) } : {}),
    stdin: async () => {
      const { collect } = await import('@outrigger/kube/node');
      return collect(process.stdin, controller.signal);
    },
  };
  // Exit explicitly once the output is written. Without this, sockets that a server keeps open would delay the end of a finished command.
  const end = (exitCode: number): void => void process.stdout.write('', (error) => (error ? endUnwritten(error) : process.exit(exitCode)));
  return { context, end };
}

/** Asks on stderr, because results go to stdout. The code that reads keys is loaded only when a command asks a question. */
async function askOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  const { ask } = await import('./terminal/ask.js');
  return ask(question, { input: process.stdin, output: process.stderr }, signal);
}

/**
 * Ends the process after a failed write. If the reader has closed the pipe (`outrigger get addons | head`), the exit code is 0; after other
 * errors, such as a full disk, it is 1.
 */
function endUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`outrigger: the output could not be written: ${error.message}\n`);
  process.exit(1);
}
