import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UPSTREAM_TOPICS } from './upstream-cases.js';

const ROOT = new URL('../../', import.meta.url);
const CASES = UPSTREAM_TOPICS.flatMap(({ cases }) => cases);
const isKube = (test: string): boolean => test.startsWith('test/kube/');

function exists(test: string): boolean {
  const [path = '', title = ''] = test.split(/: (.*)/s);
  return readFileSync(new URL(path, ROOT), 'utf8').includes(title);
}

describe('the page about behaviour of Open Cluster Management', () => {
  it('names tests that exist', () => {
    const missing = CASES.flatMap(({ embedded, kube, rule = [] }) => [...embedded, ...kube, ...rule].filter((test) => !exists(test)));
    expect(missing).toEqual([]);
  });

  it('names tests on both servers, or the reason why a real one cannot show the behaviour', () => {
    const without = CASES.filter(({ embedded, kube, because }) => embedded.length === 0 || (kube.length === 0) === (because === undefined));
    expect(without.map(({ behaviour }) => behaviour)).toEqual([]);
    expect(CASES.flatMap(({ kube }) => kube).filter((test) => !isKube(test))).toEqual([]);
    expect(CASES.flatMap(({ embedded }) => embedded).filter(isKube)).toEqual([]);
  });
});
