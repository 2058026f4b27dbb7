// Builds the console's browser app: packages/console into a folder of static files. It takes a few tenths of a second, so every bundle of
// the command contains it. `node tools/console-app.mjs` prints the sizes.
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ROOT, install } from './install.mjs';
import { writeOutputs } from './outputs.mjs';

const CONSOLE = join(ROOT, 'packages/console');

/** The folder in which the console server, run from source, looks for the app. */
export const APP = join(CONSOLE, 'dist/app');

/** Writes index.html and its hashed scripts and styles. Returns the compressed size, in bytes by kind, of the files that the first page loads. */
export async function buildConsoleApp(outdir = APP, sourcemap = false) {
  const { build } = await import('esbuild');
  const assets = join(outdir, 'assets');
  const { metafile, outputFiles } = await build({
    entryPoints: { app: join(CONSOLE, 'src/main.tsx'), style: join(CONSOLE, 'src/style.css') },
    outdir: assets,
    write: false,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16'],
    conditions: ['source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    absWorkingDir: ROOT,
    metafile: true,
    sourcemap,
    logLevel: 'warning',
  });
  const outputs = Object.entries(metafile.outputs).filter(([file]) => !file.endsWith('.map'));
  const entry = (name) => outputs.find(([, { entryPoint }]) => entryPoint === `packages/console/src/${name}`)?.[0];
  const address = (file) => `/${relative(outdir, join(ROOT, file)).replaceAll('\\', '/')}`;
  const script = entry('main.tsx');
  const style = entry('style.css');
  const loaded = staticImports(metafile, script);
  const page = readFileSync(join(CONSOLE, 'src/index.html'), 'utf8')
    .replace('%STYLE%', address(style))
    .replace(
      '%PRELOADS%',
      loaded
        .slice(1)
        .map((file) => `<link rel="modulepreload" href="${address(file)}" />`)
        .join('\n    '),
    )
    .replace('%SCRIPT%', address(script));
  writeOutputs(outdir, [...outputFiles, { path: join(outdir, 'index.html'), contents: page }]);
  const isOutput = (name) => outputFiles.some(({ path }) => path === join(assets, name));
  for (const name of readdirSync(assets)) if (!isOutput(name)) rmSync(join(assets, name), { force: true });
  const compressed = (file) => gzipSync(readFileSync(join(ROOT, file)), { level: 9 }).length;
  const total = (files) => files.reduce((sum, file) => sum + compressed(file), 0);
  return { script: total(loaded), style: compressed(style), all: total(outputs.map(([file]) => file)) };
}

/** Returns the file and all its static imports, which a browser loads before it draws the first page. */
function staticImports(metafile, file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const imports = metafile.outputs[file].imports.filter(({ kind }) => kind === 'import-statement');
  return [file, ...imports.flatMap(({ path }) => staticImports(metafile, path, seen))];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  install();
  const began = performance.now();
  const { script, style, all } = await buildConsoleApp();
  const kilobytes = (bytes) => `${(bytes / 1_000).toFixed(1)} kB`;
  process.stdout.write(
    `console app: first load ${kilobytes(script)} script and ${kilobytes(style)} style, ${kilobytes(all)} in all, compressed; built in ${Math.round(performance.now() - began)} ms\n`,
  );
  process.exit(0);
}
