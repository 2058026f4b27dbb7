import type { AddOnRollout, ManagedClusterAddOn, ManifestWork, Placement, RolloutEntry } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../terminal/display-width.js';
import { type Cell, type TableColumn, table } from '../terminal/table.js';
import { addOnColumns, addOnRows, installedColumns } from './add-ons.js';
import { clusterColumns, clusterRows } from './clusters.js';
import { eventColumns } from './events.js';
import { clusterSetColumns, placementColumns, templateColumns, workColumns } from './other-kinds.js';
import { policyColumns } from './policies.js';
import { entryColumns, revisionColumns, revisionRows, rolloutColumns } from './rollouts.js';

const NOW = Date.parse('2026-01-02T00:00:00Z');
/** A name with the maximum length of a label value. */
const LONG = 'a-name-of-sixty-three-characters-as-long-as-labels-can-be-xxxxx';
const VERSION = 'v2.11.4-rc.3+build.20260101';
const metadata = { name: LONG, namespace: LONG, creationTimestamp: '2026-01-01T00:00:00Z' };
const condition = (type: string, status: string, reason = 'SomeReasonOfIt') => ({
  type,
  status,
  reason,
  message: 'a message that is much longer than the room that a terminal of eighty columns has for it',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const entry: RolloutEntry = {
  name: `${LONG}/${LONG}`,
  targetRevision: 123,
  selected: 5000,
  done: 4000,
  progressing: 100,
  failed: 100,
  skipped: 800,
  state: 'Progressing',
  startedAt: '2026-01-01T00:00:00Z',
  inFlight: [1, 2, 3, 4].map((number) => ({ cluster: `${LONG}${number}`, since: '2026-01-01T00:00:00Z' })) as never,
  timeline: [
    { at: '2026-01-01T00:00:00Z', to: 123, outcome: 'Superseded', cause: 'Declaration', manager: 'kubectl-client-side-apply' },
  ] as never,
};
const rollout = {
  metadata,
  spec: { pinnedRevision: 122 },
  status: {
    state: 'Progressing',
    target: `${VERSION} (revision 123)`,
    selected: 5000,
    done: 4000,
    progressing: 100,
    failed: 100,
    skipped: 0,
    entries: [entry],
    history: [{ revision: 123, version: VERSION, digest: 'd'.repeat(64), targetedAt: '2026-01-01T00:00:00Z' }],
  },
} as unknown as AddOnRollout;
const installed = {
  metadata,
  status: {
    currentVersion: VERSION,
    conditions: [condition('Available', 'Unknown'), condition('Degraded', 'True'), condition('Progressing', 'True', 'RollingBack')],
  },
} as unknown as ManagedClusterAddOn;
const declared = { metadata, spec: { installStrategy: { type: 'ClusterLabelSelector' } }, status: { defaultVersion: VERSION } } as never;
const cluster = {
  metadata,
  spec: { hubAcceptsClient: true },
  status: { conditions: [condition('ManagedClusterJoined', 'True')] },
} as never;
const work = {
  metadata,
  spec: {},
  status: { conditions: [condition('Applied', 'False'), condition('Available', 'Unknown')] },
} as unknown as ManifestWork;
const placement = {
  metadata,
  spec: {},
  status: { numberOfSelectedClusters: 5000, conditions: [condition('PlacementSatisfied', 'False')] },
} as unknown as Placement;

interface Shown {
  readonly name: string;
  readonly columns: readonly TableColumn<never>[];
  readonly rows: readonly unknown[];
  /** The titles of the columns that show a state. */
  readonly states: readonly string[];
}

/** The tables of all commands that fit their tables into the window. */
const TABLES: readonly Shown[] = [
  {
    name: 'get addons',
    columns: addOnColumns(NOW),
    rows: addOnRows({ declared: [declared], installed: [installed], rollouts: [rollout], clusters: [] }),
    states: ['VERSION', 'AVAILABLE', 'FAILED', 'DEGRADED', 'ROLLOUT'],
  },
  {
    name: 'get addons <name>',
    columns: installedColumns(NOW),
    rows: [installed],
    states: ['VERSION', 'AVAILABLE', 'DEGRADED', 'PROGRESSING'],
  },
  { name: 'get clusters', columns: clusterColumns(NOW), rows: clusterRows([cluster], []), states: ['ACCEPTED', 'JOINED', 'AVAILABLE'] },
  { name: 'get rollouts', columns: rolloutColumns(NOW), rows: [rollout], states: ['DONE', 'PROGRESSING', 'FAILED', 'SKIPPED', 'STATE'] },
  { name: 'rollout status', columns: entryColumns(NOW), rows: [entry], states: ['DONE', 'PROGRESSING', 'FAILED', 'SKIPPED', 'STATE'] },
  { name: 'rollout history', columns: revisionColumns(NOW), rows: revisionRows(rollout), states: ['REVISION', 'TARGET OF', 'OUTCOME'] },
  { name: 'get works', columns: workColumns(NOW), rows: [work], states: ['APPLIED', 'AVAILABLE'] },
  { name: 'get placements', columns: placementColumns(NOW), rows: [placement], states: ['SATISFIED', 'REASON', 'SELECTED'] },
  {
    name: 'get clustersets',
    columns: clusterSetColumns(NOW),
    rows: [{ metadata, spec: {}, status: { conditions: [condition('ClusterSetEmpty', 'False')] } }],
    states: ['EMPTY'],
  },
  {
    name: 'get templates',
    columns: templateColumns(NOW),
    rows: [{ metadata: { ...metadata, labels: {} }, spec: { addonName: LONG, agentSpec: {} } }],
    states: ['VERSION', 'MANIFESTS'],
  },
  {
    name: 'get policies',
    columns: policyColumns(NOW),
    rows: [
      {
        policy: { metadata, spec: { windows: [{ name: LONG }], approvals: [{ name: LONG }] } },
        governed: [LONG, LONG],
        compiled: {},
        waiting: [LONG, LONG],
      },
    ],
    states: ['HOLDS'],
  },
  {
    name: 'get events',
    columns: eventColumns(NOW),
    rows: [
      {
        metadata,
        type: 'Warning',
        reason: 'RegistrationRefused',
        involvedObject: { kind: 'ManagedClusterAddOn', name: LONG },
        message: LONG,
        count: 12,
      },
    ],
    states: ['TYPE', 'REASON', 'MESSAGE'],
  },
];

const textOf = (cell: Cell | undefined): string => (typeof cell === 'string' ? cell : (cell?.text ?? ''));

describe('a terminal of 80 columns hides no state', () => {
  it.each(TABLES)('$name', ({ columns, rows, states }) => {
    const [head = '', ...lines] = table(columns, rows as never[], { width: 80 })
      .trimEnd()
      .split('\n');
    const titles = head.split(/ +(?=[A-Z])/).join(' ');
    expect(states.filter((title) => !titles.includes(title))).toEqual([]);
    expect([head, ...lines].filter((line) => displayWidth(line) > 80)).toEqual([]);
    // Cells that are not names or messages are shown in full.
    const whole = columns.filter(({ title, isShortened }) => states.includes(title) && !isShortened);
    for (const { title, cell } of whole) {
      for (const [index, row] of rows.entries()) {
        expect({ title, line: lines[index] }).toEqual({
          title,
          line: expect.stringContaining(textOf(cell(row as never)) || '-') as string,
        });
      }
    }
  });
});
