import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUNDLED_TESTS, bundled } from './bundled.js';

const ROOT = join(import.meta.dirname, '..', '..');

describe('test files that are loaded as one module', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(ROOT, 'node_modules', '.bundled-'));
    await writeFile(
      join(folder, 'helper.ts'),
      "import { toTime } from '@outrigger/core';\nexport const at: string = toTime(0);\nexport const here: string = import.meta.url;\n",
    );
    await writeFile(
      join(folder, 'long.test.ts'),
      "import fc from 'fast-check';\nimport { it } from 'vitest';\nimport { at, here } from './helper.js';\nit(at, () => fc.pre(here !== ''));\n",
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Loads a file of the folder through the plugin. Returns its code, or undefined if vitest must load the file. */
  async function load(file: string): Promise<string | undefined> {
    const { load: hook } = bundled(['long.test.ts'], folder);
    if (typeof hook !== 'function') throw new Error('the plugin has no function that loads');
    const context = { addWatchFile: () => undefined } as unknown as ThisParameterType<typeof hook>;
    return ((await hook.call(context, join(folder, file))) as { readonly code: string } | undefined)?.code;
  }

  it('exist', () => {
    expect(BUNDLED_TESTS.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('contain the sources that they import, and import only other packages', async () => {
    const code = await load('long.test.ts');
    expect([...(code ?? '').matchAll(/ from "([^"]+)"/g)].map(([, from]) => from)).toEqual(['fast-check', 'vitest']);
    expect(code).toContain('function toTime');
  });

  it('keep the address of each source', async () => {
    expect(await load('long.test.ts')).toContain(pathToFileURL(join(folder, 'helper.ts')).href);
  });

  it('leave every other file to vitest', async () => {
    expect(await load('helper.ts')).toBeUndefined();
  });
});
