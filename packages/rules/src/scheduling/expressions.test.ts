import { CostPool } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { candidate, chosen, misconfiguration } from './fixtures.js';
import { ClusterExpressions } from './expressions.js';
import { ScoreSheets } from './score-sheets.js';

const selecting = (...celExpressions: string[]): object => ({
  predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
});
const claims = (text: string): object => ({
  facts: { metadata: { name: 'c' }, status: { clusterClaims: [{ name: 'text', value: text }] } },
});
const fleet = Array.from({ length: 200 }, (_, i) => candidate(`c${i}`, claims('a'.repeat(2000))));

describe('AT-53 the cost of the expressions of a Placement', () => {
  it.each([
    ['a pattern with a large program', 'managedCluster.status.clusterClaims.exists(c, c.value.matches("(a{30}){30}b"))'],
    ['a pattern that is large when put together', 'managedCluster.status.clusterClaims.exists(c, c.value.matches("(a{30})" + "{10}b"))'],
    ['loops over characters', 'managedCluster.status.clusterClaims.all(c, c.value.split("").all(a, c.value.split("").all(b, a == b)))'],
    ['findAll', 'managedCluster.status.clusterClaims.exists(c, c.value.findAll("a.*b|a").size() == 1)'],
  ])('%s chooses no cluster, and clusters are judged one by one', (_name, source) => {
    const small = candidate('small', claims('a'));
    const clusters = [...fleet.slice(0, 5), small];
    expect(chosen({ spec: selecting(`${source} || true`), clusters })).toEqual(['small']);
  });

  it('an expression that costs too much over all clusters is reported as a misconfiguration each time', () => {
    const source = 'managedCluster.status.clusterClaims.all(c, !c.value.matches("^(x|y|z)*w$"))';
    const spec = selecting(...Array.from({ length: 20 }, (_, i) => `${source} && ${i} >= 0`));
    for (let pass = 0; pass < 3; pass++)
      expect(misconfiguration({ spec, clusters: fleet })).toContain('cost more than 350000 over all clusters');
  });

  it('a selector in use is far below', () => {
    const spec = selecting('managedCluster.status.clusterClaims.exists(c, c.name == "text" && c.value.startsWith("a"))');
    expect(chosen({ spec, clusters: fleet })).toHaveLength(fleet.length);
  });

  it('a verdict about an unchanged cluster costs the same and is not computed again', () => {
    const expressions = new ClusterExpressions();
    let reads = 0;
    const facts = {
      metadata: { name: 'c' },
      get status() {
        reads++;
        return { ready: true };
      },
    };
    const cluster = candidate('c', { facts });
    const sheets = new ScoreSheets(() => undefined, 0);
    const costs = [1, 2, 3].map(() => {
      const pool = new CostPool(1000);
      expect(expressions.isTrue('managedCluster.status.ready', cluster, sheets, pool)).toBe(true);
      return pool.used;
    });
    expect(new Set(costs).size).toBe(1);
    expect(reads).toBe(1);
  });
});
