import { obedientAgent } from '../../test/integration/addon/obedient-agent.js';
import { addCluster } from '../../test/integration/addon/objects.js';
import { declareAddOn } from '../fleet/declare.js';
import { observeFleet } from '../fleet/observer.js';
import { type Measured, startCommand } from '../servers/processes.js';
import { type BenchHub, runtime, startBenchHub, until, untilQuiet, untilSettled } from './hub.js';
import { report } from './report.js';

const CLUSTERS = 1_000;
const ADD_ONS = ['hello', 'metrics'];
const IDLE_SECONDS = 30;

function startManager({ kubeconfig }: BenchHub): Measured {
  return startCommand(['--kubeconfig', kubeconfig, 'hub', '--no-leader-election', '--metrics-port', '0']);
}

/** Measures the manager of a hub without clusters. */
export async function measureIdleManager(): Promise<void> {
  const hub = await startBenchHub();
  const manager = startManager(hub);
  await manager.printed('starting the add-on manager');
  await untilQuiet(manager);
  report('manager, empty fleet: CPU of the start', manager.cpuMs(), 'ms');
  report('manager, empty fleet: resident memory', manager.residentMb(), 'MB', 100);
  await manager.stop();
  await hub.stop();
}

/** Measures the manager of 1,000 clusters while it installs two add-ons on each, and after a restart. */
export async function measureFleetManager(): Promise<void> {
  const hub = await startBenchHub();
  const { client } = hub;
  const manager = startManager(hub);
  await manager.printed('starting the add-on manager');
  for (let at = 0; at < CLUSTERS; at += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => addCluster({ hub: client }, `c${at + index}`)));
  }
  const stopAgent = obedientAgent(client, runtime);
  const seen = observeFleet(client);
  await untilQuiet(manager);
  const before = manager.cpuMs();
  for (const name of ADD_ONS) await declareAddOn(client, name);
  await until('the add-ons are available', () => seen.settled() === CLUSTERS * ADD_ONS.length);
  await untilQuiet(manager);
  report('manager, 1,000 × 2: CPU per add-on installed', (manager.cpuMs() - before) / CLUSTERS / ADD_ONS.length, 'ms');
  await untilSettled(manager);
  report('manager, 1,000 × 2: resident memory after the install', manager.residentMb(), 'MB', 150);
  report('manager, 1,000 × 2: most resident memory', manager.peakMb(), 'MB');
  await reportIdle('manager, 1,000 × 2', manager);
  await manager.stop();
  const restarted = startManager(hub);
  // Wait for the processor time that reading the fleet takes. On a busy machine, the manager also seems quiet while it waits for the lists
  // of the API server.
  await until('the manager has read the fleet', () => restarted.cpuMs() > 1_500);
  await untilQuiet(restarted);
  report('manager, 1,000 × 2: CPU of a restart', restarted.cpuMs(), 'ms');
  await untilSettled(restarted);
  report('manager, 1,000 × 2: resident memory after a restart', restarted.residentMb(), 'MB', 150);
  await restarted.stop();
  await stopAgent();
  await hub.stop();
}

export async function reportIdle(name: string, process: Measured, budget?: number): Promise<void> {
  const before = process.cpuMs();
  await runtime.timers.sleep(IDLE_SECONDS * 1_000);
  report(`${name}: idle, share of a core`, (process.cpuMs() - before) / IDLE_SECONDS / 10, '%', budget);
}
