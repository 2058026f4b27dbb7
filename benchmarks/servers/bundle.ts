import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Node.js options for the measured processes, such as `--cpu-prof`. */
export const NODE_OPTIONS = (process.env['OUTRIGGER_BENCH_NODE'] ?? '').split(' ').filter((option) => option !== '');

/** Bundles a program of the benchmarks in the same way as a release, so that both have the same costs. Returns the path of the bundle. */
export async function bundleProgram(entry: URL, name: string): Promise<string> {
  const outfile = fileURLToPath(new URL(`../../dist/bench/${name}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    mainFields: ['module', 'main'],
    // lmdb has a native part that must stay in its installed location.
    external: ['lmdb'],
    banner: { js: "import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
