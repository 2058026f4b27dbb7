import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled } from './bundled.js';

const ROOT = join(import.meta.dirname, '..', '..');
const TESTS = ['one.test.ts', 'other.test.ts'];

describe('test files whose sources are one module', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(ROOT, 'node_modules', '.bundled-'));
    await writeFile(
      join(folder, 'helper.ts'),
      "import { toTime } from '@outrigger/core';\nexport const at: string = toTime(0);\nexport const here: string = import.meta.url;\n",
    );
    for (const file of TESTS) {
      await writeFile(
        join(folder, file),
        "import fc from 'fast-check';\nimport { it } from 'vitest';\nimport { at, here } from './helper.js';\nit(at, () => fc.pre(here !== ''));\n",
      );
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Returns the hooks of the plugin in a run of the two test files. */
  function hooks(watch = false) {
    const { configureVitest, resolveId, load } = bundled(folder);
    if (typeof configureVitest !== 'function' || typeof resolveId !== 'function' || typeof load !== 'function') throw new Error('no hooks');
    const project = { globTestFiles: async () => ({ testFiles: TESTS.map((file) => join(folder, file)) }) };
    configureVitest({ vitest: { config: { watch } }, project } as unknown as Parameters<typeof configureVitest>[0]);
    return {
      load: async (id: string) => (await load.call({} as never, id)) as { readonly code: string } | undefined,
      resolve: (source: string, importer: string) => resolveId.call({} as never, source, importer, {} as never),
    };
  }
  const importsOf = (code = ''): string[] => [...code.matchAll(/ from "([^"]+)"/g)].map(([, from = '']) => from);

  it('import one module with all sources, and other packages as usual', async () => {
    const { load, resolve } = hooks();
    const sources = new Set<string>();
    for (const file of TESTS) {
      const [own = '', ...others] = importsOf((await load(join(folder, file)))?.code).sort();
      expect(others).toEqual(['fast-check', 'vitest']);
      sources.add(String(await resolve(own, join(folder, file))));
    }
    expect(sources.size).toBe(1);
    const code = (await load([...sources].join()))?.code;
    expect(code).toContain('function toTime');
    expect(code).toContain(pathToFileURL(join(folder, 'helper.ts')).href);
  });

  it('leave every other file to vitest', async () => {
    const { load, resolve } = hooks();
    expect(await load(join(folder, 'helper.ts'))).toBeUndefined();
    expect(await load(join(folder, 'not-in-this-run.test.ts'))).toBeUndefined();
    expect(await resolve('./helper.js', join(folder, 'not-in-this-run.test.ts'))).toBeUndefined();
  });

  it('are left to vitest in watch mode', async () => {
    expect(await hooks(true).load(join(folder, TESTS[0] ?? ''))).toBeUndefined();
  });
});
