import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin as BuildPlugin, type Rolldown } from 'vite';
import type { Plugin } from 'vitest/config';

const ROOT = join(import.meta.dirname, '..', '..');

/** The prefix of the modules that the plugin makes. Their paths are not paths of files. */
const PREFIX = '\0bundled:';

/**
 * Returns a plugin for vitest that loads every source of this repository as a part of one module, which the test files import. Other
 * packages are imported as usual. vitest gives every module an object of getters, and a call of an imported function reads a getter, so
 * code that calls small functions of many modules takes a quarter less processor time if all of them are in one module. In watch mode the
 * plugin does nothing, because a change of one file would load everything again.
 */
export function bundled(root: string = ROOT): Plugin {
  let testFiles: () => Promise<readonly string[]> = () => Promise.resolve([]);
  let bundle: Promise<Bundle> | undefined;
  const find = async (id: string): Promise<Rolldown.OutputChunk | undefined> => {
    bundle ??= testFiles().then((files) => bundleOf(files, root));
    const { tests, chunks } = await bundle;
    return chunks.get(tests.get(id) ?? id.slice(PREFIX.length));
  };
  return {
    name: 'outrigger:bundled',
    enforce: 'pre',
    configureVitest({ vitest, project }) {
      if (vitest.config.watch) return;
      // The type does not declare `filenamePattern`, the paths on the command line. Without these paths, the bundle would contain test
      // files that do not run.
      const run = vitest as { readonly filenamePattern?: string[] };
      testFiles = async () => (await project.globTestFiles(run.filenamePattern)).testFiles;
    },
    async resolveId(source, importer) {
      if (source.startsWith(PREFIX)) return source;
      if (!source.startsWith('.') || importer === undefined || !isPart(importer)) return undefined;
      const chunk = await find(importer);
      return chunk && `${PREFIX}${posix.join(posix.dirname(chunk.fileName), source)}`;
    },
    async load(id) {
      if (!isPart(id)) return undefined;
      const chunk = await find(id);
      return chunk && { code: chunk.isEntry ? withConstants(chunk.code) : chunk.code, map: chunk.map };
    },
  };
}

/**
 * Replaces the imports of sources by constants, because reading an export of a module with thousands of exports is slow. No line changes
 * its number.
 */
function withConstants(code: string): string {
  return code.replaceAll(/^import \{ ([^}]+) \} from ("\.[^"]+");$/gm, (_, names: string, path: string, at: number) => {
    return `import * as __sources${at} from ${path}; const { ${names.replaceAll(/(\S+) as (\S+)/g, '$1: $2')} } = __sources${at};`;
  });
}

/** Reports whether a module may be a part of the bundle. It must be fast, because vitest calls it for every module. */
function isPart(id: string): boolean {
  return id.startsWith(PREFIX) || id.endsWith('.test.ts');
}

interface Bundle {
  /** The name of the chunk of each test file. */
  readonly tests: ReadonlyMap<string, string>;
  readonly chunks: ReadonlyMap<string, Rolldown.OutputChunk>;
}

/** Bundles the given test files: one chunk for each of them, and one for all sources that they import. */
async function bundleOf(files: readonly string[], root: string): Promise<Bundle> {
  if (files.length === 0) return { tests: new Map(), chunks: new Map() };
  const result = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [ownAddresses],
    define: { 'import.meta.url': 'ownUrl', 'import.meta.dirname': 'ownDirname' },
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] } },
    build: {
      ssr: true,
      write: false,
      minify: false,
      sourcemap: true,
      target: 'node20',
      rolldownOptions: {
        input: [...files],
        treeshake: false,
        output: {
          codeSplitting: { groups: [{ name: 'sources', test: (id) => !files.includes(id) }] },
          sourcemapPathTransform: (source, map) => join(dirname(map), source),
        },
      },
    },
  });
  const chunks = (result as Rolldown.RolldownOutput).output.filter((part) => part.type === 'chunk');
  return {
    tests: new Map(
      chunks.flatMap(({ fileName, facadeModuleId, isEntry }) => (isEntry && facadeModuleId ? [[facadeModuleId, fileName]] : [])),
    ),
    chunks: new Map(chunks.map((chunk) => [chunk.fileName, chunk])),
  };
}

/**
 * Declares the constants that replace `import.meta` properties of a source, such as its URL. They are in its first line, so that other
 * lines keep their numbers.
 */
const ownAddresses: BuildPlugin = {
  name: 'outrigger:own-addresses',
  enforce: 'pre',
  transform(code, id) {
    if (!code.includes('import.meta.')) return undefined;
    const declared = `const ownUrl = ${JSON.stringify(pathToFileURL(id).href)}, ownDirname = ${JSON.stringify(dirname(id))};`;
    return { code: `${declared} ${code}`, map: null };
  },
};
