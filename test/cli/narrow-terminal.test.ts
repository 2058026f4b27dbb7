import {
  ADDON_GROUP,
  ADDON_VERSION_LABEL,
  addOnDeploymentConfigs,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusters,
  placements,
} from '@outrigger/api';
import { recordingTerminal, runProgram } from '@outrigger/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './world.js';

/** Returns a name with the maximum length of a label value. */
const long = (start: string): string => `${start}-${'x'.repeat(63 - start.length - 1)}`;
const [ADD_ON, BASE, CLUSTER, PLACEMENT] = ['agent', 'base', 'edge', 'place'].map(long) as [string, string, string, string];
const API = `${ADDON_GROUP}/v1alpha1`;

/** The commands that show state, each with the state that a narrow terminal must show in full. */
const COMMANDS: readonly { readonly line: readonly string[]; readonly shows: readonly RegExp[] }[] = [
  { line: ['get', 'addons'], shows: [/^NAME +VERSION.* AVAILABLE.* FAILED.* DEGRADED.* ROLLOUT/m, / 0\/1 .*(Progressing|Halted)/] },
  { line: ['get', 'addons', ADD_ON], shows: [/^CLUSTER.* VERSION.* AVAILABLE.* DEGRADED.* PROGRESSING/m] },
  { line: ['get', 'clusters'], shows: [/^NAME.* ACCEPTED.* JOINED.* AVAILABLE/m, /^edge.* true .*/m] },
  { line: ['get', 'rollouts'], shows: [/^NAME.* DONE.* PROGRESSING.* FAILED.* SKIPPED.* STATE/m, /(Progressing|Halted)/] },
  { line: ['get', 'revisions'], shows: [/^ADDON.* REVISION.* OUTCOME/m] },
  { line: ['get', 'works'], shows: [/^CLUSTER.* APPLIED.* AVAILABLE/m] },
  { line: ['get', 'templates'], shows: [/^NAME.* VERSION.* MANIFESTS/m] },
  { line: ['get', 'placements'], shows: [/^NAMESPACE.* SATISFIED.* REASON.* SELECTED/m, /False .*NoManagedClusterSetBindings/] },
  { line: ['get', 'clustersets'], shows: [/^NAME.* EMPTY/m] },
  { line: ['get', 'events'], shows: [/^LAST SEEN.* TYPE.* REASON.* MESSAGE/m] },
  { line: ['get', 'policies'], shows: [] },
  { line: ['rollout', 'status', ADD_ON], shows: [/^ENTRY.* DONE.* PROGRESSING.* FAILED.* SKIPPED.* STATE/m, /(Progressing|Halted)/] },
  { line: ['rollout', 'history', ADD_ON], shows: [/^ADDON.* REVISION.* OUTCOME/m] },
  { line: ['why', ADD_ON], shows: [/1 waiting/, /no agent has joined/] },
  { line: ['why', ADD_ON, '--cluster', CLUSTER], shows: [/: (progressing|waiting)$/m, /no agent has joined/] },
  {
    line: ['plan', ADD_ON, '--to', 'v2.11.4-rc.3'],
    shows: [/^Who$/m, /\(revision 1\) \[known\]$/m, /^In the way$/m, /^ +nothing \[known\]$/m],
  },
  { line: ['plan', ADD_ON, '--to', 'v9', '--fail', '10%'], shows: [/^In the way$/m, /has\s+no\s+version\s+"v9"/, /\[known\]$/m] },
  { line: ['tree'], shows: [/^ADDON.* NEEDED.* STATE/m, /Optional +0\/0 available/] },
  { line: ['doctor'], shows: [/^CHECK.* STATE.* FOUND/m, /^clusters +problem +no agent has joined as/m] },
  { line: ['config', 'get', ADD_ON, '--cluster', CLUSTER], shows: [/^KEY.* VALUE.* LAYER.* FROM/m, /override…|override on/] },
];

