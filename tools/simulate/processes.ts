import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { NODE_FLAGS, bundle } from './bundle.js';
import { parseOptions } from './options.js';
import type { Findings } from './report.js';

/** Runs the seeds of the first layer that the arguments of `npm run simulate` name. Returns the findings of each process. */
export function runLayer1(args: readonly string[]): Promise<readonly Findings[]> {
  return runBundled('layer-1', args);
}

/** Runs layer 2, the whole system. */
export function runLayer2(args: readonly string[]): Promise<readonly Findings[]> {
  return runBundled('layer-2', args);
}

/** Runs a program of this folder from a bundle, which is faster than the TypeScript sources. */
async function runBundled(name: string, args: readonly string[]): Promise<readonly Findings[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-simulate-'));
  try {
    const program = join(folder, `${name}.mjs`);
    await bundle(pathOf(`./${name}.ts`), program, [installedModules]);
    return await spread(args, [...NODE_FLAGS, program], chosenNode());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Keeps lmdb out of the bundle, because it has a native part. The bundle imports lmdb by its full path, because Node would not find it by
 * name from the bundle's folder.
 */
const installedModules: Plugin = {
  name: 'installed modules',
  setup: (it) => it.onResolve({ filter: /^lmdb$/ }, ({ path }) => ({ path: import.meta.resolve(path), external: true })),
};

/** Runs layer 3, processes on a real API server, whose binaries `npm run simulate` has built. */
export function runLayer3(args: readonly string[]): Promise<readonly Findings[]> {
  return spread(args, ['--conditions=source', '--import', 'tsx', pathOf('./layer-3.ts')]);
}

/** Starts the program once per process, each with its own part of the seeds. */
function spread(args: readonly string[], command: readonly string[], node: string = process.execPath): Promise<readonly Findings[]> {
  const { processes } = parseOptions(args, availableParallelism());
  return Promise.all(Array.from({ length: processes }, (_, offset) => child(node, [...command, String(offset), ...args])));
}

/**
 * Returns the path of the Node that runs layers 1 and 2. `OUTRIGGER_NODE` may name a newer Node than the product supports, because a newer
 * one is faster.
 */
function chosenNode(): string {
  return process.env['OUTRIGGER_NODE'] ?? process.execPath;
}

async function child(node: string, command: readonly string[]): Promise<Findings> {
  const started = spawn(node, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => started.on('close', resolve));
  if (code !== 0) throw new Error(`a process of the simulation ended with ${String(code)}`);
  return JSON.parse(output) as Findings;
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
