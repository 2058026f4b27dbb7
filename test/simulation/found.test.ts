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
