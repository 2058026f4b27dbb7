import type { GroupStrategy } from '@outrigger/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidate, misconfiguration, scheduleOf } from './fixtures.js';
import type { ClusterGroup } from './groups.js';
import { PAGE_SIZE, type Page, groupStatuses, pagesOf } from './pages.js';
import { type Rewrite, rewriteRounds } from './rewrite.js';

const clusters = (count: number, labels: Readonly<Record<string, string>> = {}, prefix = 'c'): ReturnType<typeof candidate>[] =>
  Array.from({ length: count }, (_, i) => candidate(`${prefix}${String(i).padStart(4, '0')}`, { labels }));
const groupsOf = (count: number, groupStrategy: GroupStrategy = {}): readonly ClusterGroup[] =>
  scheduleOf({ spec: { decisionStrategy: { groupStrategy } }, clusters: clusters(count) }).groups;
const sizes = (groups: readonly ClusterGroup[]): readonly string[] => groups.map(({ name, clusters: all }) => `${name}:${all.length}`);

describe('decision groups', () => {
  it.each([
    { name: 'one by default', count: 5, strategy: {}, want: [':5'] },
    { name: 'one empty without clusters', count: 0, strategy: {}, want: [':0'] },
    { name: 'of a given size', count: 5, strategy: { clustersPerDecisionGroup: 2 }, want: [':2', ':2', ':1'] },
    { name: 'of a share, rounded up', count: 5, strategy: { clustersPerDecisionGroup: '25%' }, want: [':2', ':2', ':1'] },
    { name: 'larger than all is all', count: 3, strategy: { clustersPerDecisionGroup: 9 }, want: [':3'] },
    { name: 'of no size is all', count: 3, strategy: { clustersPerDecisionGroup: 0 }, want: [':3'] },
  ])('$name', ({ count, strategy, want }) => expect(sizes(groupsOf(count, strategy))).toEqual(want));

  const selecting = (
    groupName: string,
    matchLabels: Readonly<Record<string, string>>,
  ): NonNullable<GroupStrategy['decisionGroups']>[number] => ({
    groupName,
    groupClusterSelector: { labelSelector: { matchLabels } },
  });
  it('declared ones come first, in their order; a cluster goes to the first that takes it, the rest has no name', () => {
    const all = [...clusters(2, { ring: 'canary' }, 'x'), ...clusters(3, { ring: 'canary', big: 'yes' }, 'y'), ...clusters(2, {}, 'z')];
    const decisionGroups = [selecting('big', { big: 'yes' }), selecting('canary', { ring: 'canary' }), selecting('none', { ring: 'none' })];
    const spec = { decisionStrategy: { groupStrategy: { decisionGroups, clustersPerDecisionGroup: 2 } } };
    expect(scheduleOf({ spec, clusters: all }).groups).toEqual([
      { name: 'big', clusters: ['y0000', 'y0001'] },
      { name: 'big', clusters: ['y0002'] },
      { name: 'canary', clusters: ['x0000', 'x0001'] },
      { name: '', clusters: ['z0000', 'z0001'] },
    ]);
  });

  it.each([
    { strategy: { clustersPerDecisionGroup: '10' }, want: ':10 invalid type: string is not a percentage' },
    { strategy: { clustersPerDecisionGroup: 'x%' }, want: ':x% invalid type: string is not a percentage' },
    { strategy: { decisionGroups: [selecting('a', { '!': 'x' })] }, want: /^:key: Invalid value/ },
  ])('misconfigured: $want', ({ strategy, want }) => {
    const found = misconfiguration({ spec: { decisionStrategy: { groupStrategy: strategy } }, clusters: clusters(1) });
    expect(found).toEqual(typeof want === 'string' ? want : expect.stringMatching(want));
  });
});

describe('pages', () => {
  const group = (name: string, count: number): ClusterGroup => ({
    name,
    clusters: clusters(count, {}, name || 'r').map((cluster) => cluster.name),
  });

  it('are numbered from 1 across groups, labelled with their group, at most 100 clusters each', () => {
    const groups = [group('a', 101), group('', 3)];
    const pages = pagesOf('p', groups);
    expect(pages.map(({ name, labels, clusters: all }) => [name, Object.values(labels), all.length])).toEqual([
      ['p-decision-1', ['p', 'a', '0'], 100],
      ['p-decision-2', ['p', 'a', '0'], 1],
      ['p-decision-3', ['p', '', '1'], 3],
    ]);
    expect(groupStatuses(groups, pages)).toEqual([
      { decisionGroupIndex: 0, decisionGroupName: 'a', decisions: ['p-decision-1', 'p-decision-2'], clusterCount: 101 },
      { decisionGroupIndex: 1, decisionGroupName: '', decisions: ['p-decision-3'], clusterCount: 3 },
    ]);
  });

  it('there is one page even for no cluster', () => {
    expect(pagesOf('p', [group('', 0)]).map(({ name, clusters: all }) => [name, all])).toEqual([['p-decision-1', []]]);
  });

  it('partition the decisions, whatever the groups', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 250 }), { minLength: 1, maxLength: 4 }), (counts) => {
        const groups = counts.map((count, i) => group(`g${i}`, count));
        const pages = pagesOf('p', groups);
        expect(pages.flatMap((page) => page.clusters)).toEqual(groups.flatMap((one) => one.clusters));
        expect(pages.every((page) => page.clusters.length <= PAGE_SIZE)).toBe(true);
        expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
      }),
    );
  });
});

