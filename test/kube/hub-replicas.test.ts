import { type AddOnRollout, type ManifestWork, addOnRollouts, manifestWorks } from '@outrigger/api';
import { createRealRuntime } from '@outrigger/kube/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, recordedLogger, startKube } from '../harness/index.js';
import { type FleetWorld, applyYaml, choose, join, playAgents } from '../integration/fleet/world.js';
import { type Running, bundleCommand, outrigger, start } from './cli-process.js';
import { clientOf, progressiveAddOn } from './fleet-kube.js';
import { budgetViolations, recordRollouts, recordWorks, unrecordedMoves } from './rollout-record.js';
import { eventually } from '../world/eventually.js';

const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const BUDGET = 2;
/** The revisions of the two versions. */
const V1 = 1;
const V2 = 2;

const templates = ['v1', 'v2']
  .map(
    (version) => `---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata: { name: hello-${version}, labels: { open-cluster-management.io/addon-version: ${version} } }
spec:
  addonName: hello
  agentSpec:
    workload:
      manifests:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: hello, namespace: default }, data: { cluster: "{{CLUSTER_NAME}}", version: ${version} } }
`,
  )
  .join('');

const declaration = progressiveAddOn('hello', { template: 'hello-v1', budget: BUDGET });

describe('outrigger hub with two replicas on a real API server', () => {
  beforeAll(bundleCommand);

  it('the leader killed during a rollout: the other finishes it, admits no cluster beyond the record, and the works are those of a run without a kill', async () => {
    // Both rollouts wait most of their time, so they run at the same time, each on its own server.
    const runs = [rollOut(async () => undefined), rollOut(killLeader)] as const;
    // Wait for both rollouts, so that both stop their processes even if one rollout fails.
    await Promise.allSettled(runs);
    const [undisturbed, disturbed] = await Promise.all(runs);

    expect(disturbed.violations).toEqual([]);
    expect(undisturbed.violations).toEqual([]);
    expect(disturbed.works).toEqual(undisturbed.works);
    expect(Object.keys(disturbed.works).sort()).toEqual(CLUSTERS);
    expect(disturbed.history).toEqual(undisturbed.history);
  });
});

interface Stage {
  readonly world: FleetWorld;
  readonly replicas: readonly Running[];
}

interface Outcome {
  readonly violations: readonly string[];
  /** The specs of the works, by cluster. */
  readonly works: Readonly<Record<string, unknown>>;
  readonly history: unknown;
}

/** Kills the leader and waits until the other replica leads. */
async function killLeader({ replicas, world }: Stage): Promise<void> {
  const before = leaderOf(replicas);
  before.kill('SIGKILL');
  expect(await before.ended).toBe(null);
  const after = replicas.filter((replica) => replica !== before);
  await eventually(world, 'the other one leads', async () => (after.some(isLeading) ? true : undefined));
}

/**
 * Rolls out v1 to all clusters, then v2 in waves. Calls `disturb` when the first wave is in flight and no agent has reported on this wave.
 */
async function rollOut(disturb: (stage: Stage) => Promise<void>): Promise<Outcome> {
  const runtime = createRealRuntime({ log: recordedLogger() });
  const stops: (() => Promise<void> | void)[] = [() => runtime.scope.close()];
  try {
    const kube = await startKube({ controllerManager: 'after kinds' });
    stops.push(() => kube.stop());
    const world: FleetWorld = {
      hub: await clientOf(kube.kubeconfigPath, runtime),
      clock: runtime.clock,
      timers: runtime.timers,
    };
    const replicas = await startReplicas(kube);
    stops.push(() => endAll(replicas));
    const rollouts = await recordRollouts(world.hub);
    const works = await recordWorks(world.hub);

    for (const cluster of CLUSTERS) await join(world, cluster);
    await choose(world, 'all', CLUSTERS);
    await applyYaml(world, `${templates}---${declaration}`);
    await completed(world, V1);

    expect(await outrigger(kube.kubeconfigPath, 'upgrade', 'hello', '--to', 'v2')).toMatchObject({ code: 0 });
    await eventually(world, 'the first wave is under way', async () => ((await inFlight(world)) > 0 ? true : undefined));
    await disturb({ world, replicas });
    await completed(world, V2);

    const states = await rollouts.stop();
    const moves = unrecordedMoves(states, await works.stop(), isAtV2, V2);
    return { violations: [...budgetViolations(states, BUDGET), ...moves], works: await workSpecs(world), history: await history(world) };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Installs the kinds and starts two processes that compete for the lease, as `outrigger install` and a Deployment with two replicas do. */
async function startReplicas({ kubeconfigPath, followKinds }: RealKube): Promise<readonly Running[]> {
  expect(await outrigger(kubeconfigPath, 'install', 'hub', '--crds-only', '--apply')).toMatchObject({ code: 0 });
  await followKinds();
  const hub = ['hub', '--metrics-port', '0', '--no-placement', '--no-registration'];
  const replicas = [start(kubeconfigPath, hub), start(kubeconfigPath, hub)];
  for (const replica of replicas) await replica.said('starting the add-on manager');
  await Promise.race(replicas.map((replica) => replica.said(LEADING)));
  return replicas;
}

async function endAll(replicas: readonly Running[]): Promise<void> {
  for (const replica of replicas) replica.kill('SIGTERM');
  await Promise.all(replicas.map(({ ended }) => ended));
}

/** The text that a replica logs when it gets the lease. */
const LEADING = '"message":"leading"';

function isLeading({ written }: Running): boolean {
  return `${written.out}${written.note}`.includes(LEADING);
}

function leaderOf(replicas: readonly Running[]): Running {
  const leaders = replicas.filter(isLeading);
  const [leader] = leaders;
  if (!leader || leaders.length > 1) throw new Error(`${leaders.length} of ${replicas.length} replicas lead`);
  return leader;
}

const rolloutOf = ({ hub }: FleetWorld): Promise<AddOnRollout> => hub.get(addOnRollouts, { name: 'hello' });

async function inFlight(world: FleetWorld): Promise<number> {
  return (await rolloutOf(world)).status?.entries?.[0]?.inFlight?.length ?? 0;
}

/** Writes the agents' reports until every cluster has this revision. */
async function completed(world: FleetWorld, revision: number): Promise<void> {
  await eventually(
    world,
    `revision ${revision} everywhere`,
    async () => {
      await playAgents(world);
      const { items } = await world.hub.list(addOnRollouts, {});
      const [entry] = items[0]?.status?.entries ?? [];
      return entry?.completedRevision === revision && entry.done === CLUSTERS.length ? true : undefined;
    },
    () => rolloutOf(world),
  );
}

function isAtV2({ spec }: ManifestWork): boolean {
  return JSON.stringify(spec.workload).includes('"version":"v2"');
}

async function workSpecs({ hub }: FleetWorld): Promise<Record<string, unknown>> {
  const { items } = await hub.list(manifestWorks, {});
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.namespace ?? '', { name: metadata.name, labels: metadata.labels, spec }] as const),
  );
}

/** Returns the recorded targets without their times. */
async function history(world: FleetWorld): Promise<unknown> {
  const { status } = await rolloutOf(world);
  return (status?.history ?? []).map(({ revision, version, digest, configs }) => ({ revision, version, digest, configs }));
}
