import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin as BundlerPlugin, build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Test files that compute for long. vitest gives every module an object of getters, and a call of an imported function reads a getter. Code
 * that calls small functions of many modules, as a simulation does, takes a quarter less processor time if it is one module.
 */
export const BUNDLED_TESTS: readonly string[] = [
  'test/integration/fleet/histories/first-half.test.ts',
  'test/integration/fleet/histories/second-half.test.ts',
  'test/integration/fleet/histories/gated.test.ts',
  'test/integration/thread/simulation.test.ts',
  'test/integration/identity/faulty-network.test.ts',
  'test/integration/identity/crashes.test.ts',
  'test/integration/addon/write-budget.test.ts',
];

/**
 * Returns a plugin for vitest that loads each of these test files as one module, with every source of this repository that it imports. The
 * file has its own instances of these sources. Other packages are imported as usual.
 * @param files Paths in the repository.
 */
export function bundled(files: readonly string[], root: string = ROOT): Plugin {
  const paths = new Set(files.map((file) => join(root, file)));
  return {
    name: 'outrigger:bundled',
    enforce: 'pre',
    async load(id) {
      const [path = ''] = id.split('?');
      if (!paths.has(path)) return undefined;
      const { outputFiles, metafile } = await build({
        entryPoints: [path],
        absWorkingDir: root,
        outdir: dirname(path),
        bundle: true,
        write: false,
        metafile: true,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        conditions: ['source'],
        sourcemap: 'external',
        plugins: [onlyOwnSources, ownAddresses],
        logLevel: 'warning',
      });
      for (const input of Object.keys(metafile.inputs)) this.addWatchFile(join(root, input));
      const text = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? '';
      return { code: text('.js'), map: text('.map') };
    },
  };
}

/** Leaves packages that are not part of this repository to vitest, which must not load a second instance of itself. */
const onlyOwnSources: BundlerPlugin = {
  name: 'only-own-sources',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@outrigger/') ? undefined : { path, external: true },
    );
  },
};

/** Keeps the address of each source that reads its own address. */
const ownAddresses: BundlerPlugin = {
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8'))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};
