import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIRST_CONSOLE_TESTS, FIRST_KUBE_TESTS, FIRST_TESTS, inOrder } from './file-order.js';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the order of test files', () => {
  it.each([
    ['npm test', FIRST_TESTS],
    ['test:kube', FIRST_KUBE_TESTS],
    ['test:console', FIRST_CONSOLE_TESTS],
  ])('%s starts with files that exist, each named once', (_, first) => {
    expect(first.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(new Set(first).size).toBe(first.length);
  });

  it('starts the named files first and the others by name, and loses none', () => {
    const files = ['/r/a.test.ts', '/r/slow.test.ts', '/r/not-slow.test.ts', '/r/b/slower.test.ts'].map((moduleId) => ({ moduleId }));
    expect(inOrder(files, ['b/slower.test.ts', 'slow.test.ts']).map(({ moduleId }) => moduleId)).toEqual([
      '/r/b/slower.test.ts',
      '/r/slow.test.ts',
      '/r/a.test.ts',
      '/r/not-slow.test.ts',
    ]);
  });
});
