import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const TEST = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(`${TEST}README.md`, 'utf8');

const foldersOf = (path: string): string[] =>
  readdirSync(`${TEST}${path}`, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`${path}${entry.name}`] : []));

describe('test/README.md', () => {
  it('names every folder of tests', () => {
    const folders = [...foldersOf(''), ...foldersOf('integration/')].filter((path) => path !== 'integration');
    expect(folders.filter((path) => !page.includes(`\`${path}\``))).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const named = [...page.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(`${TEST}${path}`))).toEqual([]);
  });
});
