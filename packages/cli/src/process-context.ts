import type { CommandContext } from './commands/context.js';
import { processTerminal } from './terminal/terminal.js';

const REPEATED_WITHIN_MS = 1_000;

/** The command's world: this process. A second signal ends it at once, for a person who will not wait. */
export function processContext(): { readonly context: CommandContext; readonly end: (exitCode: number) => void } {
  const controller = new AbortController();
  let runtime: Promise<Awaited<ReturnType<CommandContext['runtime']>>> | undefined;
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // `npm start` passes on the Ctrl-C that the terminal has sent to this process as well: one press, two signals.
    const isRepeated = stoppedAt !== undefined && performance.now() - stoppedAt < REPEATED_WITHIN_MS;
    if (isRepeated) return;
    if (stoppedAt !== undefined) process.exit(signal === 'SIGINT' ? 130 : 143);
    stoppedAt = performance.now();
    controller.abort(new Error(`ended by ${signal}`));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.stdout.on('error', endUnwritten);
  // Nobody reads what went wrong; the exit code still tells.
  process.stderr.on('error', () => undefined);
  const context: CommandContext = {
    terminal: processTerminal(),
    env: process.env,
    signal: controller.signal,
    runtime: () => {
      runtime ??= import('@outrigger/kube/node').then(({ createLogger, createRealRuntime }) =>
        createRealRuntime({ log: createLogger({ level: 'error' }) }),
      );
      return runtime;
    },
    stdin: async () => {
      let text = '';
      for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
      return text;
    },
  };
  // Sockets a server keeps open for the next request must not keep a finished command waiting.
  const end = (exitCode: number): void => void process.stdout.write('', (error) => (error ? endUnwritten(error) : process.exit(exitCode)));
  return { context, end };
}

/** `outrigger get addons | head`: whoever reads has had enough, which is no failure. A full disk is one. */
function endUnwritten(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`outrigger: the output could not be written: ${error.message}\n`);
  process.exit(1);
}
