import type { Plan } from '@outrigger/hub/planner';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../terminal/display-width.js';
import { PLAIN } from '../terminal/terminal.js';
import { planText } from './text.js';

const long = (start: string): string => `${start}-${'x'.repeat(62 - start.length)}`;
const clusters = ['edge1', 'edge2', 'edge3', 'edge4'].map(long);
const manifest = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: long('deployment'), namespace: long('namespace') },
  spec: { image: `registry.example.com/${'folder/'.repeat(12)}agent:${image}` },
});
const right = (verb: string) => ({
  where: 'cluster' as const,
  subject: `ServiceAccount ${long('namespace')}/${long('account')}`,
  verb,
  resource: 'deployments.apps/status',
  resourceName: long('deployment'),
  namespace: long('namespace'),
  clusters,
});

/** A plan with every kind of statement, and with names of the maximum length. */
const PLAN: Plan = {
  addOn: long('agent'),
  change: 'to v2',
  from: '2026-12-01T08:00:00Z',
  entries: [
    {
      name: `default/${long('place')}`,
      target: { revision: 12, version: 'v2', isNew: true },
      groups: [
        {
          name: long('canary'),
          certainty: 'known',
          fresh: clusters,
          moving: clusters,
          unchanged: clusters,
          overridden: clusters,
          skipped: clusters,
          failed: clusters,
        },
      ],
      waves: [
        {
          group: long('canary'),
          startAt: '2026-12-01T08:00:00Z',
          endAt: '2026-12-01T10:10:00Z',
          clusters,
          after: { gate: `${long('policy')}/sign-off`, seconds: 7800 },
          certainty: 'assumed',
        },
      ],
      gates: [
        {
          kind: 'Window',
          name: `${long('policy')}/freeze`,
          group: long('canary'),
          at: '2026-12-01T10:10:00Z',
          opensAt: '2026-12-02T10:10:00Z',
          clusters: 4,
          message: 'a freeze holds them until the end of the week',
          certainty: 'known',
        },
        { kind: 'Approval', name: `${long('policy')}/sign-off`, at: '2026-12-01T08:00:00Z', clusters: 0, certainty: 'unknown' },
      ],
      outcome: 'Completed',
      end: { p50: '2026-12-02T12:00:00Z', p90: '2026-12-02T14:00:00Z', runs: 200, certainty: 'assumed' },
    },
  ],
  removals: { clusters, needsConfirmation: true, of: 9, certainty: 'known' },
  differences: [
    { clusters, from: 11, to: 12, before: [manifest('v1')], after: [manifest('v2')], isKnown: true },
    { clusters, from: undefined, to: 12, before: [], after: [manifest('v2')], isKnown: true },
    { clusters, from: 10, to: 12, before: [], after: [], isKnown: false },
  ] as unknown as Plan['differences'],
  rights: { gained: [right('get'), right('patch')], lost: [right('delete')], unknown: [`ClusterRole ${long('role')}`] },
  durations: { source: 'recorded', n: 120, censored: 3, p50: 60, p90: 600, certainty: 'assumed' },
  end: undefined,
  failure: {
    assumption: '10 % of the moves fail',
    runs: 200,
    halted: 100,
    turnedBack: 20,
    touched: { p50: 1, p99: 3, max: 4 },
    stopsIn: long('canary'),
    stopsAfter: 600,
    certainty: 'assumed',
  },
  inTheWay: [
    {
      message: `default/${long('place')}: revision 12 is rejected until \`outrigger rollout retry ${long('agent')} --entry ${long('place')}\` lifts the rejection`,
      clusters,
      certainty: 'known',
    },
  ] as unknown as Plan['inTheWay'],
  notKnown: ['capacity and webhooks of the clusters'],
};

/** Returns the text without the spaces, line ends and continuation marks that wrapping adds. */
const characters = (text: string): string => text.replaceAll(/^ +[-+ ] … /gm, '').replaceAll(/\s/g, '');
const unwrapped = planText(PLAN, { style: PLAIN });

describe('a plan on a terminal', () => {
  it.each([40, 60, 80, 100, 120, 200])('of %i columns hides nothing and splits no command', (width) => {
    const text = planText(PLAN, { style: PLAIN, width });
    expect(text.split('\n').filter((line) => displayWidth(line) > width && !/^ *`outrigger [^`]*`\S*$/.test(line))).toEqual([]);
    for (const [command] of unwrapped.matchAll(/`outrigger [^`]*`/g)) expect(text).toContain(command);
    expect(characters(text)).toBe(characters(unwrapped));
  });

  it('marks each statement once, and never splits the mark', () => {
    const marks = (text: string): readonly string[] => [...text.matchAll(/\[(known|assumed|cannot be known)\]$/gm)].map(([mark]) => mark);
    expect(marks(planText(PLAN, { style: PLAIN, width: 80 }))).toEqual(marks(unwrapped));
  });

  it.each([
    { about: 'has no cluster to move', moving: [], fresh: [], line: 'nothing to move' },
    { about: 'has clusters that may not move yet', moving: ['cluster1'], fresh: [], line: 'no cluster may move yet' },
    { about: 'has new clusters that may not move yet', moving: [], fresh: ['cluster1'], line: 'no cluster may move yet' },
  ])('says under When what it says under Who if an entry $about', ({ moving, fresh, line }) => {
    const entries = PLAN.entries.map((entry) => ({
      ...entry,
      waves: [],
      groups: entry.groups.map((group) => ({ ...group, moving, fresh })),
    }));
    expect(planText({ ...PLAN, entries }, { style: PLAIN })).toContain(`: ${line} [known]`);
  });

  it('has one line per statement if the output is not a terminal', () => {
    for (const line of unwrapped.split('\n').filter((one) => /^ {2,4}\S/.test(one) && !/^ {4}([-+] |Deployment)/.test(one)))
      expect(line).toMatch(/\[(known|assumed|cannot be known)\]$/);
  });
});
