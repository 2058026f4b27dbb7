import { cleanLines } from './terminal/clean.js';
import type { Terminal } from './terminal/terminal.js';

/** What scripts branch on; documented in docs/guides/cli.md. */
export const EXIT = {
  done: 0,
  /** The hub refused, or something broke on the way. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** A named object does not exist. */
  notFound: 3,
  /** No answer from the hub, or no way to find or enter it. */
  unreachable: 4,
  /** The command worked and the answer is no: differences, problems found, a rollout that failed or took too long. */
  no: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure whose meaning is known where it is thrown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage);
}

export function notFound(message: string): CommandError {
  return new CommandError(message, EXIT.notFound);
}

/** One meaning per error: the line a person reads, and the code a script branches on. */
export function explainFailure(error: unknown): { readonly message: string; readonly exitCode: ExitCode } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommandError) return { message, exitCode: error.exitCode };
  // By name: the classes live in packages that a start which only prints help never loads.
  const name = error instanceof Error ? error.name : '';
  const reason = name === 'ApiError' ? (error as { readonly reason?: unknown }).reason : undefined;
  if (name === 'ConfigError') return { message: `${message}${localHub(message)}`, exitCode: EXIT.unreachable };
  if (name === 'ConnectionError') return { message: `no answer from the hub: ${message}`, exitCode: EXIT.unreachable };
  if (reason === 'Unauthorized') {
    return {
      message: 'the hub does not know these credentials: check the user of the kubeconfig context, or its expiry',
      exitCode: EXIT.unreachable,
    };
  }
  if (reason === 'NotFound') return { message: `${message}${missingApi(message)}`, exitCode: EXIT.notFound };
  return { message, exitCode: EXIT.failed };
}

/** Who tries this on their own machine has a hub already, and a kubeconfig where nobody looks for it. */
function localHub(message: string): string {
  return message.startsWith('no kubeconfig') ? ', such as the .outrigger/kubeconfig that `outrigger up` writes' : '';
}

/** A server without our CustomResourceDefinitions "could not find the requested resource" or a "page", which helps nobody. */
function missingApi(message: string): string {
  return /could not find the requested resource|404 page not found/.test(message)
    ? ': this hub does not serve the add-on API; `outrigger install hub --apply` adds it'
    : '';
}

/** The last stop of every error. */
export function reportFailure(error: unknown, terminal: Terminal): ExitCode {
  const { message, exitCode } = explainFailure(error);
  terminal.note(`outrigger: ${cleanLines(message)}\n`);
  return exitCode;
}
