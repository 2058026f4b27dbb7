import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../check/root.js';
import { PLANTED_BUGS } from './planted-bugs.js';

describe('planted bugs', () => {
  it.each(PLANTED_BUGS)('"$name" can be planted', ({ file, find, replace }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(source.replace(find, () => replace)).not.toBe(source);
  });

  it('are at least 30, and docs/simulation.md has a row for each', () => {
    const names = PLANTED_BUGS.map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(30);
    const rows = readFileSync(join(ROOT, 'docs/simulation.md'), 'utf8').split('\n');
    expect(names.filter((name) => !rows.some((row) => row.startsWith(`| ${name} |`)))).toEqual([]);
  });
});
