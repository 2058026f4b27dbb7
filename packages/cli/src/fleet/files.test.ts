import { expect, it } from 'vitest';
import { readFiles } from './files.js';

it('a file may have more objects and problems than a call can have arguments', async () => {
  const { signal } = new AbortController();
  // The list has more items than a function call can have arguments, which is about 120,000.
  const text = `{"apiVersion":"v1","kind":"List","items":[${'1,'.repeat(150_000)}1]}`;
  const { problems } = await readFiles(['-'], { signal, stdin: async () => text });
  expect(problems).toHaveLength(150_001);
});
