import type { Logger } from '@outrigger/core';
import { type DestinationStream, destination, type Level, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

export interface LoggerOptions {
  readonly level?: Level;
  /** The stream for the log. Defaults to standard error, so that standard output contains only the command's output. */
  readonly destination?: DestinationStream;
}

/** Logs JSON lines. Each line has a constant message and fields with the variable data; errors include their causes. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const stream = options.destination ?? destination({ dest: 2, sync: true });
  return wrap(
    pino(
      { level: options.level ?? 'info', base: null, timestamp: stdTimeFunctions.isoTime, errorKey: 'error', messageKey: 'message' },
      stream,
    ),
  );
}

function wrap(logger: PinoLogger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: (fields) => wrap(logger.child(fields)),
  };
}
