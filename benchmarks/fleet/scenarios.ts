import { addOnTemplates, clusterManagementAddOns } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { createHttpTransport, loadConnection } from '@outrigger/kube/node';
import { installKinds } from '../../test/harness/index.js';
import { addCluster, templateOf } from '../../test/integration/addon/objects.js';
import { eventually } from '../../test/world/eventually.js';
import { ensureNamespace, runtime, until, untilQuiet } from '../footprint/hub.js';
import { type Contestant, startEmbeddedProcess, startRealKube } from '../servers/contestants.js';
import { type Measured, startCommand } from '../servers/processes.js';
import { measureCeiling } from './ceiling.js';
import { declareAddOn } from './declare.js';
import { byVerb, difference, isReady, managerRequests } from './manager-requests.js';
import { observeFleet } from './observer.js';
import type { FleetOptions, ScenarioName } from './options.js';
import { type FleetReport, type ScenarioResult, percentile } from './report.js';
import { startSwarm } from './swarm.js';

const image = (version: number): string => `example.com/agent:${version}`;
const QUIET_MS = 1_000;
/** The time that is added to the limit of a scenario for each add-on on each cluster. */
const LIMIT_PER_ADD_ON_MS = 100;
/** The arguments of the manager. Clusters are accepted and selected without it, so that only the work for add-ons is measured. */
const MANAGER = ['hub', '--no-leader-election', '--no-registration', '--no-placement'];

type Measurements = Pick<FleetReport, 'scenarios' | 'ceilingSeconds' | 'ceilingWrites' | 'installToCeiling'>;

