import { readFileSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PreparedWorld, examine, prepareWorld, story } from '@outrigger/simulator';
import { FOUND } from './found/index.js';

let prepared: PreparedWorld;
beforeAll(async () => {
  prepared = await prepareWorld();
});

describe('histories that once broke a promise', () => {
  it.each(FOUND)('$title', async ({ history }) => {
    const { result, violations } = await examine(history, prepared);
    if (violations.length > 0) expect.fail(story(result, violations));
  });
});

it('are in one file for each theme, which the page on the simulation lists', () => {
  const folder = new URL('found/', import.meta.url);
  const themes = readdirSync(folder).filter((file) => file !== 'index.ts' && file !== 'found.ts');
  const page = readFileSync(new URL('../../docs/simulation.md', import.meta.url), 'utf8');
  const [, listed = ''] = /`test\/simulation\/found`: ([^.]*)\./.exec(page) ?? [];
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}.ts`)).toEqual(themes.sort());
  const titles = themes.flatMap((file) => readFileSync(new URL(file, folder), 'utf8').match(/^ {4}title:/gm) ?? []);
  expect(FOUND).toHaveLength(titles.length);
});
