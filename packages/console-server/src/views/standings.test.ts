import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { standingsOf } from './standings.js';

const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'Any', ...fields }) as KubeObject;
const GROUP_NAME = 'cluster.open-cluster-management.io/decision-group-name';
const GROUP_INDEX = 'cluster.open-cluster-management.io/decision-group-index';
const PLACEMENT = 'cluster.open-cluster-management.io/placement';

/** The groups of a rollout whose Placement has decision groups with these names, each with one cluster. */
function groupsOf(names: readonly string[]): readonly (readonly [name: string, clusters: readonly string[]])[] {
  const state = new ConsoleState();
  const placements = [{ name: 'all', namespace: 'default', rolloutStrategy: { type: 'ProgressivePerGroup' } }];
  state.setDeclaration(object({ metadata: { name: 'hello' }, spec: { installStrategy: { type: 'Placements', placements } } }), 'hello');
  state.setPlacement(
    object({ metadata: { name: 'all', namespace: 'default' }, spec: {}, status: { numberOfSelectedClusters: names.length } }),
    'default/all',
  );
  for (const [index, name] of names.entries()) {
    const labels = { [PLACEMENT]: 'all', [GROUP_NAME]: name, [GROUP_INDEX]: String(index) };
    const page = {
      metadata: { name: `all-${index}`, namespace: 'default', labels },
      status: { decisions: [{ clusterName: `c${index}` }] },
    };
    state.setDecision(object(page), `default/all-${index}`);
    state.setCluster(object({ metadata: { name: `c${index}` }, spec: { hubAcceptsClient: true } }), `c${index}`);
    const addOn = { metadata: { name: 'hello', namespace: `c${index}` }, spec: {}, status: {} };
    state.setAddOn(object(addOn), `c${index}`, 'hello');
  }
  const history = [{ revision: 1, version: 'v1', digest: 'a' }];
  state.setRollout(
    object({ metadata: { name: 'hello' }, spec: {}, status: { history, entries: [{ name: 'default/all', targetRevision: 1 }] } }),
    'hello',
  );
  const [standing] = standingsOf(state, 'hello', 0);
  return (standing?.groups ?? []).map(({ name, members }) => [name, members.map(({ cluster }) => cluster)]);
}

describe('the groups of an entry have names of their own', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['named groups', ['canary', 'eu'], ['canary', 'eu']],
    ['a group without a name has its index', ['canary', ''], ['canary', '1']],
    ['several groups without names', ['', '', ''], ['0', '1', '2']],
    ['a single group needs no name', [''], ['']],
  ])('%s', (_, names, want) => {
    expect(groupsOf(names)).toEqual(want.map((name, index) => [name, [`c${index}`]]));
  });
});