/** A line that contains a command may be longer than the window, because a command that is split cannot be pasted. */
const COMMAND = /(outrigger|kubectl) /;
/** Matches the sentence above a table or a chain of causes. The terminal wraps this sentence. */
const HEAD = /^agent-x+( on .*)?: /;

describe('a terminal of 80 columns and names of 63 characters', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld(1);
    const { hub } = world.fleet;
    await hub.create(managedClusters, {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: CLUSTER, labels: { long: 'yes' } },
      spec: { hubAcceptsClient: true },
    });
    await hub.create(placements, {
      apiVersion: 'cluster.open-cluster-management.io/v1beta1',
      kind: 'Placement',
      metadata: { name: PLACEMENT, namespace: 'default' },
      spec: {},
    });
    await hub.create(addOnTemplates, {
      apiVersion: API,
      kind: 'AddOnTemplate',
      metadata: { name: ADD_ON, labels: { [ADDON_VERSION_LABEL]: 'v2.11.4-rc.3' } },
      spec: {
        addonName: ADD_ON,
        agentSpec: {
          workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: ADD_ON, namespace: 'default' } }] },
        },
      },
    });
    for (const [name, spec] of [
      [BASE, {}],
      [
        ADD_ON,
        {
          supportedConfigs: [{ group: ADDON_GROUP, resource: 'addontemplates', defaultConfig: { name: ADD_ON } }],
          installStrategy: { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { long: 'yes' } } },
          dependencies: [{ name: BASE, type: 'Optional' }],
        },
      ],
    ] as const)
      await hub.create(clusterManagementAddOns, {
        apiVersion: API,
        kind: 'ClusterManagementAddOn',
        metadata: { name },
        spec,
      });
    await world.eventually('the add-on exists on the cluster and has a rollout', async () => {
      const found = await hub.get(managedClusterAddOns, { namespace: CLUSTER, name: ADD_ON }).catch(() => undefined);
      const { out } = await world.outrigger('rollout', 'status', ADD_ON);
      return found && out.includes('labelSelector') ? true : undefined;
    });
    await hub.create(addOnDeploymentConfigs, {
      apiVersion: API,
      kind: 'AddOnDeploymentConfig',
      metadata: { name: ADD_ON, namespace: CLUSTER },
      spec: { customizedVariables: [{ name: 'A_VARIABLE_WITH_A_LONG_NAME', value: 'v'.repeat(200) }] },
    });
    await hub.patch(
      managedClusterAddOns,
      { namespace: CLUSTER, name: ADD_ON },
      {
        type: 'merge',
        patch: { spec: { configs: [{ group: ADDON_GROUP, resource: 'addondeploymentconfigs', namespace: CLUSTER, name: ADD_ON }] } },
      },
    );
    await world.eventually('there are works, a Placement condition and an explanation', async () => {
      const works = await world.outrigger('get', 'works', '--cluster', CLUSTER);
      const placed = await world.outrigger('get', 'placements');
      return works.out !== '' && placed.out.includes('NoManagedClusterSetBindings') ? true : undefined;
    });
  });
  afterAll(() => world.stop());

  it.each(COMMANDS.map((one) => ({ ...one, title: one.line.join(' ').replaceAll(/-x+/g, '') })))(
    '$title: shows every state',
    async ({ line, shows }) => {
      const recorded = recordingTerminal();
      const terminal = { ...recorded, isLive: true, columns: 80, rows: 24 };
      await runProgram(line, {
        terminal,
        env: { KUBECONFIG: world.kubeconfig },
        signal: new AbortController().signal,
        runtime: async () => world.runtime,
        stdin: async () => '',
      });
      const lines = recorded.written.out.split('\n');
      expect(lines.filter((one) => one.length > 80 && !COMMAND.test(one) && !HEAD.test(one))).toEqual([]);
      for (const wanted of shows) expect(recorded.written.out).toMatch(wanted);
    },
  );
});
