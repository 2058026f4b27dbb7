import { readFile } from 'node:fs/promises';
import { ConfigError } from '../kubeconfig/connection.js';

/** Reads a text file, or throws a one-line error with the path and the reason. `label` describes the file in messages. */
export async function readTextFile(path: string, label: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
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
