import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFiles } from './files.js';

it('a file may have more objects and problems than a call can have arguments', async () => {
  const { signal } = new AbortController();
  // The list has more items than a function call can have arguments, which is about 120,000.
  const text = `{"apiVersion":"v1","kind":"List","items":[${'1,'.repeat(150_000)}1]}`;
  const { problems } = await readFiles(['-'], { signal, stdin: async () => text });
  expect(problems).toHaveLength(150_001);
});

it.each(['kustomization.yaml', 'kustomization.yml'])('%s in a folder is not an object of the folder', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-files-'));
  await writeFile(join(folder, name), 'resources: [object.yaml]\n');
  await writeFile(join(folder, 'object.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
  const { objects, problems } = await readFiles([folder], { signal: new AbortController().signal, stdin: async () => '' });
  expect([objects.length, problems]).toEqual([1, []]);
  await rm(folder, { recursive: true });
});
