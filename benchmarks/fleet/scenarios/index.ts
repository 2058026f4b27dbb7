import type { Fleet } from '../fleet.js';
import { type Measurement, measure } from '../measure.js';
import { SCENARIO_NAMES, type ScenarioName } from '../options.js';
import type { ScenarioResult } from '../report.js';
import { away, edit, install, join, rollback } from './changes.js';
import { connections } from './connections.js';
import { dependency } from './dependency.js';
import { leases } from './leases.js';
import { failover, restart } from './managers.js';
import { groups, progressive } from './strategies.js';

/** A scenario makes changes to the fleet and measures each. It leaves the fleet settled, with one manager for add-ons only. */
export type Scenario = (fleet: Fleet, row: (measurement: Measurement) => Promise<void>) => Promise<void>;

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  install,
  edit,
  progressive,
  groups,
  rollback,
  dependency,
  join,
  away,
  failover,
  restart,
  leases,
  connections,
};

/** Runs the chosen scenarios in order. Calls `onResult` for each row. */
export async function runScenarios(fleet: Fleet, onResult: (result: ScenarioResult) => void): Promise<void> {
  for (const name of SCENARIO_NAMES) {
    if (!fleet.options.scenarios.has(name)) continue;
    await SCENARIOS[name](fleet, async (measurement) => onResult(await measure(fleet, measurement)));
  }
}

/** The title of the first row, whose writes are repeated for the ceiling. */
export { INSTALL } from './changes.js';
