import { ConfigError } from '../kubeconfig/connection.js';
import { readText } from './read-text.js';

/**
 * Reads a text file, or throws a one-line error with the path and the reason, or with the reason of the signal. `label` describes the file
 * in messages.
 */
export async function readTextFile(path: string, label: string, signal: AbortSignal = new AbortController().signal): Promise<string> {
  try {
    return await readText(path, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ConfigError(`${label} ${path}: ${reason(error)}`, { cause: error });
  }
}

function reason(error: unknown): string {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ENOENT':
      return 'no such file: check the path';
    case 'EACCES':
      return 'may not be read by this user: check its permissions';
    case 'EISDIR':
      return 'is a directory, not a file';
    default:
      return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
