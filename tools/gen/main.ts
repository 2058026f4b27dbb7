/**
 * Generates all files that are derived from the definitions of the kinds and commands (TypeScript types, CustomResourceDefinitions,
 * reference pages) and from the tests (the pages of attack cases and of upstream's behaviour). With `--check` it writes nothing, prints the files that
 * differ and exits with 1 if there are any.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandFiles } from './commands.js';
import { crdFiles } from './crds.js';
import { docFiles } from './docs.js';
import { type GeneratedFile, MARK } from './files.js';
import { securityCaseFiles } from './security-cases.js';
import { typeFiles } from './types.js';
import { upstreamCaseFiles } from './upstream-cases-page.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The folders in which to look for stale files. A stale file has the mark of generated files, but is not generated any more. */
const FOLDERS = ['packages/api/src/generated', 'deploy/crds', 'docs/reference'];

const files = [...typeFiles(), ...crdFiles(), ...docFiles(), ...commandFiles(), ...upstreamCaseFiles(), ...(await securityCaseFiles(ROOT))];
const differing = await changed(files);
const stale = await leftovers(files);

if (process.argv.includes('--check')) {
  for (const path of [...differing.map((file) => file.path), ...stale])
    console.error(`${path} is not what the definitions say; run: npm run gen`);
  process.exitCode = differing.length + stale.length > 0 ? 1 : 0;
} else {
  for (const file of differing) {
    await mkdir(dirname(join(ROOT, file.path)), { recursive: true });
    await writeFile(join(ROOT, file.path), file.text);
    console.log(`wrote ${file.path}`);
  }
  for (const path of stale) {
    await rm(join(ROOT, path));
    console.log(`removed ${path}`);
  }
}

async function changed(all: readonly GeneratedFile[]): Promise<GeneratedFile[]> {
  const found = await Promise.all(all.map(async (file) => ((await textOf(file.path)) === file.text ? [] : [file])));
  return found.flat();
}

async function leftovers(all: readonly GeneratedFile[]): Promise<string[]> {
  const wanted = new Set(all.map((file) => file.path));
  const present = await Promise.all(FOLDERS.map(async (folder) => (await listing(folder)).map((name) => `${folder}/${name}`)));
  const others = present.flat().filter((path) => !wanted.has(path));
  const stale = await Promise.all(others.map(async (path) => ((await textOf(path))?.split('\n', 1)[0]?.includes(MARK) ? [path] : [])));
  return stale.flat();
}

async function textOf(path: string): Promise<string | undefined> {
  return ifPresent(readFile(join(ROOT, path), 'utf8'), undefined);
}

async function listing(folder: string): Promise<string[]> {
  return ifPresent(filesIn(join(ROOT, folder)), []);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function ifPresent<T, F>(reading: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return fallback;
    throw error;
  }
}