export async function runFleet(options: FleetOptions, metricsPort: number, say: (line: string) => void): Promise<Measurements> {
  const { clusters, addOns, hub } = options;
  const runs = (name: ScenarioName): boolean => options.scenarios.length === 0 || options.scenarios.includes(name);
  const limitMs = 600_000 + clusters * addOns * LIMIT_PER_ADD_ON_MS;
  const server: Contestant = await (hub === 'kube' ? startRealKube() : startEmbeddedProcess());
  const { connection } = await loadConnection({ kubeconfig: server.kubeconfig });
  const transport = createHttpTransport(connection, runtime, { connections: 16, env: {} });
  const client = createClient({ transport, runtime, limits: { inFlight: 64 } });
  if (server.kube) await installKinds(server.kube, client, (what, condition) => eventually(runtime, what, condition));
  const names = Array.from({ length: addOns }, (_, index) => `addon${index}`);
  const startManager = (): Measured =>
    startCommand(['--kubeconfig', server.kubeconfig, ...MANAGER, '--metrics-port', String(metricsPort), '--log-level', 'info']);

  for (const name of ['open-cluster-management-hub', 'open-cluster-management-agent-addon']) await ensureNamespace(client, name);
  for (let at = 0; at < clusters; at += 50) {
    const count = Math.min(50, clusters - at);
    await Promise.all(Array.from({ length: count }, (_, index) => addCluster({ hub: client }, `c${at + index}`)));
  }
  const swarm = await startSwarm(server.kubeconfig, options);
  const seen = observeFleet(client);
  let manager = startManager();
  await manager.printed('starting the add-on manager');
  await untilQuiet(manager);

  const scenarios: ScenarioResult[] = [];
  async function scenario(
    name: string,
    count: number,
    act: () => Promise<void>,
    isDone: () => boolean,
    isNewManager = false,
  ): Promise<ScenarioResult> {
    seen.reset();
    const before = isNewManager ? {} : await managerRequests(metricsPort);
    const cpu = { manager: isNewManager ? 0 : manager.cpuMs(), server: server.cpuMs(), swarm: swarm.cpuMs() };
    const startedAt = performance.now();
    await act();
    await until(name, () => isDone() && performance.now() - seen.lastChangeAt() > QUIET_MS, limitMs);
    const requestsByResource = difference(await managerRequests(metricsPort), before);
    const requests = byVerb(requestsByResource);
    const total = Object.values(requests).reduce((sum, one) => sum + one, 0);
    const delays = seen.writtenAt().map((at) => at - startedAt);
    const [writtenP50Ms, writtenP99Ms] = [percentile(delays, 0.5), percentile(delays, 0.99)];
    const result: ScenarioResult = {
      name,
      seconds: Math.max(0, (seen.lastChangeAt() - startedAt) / 1_000),
      ...(writtenP50Ms === undefined ? {} : { writtenP50Ms }),
      ...(writtenP99Ms === undefined ? {} : { writtenP99Ms }),
      requests,
      requestsByResource,
      requestsPerAddOn: total / count,
      managerCpuMs: manager.cpuMs() - cpu.manager,
      managerCpuMsPerAddOn: (manager.cpuMs() - cpu.manager) / count,
      managerMb: manager.residentMb(),
      managerPeakMb: manager.peakMb(),
      serverCpuMs: server.cpuMs() - cpu.server,
      serverMb: server.residentMb(),
      serverAnonymousMb: server.anonymousMb(),
      swarmCpuMs: swarm.cpuMs() - cpu.swarm,
      swarmMb: swarm.residentMb(),
      swarmLoopP99Ms: (await swarm.stats()).loopP99Ms,
    };
    scenarios.push(result);
    say(
      `${name.padEnd(32)} ${result.seconds.toFixed(1).padStart(7)} s  ${result.requestsPerAddOn.toFixed(2).padStart(6)} requests and ` +
        `${result.managerCpuMsPerAddOn.toFixed(2).padStart(6)} ms of CPU per add-on, manager ${result.managerMb.toFixed(0)} MB, server ${server.anonymousMb().toFixed(0)} MB`,
    );
    return result;
  }
  const declare = (name: string): Promise<void> => declareAddOn(client, name, { image: image(1) });
  const edit = async (version: number): Promise<void> => {
    for (const name of names) {
      const { spec } = templateOf(name, { image: image(version) });
      await client.patch(addOnTemplates, { name }, { type: 'merge', patch: { spec: spec as never } });
    }
  };
  const strategy = async (rolloutStrategy: object | null): Promise<void> => {
    for (const name of names) {
      const patch = { spec: { installStrategy: { rolloutStrategy: rolloutStrategy as never } } };
      await client.patch(clusterManagementAddOns, { name }, { type: 'merge', patch });
    }
  };
  const all = clusters * addOns;
  const install = await scenario(
    'cold install',
    all,
    async () => void (await Promise.all(names.map(declare))),
    () => seen.settled() === all,
  );
  if (runs('edit')) {
    await scenario(
      'template edit on all',
      all,
      () => edit(2),
      () => seen.settled(image(2)) === all,
    );
  }
  if (runs('progressive')) {
    await strategy({ type: 'Progressive', progressive: { maxConcurrency: '10%' } });
    await scenario(
      'Progressive upgrade, 10 %',
      all,
      () => edit(3),
      () => seen.settled(image(3)) === all,
    );
    await strategy(null);
  }
  if (runs('rollback')) {
    await scenario(
      'rollback on all',
      all,
      () => edit(1),
      () => seen.settled(image(1)) === all,
    );
  }
  const joined = runs('join') ? 1 : 0;
  const more = (clusters + joined) * addOns;
  if (runs('join')) {
    await scenario(
      'one cluster joins',
      addOns,
      () => addCluster({ hub: client }, `c${clusters}`),
      () => seen.settled() === more,
    );
  }
  if (runs('away')) {
    swarm.vanish(0.1);
    const away = Array.from({ length: clusters + joined }, (_, index) => index).filter((index) => index % 10 === 0).length * addOns;
    await scenario(
      'edit while 10 % are away',
      more,
      () => edit(4),
      () => seen.settled(image(4)) === more - away,
    );
    await scenario(
      '10 % return',
      away,
      async () => swarm.vanish(0),
      () => seen.settled(image(4)) === more,
    );
  }
  await manager.stop();
  if (runs('restart')) {
    await scenario(
      'restart over a settled fleet',
      more,
      async () => {
        manager = startManager();
        await manager.printed('starting the add-on manager');
        // On a busy machine, a manager that still waits for its lists seems quiet.
        await until('the manager is ready', () => isReady(metricsPort), limitMs);
        await untilQuiet(manager);
      },
      () => true,
      true,
    );
    await manager.stop();
  }
  const ceilingWrites = Object.entries(install.requests)
    .filter(([verb]) => ['create', 'update', 'patch', 'apply', 'delete'].includes(verb))
    .reduce((sum, [, count]) => sum + count, all);
  await swarm.stop();
  const ceilingSeconds = await measureCeiling(server.kubeconfig, seen.workText(), ceilingWrites, 16);
  await transport.close();
  await server.stop();
  return { scenarios, ceilingSeconds, ceilingWrites, installToCeiling: install.seconds / ceilingSeconds };
}
