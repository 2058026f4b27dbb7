import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPaths } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AddOnRollout, addOnRollouts, clusterManagementAddOns, leases } from '@outrigger/api';
import { createRealRuntime } from '@outrigger/kube/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealKube, installKinds, recordedLogger, startKube } from '../harness/index.js';
import { type FleetWorld, addOnOf, applyYaml, choose, join, playAgents } from '../integration/fleet/world.js';
import { clientOf, progressiveAddOn } from './fleet-kube.js';
import { budgetViolations, recordRollouts } from './rollout-record.js';
import { bundle } from '../../tools/simulate/bundle.js';
import { eventually } from '../world/eventually.js';

const runtime = createRealRuntime({ log: recordedLogger() });
const PROCESS = fileURLToPath(new URL('fleet-manager-process.ts', import.meta.url));
const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const BUDGET = 2;

const template = (content: string): string => `
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: AddOnTemplate
metadata: { name: helloworld, labels: { open-cluster-management.io/addon-version: v1 } }
spec:
  addonName: helloworld
  agentSpec:
    workload:
      manifests:
      - { apiVersion: v1, kind: ConfigMap, metadata: { name: hello, namespace: default }, data: { content: "${content}" } }
`;

const declaration = progressiveAddOn('helloworld', { template: 'helloworld', budget: BUDGET });

describe('AT-47 two replicas of the manager, the leader stopped in the middle of a rollout', () => {
  let kube: RealKube;
  let world: FleetWorld;
  let folder: string;
  const replicas = new Map<string, ChildProcess>();

  beforeAll(async () => {
    kube = await startKube({ controllerManager: 'after kinds' });
    const hub = await clientOf(kube.kubeconfigPath, runtime);
    world = { hub, clock: runtime.clock, timers: runtime.timers };
    await installKinds(kube, world.hub, (what, condition) => eventually(world, what, condition));
    folder = await mkdtemp(joinPaths(tmpdir(), 'outrigger-leaders-'));
    const program = joinPaths(folder, 'manager.mjs');
    await bundle(PROCESS, program);
    for (const name of ['one', 'two']) replicas.set(name, await startReplica(program, kube.kubeconfigPath, name));
  });
  afterAll(async () => {
    for (const replica of replicas.values()) replica.kill('SIGKILL');
    await kube.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('takes no step twice and never exceeds the budget, before, while and after it is stopped', async () => {
    const record = await recordRollouts(world.hub);
    for (const cluster of CLUSTERS) await join(world, cluster);
    await choose(world, 'all', CLUSTERS);
    await applyYaml(world, template('one'));
    await applyYaml(world, declaration);
    await settled(world);

    await applyYaml(world, template('two'));
    await eventually(world, 'a rollout is under way', async () => ((await inFlight(world)) > 0 ? true : undefined));
    const stopped = await leaderName(world);
    replicas.get(stopped)?.kill('SIGSTOP');
    const next = await eventually(world, 'the other one leads', async () => {
      const name = await leaderName(world);
      return name === stopped ? undefined : name;
    });
    // The stopped leader may have admitted clusters without writing their works. The other replica writes them, and the agents then report.
    await eventually(
      world,
      'the other one admits',
      async () => {
        await playAgents(world);
        return (await doneCount(world)) >= BUDGET ? true : undefined;
      },
      () => rollout(world),
    );
    replicas.get(stopped)?.kill('SIGCONT');
    await settled(world);
    expect(await leaderName(world)).toBe(next);

    expect(budgetViolations(await record.stop(), BUDGET)).toEqual([]);
    const { spec } = await world.hub.get(clusterManagementAddOns, { name: 'helloworld' });
    expect(spec.installStrategy?.type).toBe('Placements');
    for (const cluster of CLUSTERS) expect((await addOnOf(world, cluster))?.status?.currentVersion).toBe('v1');
  });
});

async function startReplica(program: string, kubeconfig: string, name: string): Promise<ChildProcess> {
  const child = fork(program, [kubeconfig, name], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`replica ${name} exited with ${code}`)));
  });
  return child;
}

async function leaderName({ hub }: FleetWorld): Promise<string> {
  const lease = await hub.get(leases, { namespace: 'default', name: 'outrigger-hub' });
  return (lease.spec?.holderIdentity ?? '').split('_')[0] ?? '';
}

async function rollout({ hub }: FleetWorld): Promise<AddOnRollout> {
  return hub.get(addOnRollouts, { name: 'helloworld' });
}

async function inFlight(world: FleetWorld): Promise<number> {
  return (await rollout(world)).status?.entries?.[0]?.inFlight?.length ?? 0;
}

async function doneCount(world: FleetWorld): Promise<number> {
  return (await rollout(world)).status?.done ?? 0;
}

/** Writes the agents' reports until the rollout has completed. */
async function settled(world: FleetWorld): Promise<void> {
  await eventually(
    world,
    'the rollout has completed',
    async () => {
      await playAgents(world);
      const { status } = await rollout(world).catch(() => ({ status: undefined }));
      const [entry] = status?.entries ?? [];
      return entry?.state === 'Completed' && entry.done === CLUSTERS.length ? true : undefined;
    },
    () => rollout(world),
  );
}
