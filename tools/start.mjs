// `npm start`: installs if needed, bundles the command and runs it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { install, ROOT, run } from './install.mjs';

const entry = join(ROOT, 'packages/cli/src/main.ts');
const args = process.argv.slice(2);

install();
if (!existsSync(entry)) {
  process.stdout.write(
    '`npm start` will run `outrigger up`: a hub, simulated clusters and the console on this machine. The command is not there yet.\n',
  );
} else {
  run(process.execPath, [await bundle(), ...(args.length > 0 ? args : ['up'])]);
}

/** One directory of chunks, rebuilt on every start: it takes a fraction of a second and is never stale. */
async function bundle() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [entry],
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
  return join(ROOT, 'dist/cli/main.js');
}
