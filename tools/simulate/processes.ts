import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS, bundle } from './bundle.js';
import { parseOptions } from './options.js';
import type { Findings } from './report.js';

/** Runs the seeds of the first layer that the arguments of `npm run simulate` name. Returns the findings of each process. */
export async function runLayer1(args: readonly string[]): Promise<readonly Findings[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-simulate-'));
  try {
    const program = join(folder, 'layer-1.mjs');
    await bundle(pathOf('./layer-1.ts'), program);
    return await spread(args, [...NODE_FLAGS, program], chosenNode());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs layer 2, the whole system, from the TypeScript sources: its servers look for their files relative to the source files. */
export function runLayer2(args: readonly string[]): Promise<readonly Findings[]> {
  return spread(args, ['--conditions=source', '--import', 'tsx', pathOf('./layer-2.ts')], chosenNode());
}

/** Runs layer 3, processes on a real API server, whose binaries `npm run simulate` has built. */
export function runLayer3(args: readonly string[]): Promise<readonly Findings[]> {
  return spread(args, ['--conditions=source', '--import', 'tsx', pathOf('./layer-3.ts')]);
}

/** Starts the program once per process, each with its own part of the seeds. */
function spread(args: readonly string[], command: readonly string[], node: string = process.execPath): Promise<readonly Findings[]> {
  const { processes } = parseOptions(args, availableParallelism());
  return Promise.all(Array.from({ length: processes }, (_, offset) => child(node, [...command, String(offset), ...args])));
}

/** The Node of the layers that run under a virtual clock. A newer one than the product's is faster. */
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
