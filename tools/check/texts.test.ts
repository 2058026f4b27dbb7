import { describe, expect, it } from 'vitest';
import { entriesWithAddress } from './lockfile.js';
import { machinePaths } from './machine-paths.js';

describe('lockfile check', () => {
  it.each([
    { name: 'a registry address', resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', found: ['node_modules/a'] },
    { name: 'a git address', resolved: 'git+ssh://git@example.com/a.git', found: ['node_modules/a'] },
    { name: 'a file', resolved: 'file:../a.tgz', found: ['node_modules/a'] },
    { name: 'a workspace', resolved: 'packages/core', found: [] },
  ])('judges $name', ({ resolved, found }) => expect(entriesWithAddress({ packages: { 'node_modules/a': { resolved } } })).toEqual(found));
});

describe('machine path check', () => {
  it.each([
    { text: 'see /home/ann/project', found: ['1: /home/ann'] },
    { text: 'ok\n"/work/main"', found: ['2: /work/main'] },
    { text: '/Users/ann and /root/x', found: ['1: /Users/ann', '1: /root/x'] },
    { text: 'https://example.com/home/page', found: [] },
    { text: '/home/me/.kube/config', found: [] },
    { text: '~/work/x, $HOME/work/x, /apis/work.example.io/v1', found: [] },
  ])('finds $found in $text', ({ text, found }) => expect(machinePaths(text)).toEqual(found));
});
