import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Assets } from '../http/assets.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Reads the files of the built app once. The server serves only these files, so no URL can reach any other file. The result is empty if the
 * folder does not exist.
 */
export async function readAssets(folder: string): Promise<Assets> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  const files = names.filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined);
  return new Map(
    await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = relative(folder, path).split(sep).join('/');
        return [name, { body: await readFile(path), type: TYPES[extname(entry.name)] ?? '' }] as const;
      }),
    ),
  );
}
