import { cleanLines } from './terminal/clean.js';
import type { Terminal } from './terminal/terminal.js';

/** The exit codes for scripts, which docs/guides/cli.md documents. */
export const EXIT = {
  done: 0,
  /** The hub rejected the request, or an unexpected error occurred. */
  failed: 1,
  /** The command line is not valid. */
  usage: 2,
  /** A named object does not exist. */
  notFound: 3,
  /** The hub does not respond, no kubeconfig was found, or the credentials are not accepted. */
  unreachable: 4,
  /** The command succeeded with a negative result: differences, problems found, or a rollout that failed or timed out. */
  no: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with the exit code that the command returns. */
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

/** Returns the message for users and the exit code for scripts. */
export async function explainFailure(error: unknown): Promise<{ readonly message: string; readonly exitCode: ExitCode }> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommandError) return { message, exitCode: error.exitCode };
  // Compare names instead of classes, because commands that only print help do not load the packages of these classes.
  const name = error instanceof Error ? error.name : '';
  const reason = name === 'ApiError' ? (error as { readonly reason?: unknown }).reason : undefined;
  if (name === 'ConfigError') return { message: `${message}${localHub(message)}${otherContext(message)}`, exitCode: EXIT.unreachable };
  if (name === 'ConnectionError')
    return { message: `no answer from the hub: ${message}${withoutTls(message)}`, exitCode: EXIT.unreachable };
  if (PLAIN_HTTP_REFUSED.test(message)) return { message: `${message.trim()}${HTTPS_HINT}`, exitCode: EXIT.unreachable };
  if (reason === 'Unauthorized') {
    return {
      message: 'the hub does not know these credentials: check the user of the kubeconfig context, or its expiry',
      exitCode: EXIT.unreachable,
    };
  }
  if (reason === 'Forbidden') return { message: `${message}${await missingRight(message)}`, exitCode: EXIT.failed };
  if (reason === 'InternalError') return { message: `${message}${deadWebhook(message)}`, exitCode: EXIT.failed };
  if (reason === 'NotFound') return { message: `${message}${missingApi(message)}`, exitCode: EXIT.notFound };
  return { message, exitCode: EXIT.failed };
}

/**
 * Returns a hint for users of a local hub. Its kubeconfig is not in a default location, and `outrigger up` writes it when the hub is ready.
 */
function localHub(message: string): string {
  if (/\.outrigger\/kubeconfig: no such file/.test(message))
    return ': `outrigger up` and `npm start` write it when the hub runs, in the folder in which they are started';
  return message.startsWith('no kubeconfig') ? ', such as the .outrigger/kubeconfig that `outrigger up` writes' : '';
}

/** Returns a hint for a context that is not in the kubeconfig. The message lists the existing contexts. */
function otherContext(message: string): string {
  return /: no context named .*: known are /.test(message) ? ': choose one of them with --context, or check KUBECONFIG' : '';
}

/** The domain of the names of the manager's admission webhooks. */
const OUR_WEBHOOKS = 'admission.outrigger.dev';

const HTTPS_HINT = ': an API server is reached by https://, so check `server` in the kubeconfig';
/** Matches the response of a kube-apiserver to an http request. */
const PLAIN_HTTP_REFUSED = /Client sent an HTTP request to an HTTPS server/;

/**
 * Returns a hint if the URL of the server starts with http. The hint depends only on the URL, because some https servers close http
 * connections without a response.
 */
function withoutTls(message: string): string {
  return message.startsWith('http://') ? HTTPS_HINT : '';
}

/**
 * Returns the cause if a server lacks our CustomResourceDefinitions. Such a server responds only that it "could not find the requested
 * resource" or "page".
 */
function missingApi(message: string): string {
  return /could not find the requested resource|404 page not found/.test(message)
    ? ': this server does not serve the add-on API, so it is no hub: choose the context of the hub with --context, or make this one a hub with `outrigger install hub --apply`'
    : '';
}

/**
 * Returns a hint if the API server refused a write because a webhook did not respond. Outrigger's webhooks respond only while a manager
 * runs.
 */
function deadWebhook(message: string): string {
  const [, webhook = ''] = /failed calling webhook "([^"]+)"/.exec(message) ?? [];
  if (webhook === '') return '';
  return webhook.endsWith(`.${OUR_WEBHOOKS}`)
    ? ': this write was refused, because no manager of Outrigger answers the API server: `outrigger doctor` shows why, and the command can be repeated when one runs'
    : ': this write was refused: this webhook belongs to another program and did not answer the API server';
}

/**
 * Returns advice about a missing permission: the roles for users that include it. Returns no advice for a refusal by an admission rule,
 * because its message already contains advice. The table of roles is loaded on demand, because most commands do not need it.
 */
async function missingRight(message: string): Promise<string> {
  const { adviceFor, missingRightIn } = await import('./install/granting-roles.js');
  const right = missingRightIn(message);
  return right ? `: ${adviceFor(right)}` : '';
}

/** A word of a message that is longer than this is shortened. The longest names in Kubernetes have 253 characters. */
const LONGEST_WORD = 300;

/** Shortens words that are too long for a name, such as the content of a file given as a name, so that the message stays readable. */
export function abridged(message: string): string {
  return message.replaceAll(new RegExp(`\\S{${LONGEST_WORD + 1},}`, 'g'), (word) => `${word.slice(0, 40)}… (${word.length} characters)`);
}

/** Matches the remark with which an API server ends a list of field errors. The remark names no field. */
const UNCHECKED_RULES = /, <nil>: Invalid value: \S+: some validation rules were not checked because the object was invalid[^\]]*/;

/** Reports an error that no other code has handled. Returns the exit code. */
export async function reportFailure(error: unknown, terminal: Terminal): Promise<ExitCode> {
  const { message, exitCode } = await explainFailure(error);
  terminal.note(`outrigger: ${abridged(cleanLines(message.replace(UNCHECKED_RULES, '')))}\n`);
  return exitCode;
}