describe('rewriting pages', () => {
  const page = (name: string, all: string): Page => ({ name, labels: {}, clusters: all.split('') });
  const rewrite = (name: string, from: string, to?: string): Rewrite => ({ name, from: from.split(''), to: to?.split('') });
  const order = (rewrites: readonly Rewrite[], missing: readonly Page[] = []): string => {
    const wanted = [...rewrites.flatMap(({ name, to }) => (to ? [{ name, labels: {}, clusters: to }] : [])), ...missing];
    return rewriteRounds(rewrites, wanted, missing)
      .map((round) => round.map(({ name }) => name).join('+'))
      .join(' ');
  };

  it.each([
    { name: 'nothing to do', rewrites: [rewrite('1', 'ab', 'ab')], want: '' },
    { name: 'independent pages together', rewrites: [rewrite('1', 'a', 'ab'), rewrite('2', 'cd', 'c')], want: '1+2' },
    {
      name: 'everything moves up: from the end',
      rewrites: [rewrite('1', 'bc', 'ab'), rewrite('2', 'de', 'cd'), rewrite('3', '', 'e')],
      want: '3 2 1',
    },
    { name: 'everything moves down: from the start', rewrites: [rewrite('1', 'ab', 'bc'), rewrite('2', 'cd', 'd')], want: '1 2' },
    {
      name: 'a surplus page is deleted when its clusters are on other pages',
      rewrites: [rewrite('1', 'a', 'abc'), rewrite('2', 'bc')],
      want: '1 2',
    },
    {
      name: 'a surplus page of clusters that are not selected is deleted at once',
      rewrites: [rewrite('1', 'a', 'a'), rewrite('2', 'bc')],
      want: '2',
    },
    {
      name: 'two that hold the same one do not both drop it',
      rewrites: [rewrite('1', 'ax', 'a'), rewrite('2', 'bx', 'b'), rewrite('3', '', 'x')],
      want: '1+3 2',
    },
    { name: 'a circle is cut in one place', rewrites: [rewrite('1', 'a', 'b'), rewrite('2', 'b', 'a')], want: '1 2' },
    { name: 'another order of the same clusters is a rewrite too', rewrites: [rewrite('1', 'ba', 'ab')], want: '1' },
  ])('$name', ({ rewrites, want }) => expect(order(rewrites)).toBe(want));

  it('a cluster that moves to a page that does not exist yet waits for it', () => {
    expect(order([rewrite('1', 'abc', 'ab')], [page('2', 'c')])).toBe('');
    expect(order([rewrite('1', 'abc', 'ab'), rewrite('3', '', 'x')], [page('2', 'c')])).toBe('3');
  });

  it('never hides a cluster that stays, but for circles; and ends as wanted', () => {
    const assignment = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(assignment, assignment, (from, to) => {
        const on = (where: readonly number[], index: number): string[] => where.flatMap((at, i) => (at === index ? [`c${i}`] : []));
        const rewrites = [0, 1, 2, 3].map((i): Rewrite => ({ name: String(i), from: on(from, i), to: on(to, i) }));
        const rounds = rewriteRounds(
          rewrites,
          rewrites.map(({ name, to: all = [] }) => ({ name, labels: {}, clusters: all })),
          [],
        );
        const pages = new Map(rewrites.map((one) => [one.name, one.from]));
        let hidden = 0;
        for (const round of rounds) {
          for (const { name, to: all = [] } of round) pages.set(name, all);
          const shown = new Set([...pages.values()].flat());
          hidden += from.filter((at, i) => at >= 0 && (to[i] ?? -1) >= 0 && !shown.has(`c${i}`)).length;
        }
        for (const { name, to: all } of rewrites) expect(pages.get(name)).toEqual(all);
        if (isAcyclic(from, to)) expect(hidden).toBe(0);
      }),
    );
  });
});

/** Whether the graph of pages has no cycle. Each cluster that moves is an edge from its old page to its new page. */
function isAcyclic(from: readonly number[], to: readonly number[]): boolean {
  const edges = from.flatMap((at, i) => (at >= 0 && (to[i] ?? -1) >= 0 && at !== to[i] ? [[at, to[i] as number] as const] : []));
  const reaches = (start: number, goal: number, seen: ReadonlySet<number>): boolean =>
    edges.some(([a, b]) => a === start && (b === goal || (!seen.has(b) && reaches(b, goal, new Set([...seen, b])))));
  return edges.every(([a, b]) => !reaches(b, a, new Set([b])));
}
