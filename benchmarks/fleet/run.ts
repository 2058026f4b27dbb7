import { measureCeiling } from './ceiling.js';
import { idleDay } from './day.js';
import { type Fleet, startFleet } from './fleet.js';
import type { FleetOptions } from './options.js';
import type { FleetReport, ScenarioResult } from './report.js';
import { INSTALL, runScenarios } from './scenarios/index.js';
import { stopManagers } from './scenarios/managers.js';

const WRITES = ['create', 'update', 'patch', 'apply', 'delete'];
const CEILING_CONNECTIONS = 16;

export type Measurements = Pick<
  FleetReport,
  | 'scenarios'
  | 'missing'
  | 'ceilingSeconds'
  | 'ceilingWrites'
  | 'installToCeiling'
  | 'managerHeapBeforeMb'
  | 'managerHeapMb'
  | 'heapKbPerAddOn'
  | 'day'
>;

export interface RunOutput {
  /** Prints a line. */
  readonly say: (line: string) => void;
  /** Stores the measurements so far, so that an interrupted run loses nothing. */
  readonly store: (measurements: Measurements) => void;
}

/** Runs the chosen scenarios. `ports` are for the metrics of the managers, one for each. Resolves with the problems that were found. */
export async function runFleet(options: FleetOptions, ports: readonly number[], output: RunOutput): Promise<readonly string[]> {
  let measured: Measurements = { scenarios: [], missing: [...options.scenarios] };
  const add = (more: Partial<Measurements>): void => output.store((measured = { ...measured, ...more }));
  if (options.scenarios.has('install')) await runOnFleet(options, ports, { add, say: output.say });
  if (options.scenarios.has('day')) {
    output.say('  a day of virtual time ...');
    const day = await idleDay(options);
    output.say(`${'a day of virtual time'.padEnd(32)} ${day.writes} writes, ${sumOf(day.requests)} requests, ${day.changes} changes`);
    add({ day });
  }
  add({ missing: [] });
  return measured.scenarios.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`]));
}

interface FleetOutput {
  readonly add: (more: Partial<Measurements>) => void;
  readonly say: (line: string) => void;
}

async function runOnFleet(options: FleetOptions, ports: readonly number[], { add, say }: FleetOutput): Promise<void> {
  const startedAt = performance.now();
  const fleet = await startFleet(options, ports);
  await fleet.startManager(fleet.managerFlags);
  if (options.agents === 'real') await fleet.addClusters(options.clusters);
  say(`  ${fleet.clusterCount()} clusters are ready after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  const managerHeapBeforeMb = await heapOf(fleet);
  const scenarios: ScenarioResult[] = [];
  await runScenarios(
    fleet,
    (result, missing) => {
      scenarios.push(result);
      say(lineOf(result));
      add({ scenarios: [...scenarios], missing: [...missing] });
    },
    say,
  );
  const managerHeapMb = await heapOf(fleet);
  if (fleet.isKept) add({ managerHeapMb });
  else {
    const heapKbPerAddOn = ((managerHeapMb - managerHeapBeforeMb) * 1_024) / (fleet.clusterCount() * options.addOns);
    say(`${'heap of the manager'.padEnd(32)} ${managerHeapMb.toFixed(0)} MB, ${heapKbPerAddOn.toFixed(2)} kB per add-on`);
    add({ managerHeapBeforeMb, managerHeapMb, heapKbPerAddOn });
  }
  await stopManagers(fleet);
  // Stop the agents, because they would report on the works that the ceiling writes.
  await fleet.swarm.stop();
  if (options.ceiling) add(await ceilingOf(fleet, scenarios, say));
  await fleet.stop();
}

async function heapOf({ managers }: Fleet): Promise<number> {
  const [manager] = managers;
  if (!manager) throw new Error('no manager runs');
  return (await manager.probe('collect')).heapMb;
}

async function ceilingOf(
  fleet: Fleet,
  scenarios: readonly ScenarioResult[],
  say: (line: string) => void,
): Promise<Pick<Measurements, 'ceilingSeconds' | 'ceilingWrites' | 'installToCeiling'>> {
  const install = scenarios.find(({ name }) => name === INSTALL);
  if (!install) throw new Error('the install did not run');
  const { clusters, addOns } = fleet.options;
  const ceilingWrites = WRITES.reduce((sum, verb) => sum + (install.requests[verb] ?? 0), clusters * addOns);
  const ceilingSeconds = await measureCeiling(fleet.server.kubeconfig, fleet.seen.workText(), ceilingWrites, CEILING_CONNECTIONS);
  const installToCeiling = install.seconds / ceilingSeconds;
  say(
    `${'ceiling of the install'.padEnd(32)} ${ceilingSeconds.toFixed(1).padStart(7)} s; the install took ${installToCeiling.toFixed(2)} ×`,
  );
  return { ceilingSeconds, ceilingWrites, installToCeiling };
}

function lineOf(result: ScenarioResult): string {
  const number = (value: number, digits: number, width: number): string => value.toFixed(digits).padStart(width);
  const more = Object.entries(result.more ?? {}).map(([name, value]) => `, ${name} ${value.toFixed(2)}`);
  const works = result.writtenLastMs === undefined ? '' : `, ${result.works} works after ${(result.writtenLastMs / 1_000).toFixed(1)} s`;
  const doubts = `${result.isValid === false ? ', NOT VALID: the swarm was slow' : ''}${result.problem === undefined ? '' : `, PROBLEM: ${result.problem}`}`;
  return (
    `${result.name.padEnd(32)} ${number(result.seconds, 1, 7)} s  ${number(result.requestsPerAddOn, 2, 6)} requests and ` +
    `${number(result.managerCpuMsPerAddOn, 2, 6)} ms of CPU per add-on, manager ${result.managerMb.toFixed(0)} MB, ` +
    `server ${(result.serverAnonymousMb ?? 0).toFixed(0)} MB${works}${more.join('')}${doubts}`
  );
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
