import { measureCeiling } from './ceiling.js';
import { ADD_ONS_ONLY, startFleet } from './fleet.js';
import type { FleetOptions } from './options.js';
import type { FleetReport, ScenarioResult } from './report.js';
import { INSTALL, runScenarios } from './scenarios/index.js';
import { stopManagers } from './scenarios/managers.js';

const WRITES = ['create', 'update', 'patch', 'apply', 'delete'];
const CEILING_CONNECTIONS = 16;

type Measurements = Pick<FleetReport, 'scenarios' | 'ceilingSeconds' | 'ceilingWrites' | 'installToCeiling'>;

/** Runs the chosen scenarios on a new fleet, and then the ceiling. `ports` are for the metrics of its managers, one for each. */
export async function runFleet(options: FleetOptions, ports: readonly number[], say: (line: string) => void): Promise<Measurements> {
  const fleet = await startFleet(options, ports);
  await fleet.startManager(ADD_ONS_ONLY);
  const scenarios: ScenarioResult[] = [];
  await runScenarios(fleet, (result) => {
    scenarios.push(result);
    say(lineOf(result));
  });
  await stopManagers(fleet);
  // The agents would report on the works of the ceiling.
  await fleet.swarm.stop();
  const install = scenarios.find(({ name }) => name === INSTALL);
  if (!install) throw new Error('the install did not run');
  const ceilingWrites = WRITES.reduce((sum, verb) => sum + (install.requests[verb] ?? 0), options.clusters * options.addOns);
  const ceilingSeconds = await measureCeiling(fleet.server.kubeconfig, fleet.seen.workText(), ceilingWrites, CEILING_CONNECTIONS);
  await fleet.stop();
  return { scenarios, ceilingSeconds, ceilingWrites, installToCeiling: install.seconds / ceilingSeconds };
}

function lineOf(result: ScenarioResult): string {
  const number = (value: number, digits: number, width: number): string => value.toFixed(digits).padStart(width);
  const more = Object.entries(result.more ?? {}).map(([name, value]) => `, ${name} ${value.toFixed(2)}`);
  return (
    `${result.name.padEnd(32)} ${number(result.seconds, 1, 7)} s  ${number(result.requestsPerAddOn, 2, 6)} requests and ` +
    `${number(result.managerCpuMsPerAddOn, 2, 6)} ms of CPU per add-on, manager ${result.managerMb.toFixed(0)} MB, ` +
    `server ${(result.serverAnonymousMb ?? 0).toFixed(0)} MB${more.join('')}`
  );
}
