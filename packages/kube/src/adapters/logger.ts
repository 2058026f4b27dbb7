import type { LogFields, Logger } from '@outrigger/core';

/** The levels and the number that a log line carries for each. No method logs at `fatal`: a logger of that level is silent. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
type Level = keyof typeof LEVELS;

export interface LoggerOptions {
  readonly level?: Level;
  /** Defaults to standard error, so that standard output holds only the command's output. */
  readonly destination?: { write(line: string): void };
}

/** Logs JSON lines: a constant message, fields beside it, errors with their causes. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const stream = options.destination ?? { write: (line: string) => void process.stderr.write(line) };
  return loggerWith('', LEVELS[options.level ?? 'info'], (line) => stream.write(line));
}

function loggerWith(inherited: string, least: number, write: (line: string) => void): Logger {
  const at = (level: Level): Logger['info'] => {
    if (LEVELS[level] < least) return () => undefined;
    return (fields, message) =>
      write(
        `{"level":${LEVELS[level]},"time":"${new Date().toISOString()}"${inherited}${encoded(fields)},"message":${JSON.stringify(message)}}\n`,
      );
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerWith(inherited + encoded(fields), least, write),
  };
}

/** The fields as members of a JSON object, each after a comma. */
function encoded(fields: LogFields): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    const json = jsonOf(value);
    if (json !== undefined) text += `,${JSON.stringify(name)}:${json}`;
  }
  return text;
}

/** A log line must not fail: a value that JSON cannot express is named instead. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (inner instanceof Error ? errorFields(inner) : inner));
  } catch (error) {
    return JSON.stringify(`(not loggable: ${error instanceof Error ? error.message : String(error)})`);
  }
}

/** An error with its own fields. The message and the stack include those of its causes. */
function errorFields(error: Error): Record<string, unknown> {
  const { name, message: _message, stack: _stack, cause: _cause, ...own } = error as Error & Record<string, unknown>;
  const chain = causes(error);
  return {
    type: error.constructor.name || name,
    message: chain.map(({ message }) => message).join(': '),
    stack: chain.map(({ stack }) => stack ?? '').join('\ncaused by: '),
    ...own,
  };
}

const MAX_CAUSES = 10;

function causes(error: Error): readonly Error[] {
  const chain = [error];
  for (let { cause } = error; cause instanceof Error && chain.length < MAX_CAUSES && !chain.includes(cause); cause = cause.cause) {
    chain.push(cause);
  }
  return chain;
}
