// Each state of an add-on on a cluster has one word, which the rules choose. The matrix, the page of the cluster, the page of the add-on on
// the cluster, `outrigger why` and `outrigger tree` show this word, and `outrigger get addons` counts the add-ons by it.
import type { ManagedClusterAddOn } from '@outrigger/api';
import { CELL_STATES, type CellState } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { type AddOnState, headlineOf, type Verdict } from '@outrigger/rules/explanation';
import { EMPTY, explain } from '@outrigger/rules/why';
import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { chainText } from '../../packages/cli/src/commands/why/run.js';
import { consoleRules } from '../../packages/cli/src/console/rules.js';
import { PLAIN } from '../../packages/cli/src/terminal/terminal.js';
import { dependencyTree } from '../../packages/cli/src/tree/tree.js';
import { addOnRows } from '../../packages/cli/src/views/add-ons.js';
import { ConsoleState } from '../../packages/console-server/src/state/state.js';
import { cellPage } from '../../packages/console-server/src/views/cell.js';
import { clusterPage } from '../../packages/console-server/src/views/cluster.js';
import { fleetTable } from '../../packages/console-server/src/views/fleet.js';
import { SEES_ALL } from '../../packages/console-server/src/views/sight.js';
import { lookOf } from '../../packages/console/src/parts/states.js';

type Reported = readonly [type: string, status: 'True' | 'False' | 'Unknown', reason: string];
const CONFIGURED: Reported = ['Configured', 'True', 'ConfigurationsConfigured'];
const SETTLED: Reported = ['Progressing', 'False', 'Succeed'];
const AVAILABLE: Reported = ['Available', 'True', 'ProbeAvailable'];

interface Case {
  readonly name: string;
  readonly state: AddOnState;
  /** The conditions of the add-on; absent if the add-on is not installed. */
  readonly conditions?: readonly Reported[];
  readonly isDeleting?: boolean;
  readonly isUnrendered?: boolean;
  readonly cluster?: 'True' | 'False' | 'Unknown';
}

const CASES: readonly Case[] = [
  { name: 'it is not installed', state: 'absent' },
  { name: 'it is available', state: 'available', conditions: [CONFIGURED, SETTLED, AVAILABLE] },
  { name: 'an optional dependency is missing', state: 'degraded', conditions: [AVAILABLE, ['Degraded', 'True', 'DependencyNotSatisfied']] },
  { name: 'it moves', state: 'progressing', conditions: [CONFIGURED, ['Progressing', 'True', 'Upgrading'], AVAILABLE] },
  { name: 'it has no conditions', state: 'waiting', conditions: [] },
  { name: 'its health is not reported', state: 'waiting', conditions: [CONFIGURED, SETTLED] },
  { name: 'it is deleted', state: 'removing', conditions: [AVAILABLE], isDeleting: true },
  { name: 'its health is unknown', state: 'unknown', conditions: [CONFIGURED, SETTLED, ['Available', 'Unknown', 'LeaseExpired']] },
  { name: 'it is not healthy', state: 'unavailable', conditions: [CONFIGURED, SETTLED, ['Available', 'False', 'ProbeUnavailable']] },
  { name: 'a required dependency is missing', state: 'blocked', conditions: [['Degraded', 'True', 'RequiredDependencyNotSatisfied']] },
  { name: 'its move failed', state: 'failed', conditions: [CONFIGURED, ['Progressing', 'False', 'Failed'], AVAILABLE] },
  { name: 'its configuration is missing', state: 'failed', conditions: [['Configured', 'False', 'ConfigurationNotFound'], AVAILABLE] },
  { name: 'its work was refused', state: 'failed', conditions: [CONFIGURED, ['ManifestApplied', 'False', 'ManifestWorkApplyFailed']] },
  { name: 'its permission was refused', state: 'failed', conditions: [['RegistrationApplied', 'False', 'SetPermissionFailed']] },
  { name: 'its cluster is unreachable', state: 'unreachable', conditions: [AVAILABLE], cluster: 'Unknown' },
  { name: 'its cluster is not available', state: 'unreachable', conditions: [AVAILABLE], cluster: 'False' },
  {
    name: 'its move failed on an unreachable cluster',
    state: 'unreachable',
    conditions: [['Progressing', 'False', 'Failed']],
    cluster: 'Unknown',
  },
  { name: 'it is deleted on an unreachable cluster', state: 'removing', conditions: [], isDeleting: true, cluster: 'Unknown' },
];

const at = '2026-11-16T10:00:00Z';
const object = (fields: object): KubeObject =>
  ({ apiVersion: 'addon.open-cluster-management.io/v1alpha1', kind: 'Any', ...fields }) as KubeObject;
