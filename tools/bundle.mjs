// Bundles the `outrigger` command. This is also a step of `npm run build`. With --package it writes the folder that `npm pack` packs and the
// image runs, whose only dependency is lmdb.
import { cpSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildConsoleApp } from './console-app.mjs';
import { directImports } from './direct-imports.mjs';
import { ROOT, install } from './install.mjs';
import { writeOutputs } from './outputs.mjs';
import { lockFor } from './package-lock.mjs';

const CLI = join(ROOT, 'packages/cli');
export const CLI_ENTRY = join(CLI, 'src/main.ts');

/** The program of the thread in which the console plans. */
const PLAN_WORKER = join(CLI, 'src/console/plan-worker.ts');

/** The file that the `bin` entries of packages/cli run. */
const BUNDLE = join(CLI, 'dist/bundle');

/**
 * Bundles the sources into one folder of chunks, in a fraction of a second. Returns the file to run. Chunks of earlier builds stay, because
 * a running process may still load some of them. Tests that run at the same time may each call it.
 */
export async function bundle(outdir = BUNDLE, sourcemap = true) {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    write: false,
    entryPoints: { main: CLI_ENTRY, 'plan-worker': PLAN_WORKER },
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['source'],
    // For packages without an exports map, use their ES modules, so that a dynamic import gives named exports.
    mainFields: ['module', 'main'],
    plugins: [directImports()],
    // lmdb has a native part that must stay in its installed location.
    external: ['lmdb'],
    // Bundled CommonJS packages still call `require`.
    banner: {
      js: "import { createRequire as outriggerCreateRequire } from 'node:module'; const require = outriggerCreateRequire(import.meta.url);",
    },
    sourcemap,
    logLevel: 'warning',
  });
  // The console server finds the app next to the chunk that it runs from.
  await buildConsoleApp(join(outdir, 'console'));
  // Chunks have a digest in their names. The entry points keep their names, so they are written after all chunks that they import.
  const isEntry = ({ path }) => /^(main|plan-worker)\./.test(basename(path));
  writeOutputs(outdir, [...outputFiles.filter((file) => !isEntry(file)), ...outputFiles.filter(isEntry)]);
  // This stops esbuild's service process, which would otherwise run as long as this process.
  await stop();
  const file = join(outdir, 'main.js');
  // A file whose content has not changed is left alone, but packages/cli/bin/outrigger.mjs reads the time of the last build.
  utimesSync(file, new Date(), new Date());
  return file;
}

/**
 * Writes the command as a separate package to dist/package. `npm pack` in the root packs its bundle; the image installs the folder. Returns
 * the folder.
 */
export async function bundlePackage() {
  const folder = join(ROOT, 'dist/package');
  rmSync(folder, { recursive: true, force: true });
  await bundle(join(folder, 'bundle'), false);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(ROOT, 'README.md'), join(folder, 'README.md'));
  const own = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));
  const server = JSON.parse(readFileSync(join(ROOT, 'packages/control-plane/package.json'), 'utf8'));
  const manifest = {
    name: own.name,
    version: own.version,
    description: own.description,
    license: own.license,
    type: 'module',
    engines: own.engines,
    bin: { outrigger: 'bundle/main.js', 'kubectl-outrigger': 'bundle/main.js' },
    files: ['bundle'],
    dependencies: { lmdb: server.dependencies.lmdb },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const lock = lockFor(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')), manifest);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  return folder;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  await (process.argv.includes('--package') ? bundlePackage() : bundle());
}
