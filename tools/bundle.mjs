// Bundles the `outrigger` command into dist/cli. Also a step of `npm run build`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './install.mjs';

export const CLI_ENTRY = join(ROOT, 'packages/cli/src/main.ts');

/** One directory of chunks from the sources; takes a fraction of a second. Returns the file to run. */
export async function bundle() {
  const { build, stop } = await import('esbuild');
  await build({
    entryPoints: [CLI_ENTRY],
    outdir: join(ROOT, 'dist/cli'),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['source'],
    // Packages without an exports map: their ES modules, so that importing them on demand gives named exports.
    mainFields: ['module', 'main'],
    // Has a native part that must stay where it was installed.
    external: ['lmdb'],
    // Bundled CommonJS packages still ask for `require`.
    banner: {
      js: "import { createRequire as outriggerCreateRequire } from 'node:module'; const require = outriggerCreateRequire(import.meta.url);",
    },
    sourcemap: true,
    logLevel: 'warning',
  });
  // Its service process would otherwise live as long as ours.
  await stop();
  return join(ROOT, 'dist/cli/main.js');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await bundle();