const conditionsOf = (all: readonly Reported[]) =>
  all.map(([type, status, reason]) => ({ type, status, reason, message: `${type} is ${status}`, lastTransitionTime: at }));

function objectsOf({ conditions, isDeleting, cluster = 'True' }: Case) {
  const declaration = object({
    metadata: { name: 'hello' },
    spec: { supportedConfigs: [{ group: 'addon.open-cluster-management.io', resource: 'addontemplates' }] },
  });
  const managed = object({
    metadata: { name: 'c1' },
    spec: { hubAcceptsClient: true },
    status: { conditions: conditionsOf([['ManagedClusterConditionAvailable', cluster, 'Any']]) },
  });
  const installed =
    conditions &&
    object({
      metadata: { namespace: 'c1', name: 'hello', ...(isDeleting ? { deletionTimestamp: at, finalizers: ['x'] } : {}) },
      spec: {},
      status: { conditions: conditionsOf(conditions), registrations: [{ signerName: 'x' }] },
    });
  return { declaration, managed, installed: installed as ManagedClusterAddOn | undefined };
}

describe('the word for the state of an add-on', () => {
  it.each(CASES)('is $state if $name', (given) => {
    const { declaration, managed, installed } = objectsOf(given);
    const state = new ConsoleState();
    state.setDeclaration(declaration, 'hello');
    state.setCluster(managed, 'c1');
    if (installed) state.setAddOn(installed, 'c1', 'hello');
    const all = installed ? [installed] : [];

    const matrix = fleetTable(state, SEES_ALL, { epoch: '', sequence: 0, now: 0 }).rows.get('c1')?.cells.get('hello')?.state ?? 'absent';
    const details = { installed: all, clusterWorks: [], works: [], configs: [], diffs: undefined };
    const page = cellPage(state, SEES_ALL, { cluster: 'c1', addOn: 'hello' }, details, consoleRules);
    const onCluster = clusterPage(state, SEES_ALL, 'c1', { works: [], lease: undefined }, consoleRules)?.addOns;
    const chain = explain(
      { ...EMPTY, managementAddOns: [declaration], clusters: [managed], installed: all } as unknown as Parameters<typeof explain>[0],
      'hello',
      'c1',
    );

    const [node] = dependencyTree({
      managementAddOns: [declaration],
      installed: all,
      cluster: 'c1',
      managedCluster: managed,
    } as unknown as Parameters<typeof dependencyTree>[0]);

    const words = { matrix, pill: page?.state, why: chain.state, tree: node?.state };
    expect(words).toEqual({ matrix: given.state, pill: given.state, why: given.state, tree: given.state });
    // The tree marks an add-on as well if it is available, also while it moves.
    expect(node?.isWell).toBe(given.state === 'available' || given.state === 'progressing');
    expect(onCluster?.map((one) => one.state)).toEqual(installed ? [given.state] : []);
    expect(page?.why.headline).toBe(headlineOf(chain));
    expect(chainText(chain, { style: PLAIN, width: undefined }).split('\n')[0]).toBe(`hello on c1: ${headlineOf(chain)}`);
    // A headline names the state first, and never another state.
    expect(headlineOf(chain).split(', ')[0]).toBe(given.state);
    const isCounted = given.state === 'failed' || (given.state === 'unreachable' && given.name.includes('failed'));
    const [row] = addOnRows({ declared: [declaration], installed: all, rollouts: [], clusters: [] } as unknown as Parameters<
      typeof addOnRows
    >[0]);
    expect(row?.failed).toBe(isCounted ? 1 : 0);
  });

  test('is known to the console for every state of the rules, and the cases cover all of them', () => {
    expectTypeOf<CellState>().toEqualTypeOf<AddOnState>();
    expect(new Set(CASES.map(({ state }) => state))).toEqual(new Set(CELL_STATES));
    expect(CELL_STATES.map((state) => lookOf(state).word)).toEqual([...CELL_STATES]);
  });

  it.each<[string, AddOnState, Verdict]>([
    ['failed', 'failed', 'blocked'],
    ['available, blocked', 'available', 'blocked'],
    ['progressing, blocked', 'progressing', 'blocked'],
    ['unreachable', 'unreachable', 'available'],
    ['degraded', 'degraded', 'available'],
    ['absent, waiting', 'absent', 'waiting'],
  ])('gives the headline %s for state %s and verdict %s', (headline, state, verdict) => {
    expect(headlineOf({ state, verdict })).toBe(headline);
  });
});
