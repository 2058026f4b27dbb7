import { managedClusters, manifestWorks } from '@outrigger/api';
import { findCondition } from '@outrigger/core';
import { configMap, deployment } from '../../test/integration/work/world.js';
import { COMMAND, cpuMsOfRun, startCommand } from '../servers/processes.js';
import { ensureNamespace, startBenchHub, until, untilQuiet, untilSettled } from './hub.js';
import { reportIdle } from './manager.js';
import { report } from './report.js';

const CLUSTER = 'cluster1';
const WORKS = 40;
const OBJECTS = 5;

/** Measures the agent from its join until it has applied all works. One API server is both the hub and the managed cluster. */
export async function measureAgent(): Promise<void> {
  const hub = await startBenchHub();
  const { client, kubeconfig } = hub;
  const manager = startCommand(['--kubeconfig', kubeconfig, 'hub', '--no-leader-election', '--metrics-port', '0']);
  await manager.printed('starting the add-on manager');
  const join = ['join', CLUSTER, '--cluster-kubeconfig', kubeconfig, '--image', 'example.com/outrigger:1', '--apply'];
  await cpuMsOfRun([COMMAND, '--kubeconfig', kubeconfig, ...join]);
  const agent = startCommand(['--kubeconfig', kubeconfig, 'agent', '--cluster-name', CLUSTER, '--metrics-port', '0']);
  await until('the cluster has joined', async () => {
    const { items } = await client.list(managedClusters);
    return findCondition(items[0]?.status?.conditions, 'ManagedClusterConditionAvailable')?.status === 'True';
  });
  await untilQuiet(agent);
  const joined = agent.cpuMs();
  report('agent, joined: CPU of the start', joined, 'ms');
  report('agent, joined: resident memory', agent.residentMb(), 'MB');
  await ensureNamespace(client, 'apps');
  for (let work = 0; work < WORKS; work++) {
    const manifests = Array.from({ length: OBJECTS }, (_, index) =>
      index === 0 ? deployment('apps', `app-${work}`) : configMap('apps', `settings-${work}-${index}`),
    );
    await client.create(manifestWorks, {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'ManifestWork',
      metadata: { namespace: CLUSTER, name: `work-${work}` },
      spec: { workload: { manifests } },
    });
  }
  await until('the works are applied', async () => {
    const { items } = await client.list(manifestWorks);
    return items.every(({ status }) => findCondition(status?.conditions, 'Applied')?.status === 'True');
  });
  await untilQuiet(agent);
  report('agent, 40 works × 5 objects: CPU to apply', agent.cpuMs() - joined, 'ms');
  report('agent, 40 works × 5 objects: CPU with the start', agent.cpuMs(), 'ms', 1_060);
  await untilSettled(agent);
  report('agent, 40 works × 5 objects: resident memory', agent.residentMb(), 'MB', 80);
  report('agent, 40 works × 5 objects: most resident memory', agent.peakMb(), 'MB');
  await reportIdle('agent, 40 works × 5 objects', agent);
  await agent.stop();
  await manager.stop();
  await hub.stop();
}
