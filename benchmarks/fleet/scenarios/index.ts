import type { Fleet } from '../fleet.js';
import { keepFleet, unkeepFleet } from '../kept-fleet.js';
import { type Measurement, measure } from '../measure.js';
import { SCENARIO_NAMES, type ScenarioName } from '../options.js';
import type { ScenarioResult } from '../report.js';
import { certificates } from './certificates.js';
import { edit, install, join, rollback } from './changes.js';
import { connections } from './connections.js';
import { dependency } from './dependency.js';
import { away, failing, lagging } from './disturbances.js';
import { editHundred, editOne } from './edits.js';
import { idle } from './idle.js';
import { failover, restart, untilAllQuiet } from './managers.js';
import { groups, progressive } from './strategies.js';

/**
 * Makes changes to the fleet and measures each change. A scenario leaves the fleet settled, with one manager that has the flags of the
 * fleet.
 */
export type Scenario = (fleet: Fleet, row: (measurement: Measurement) => Promise<void>) => Promise<void>;

/** All scenarios except `day`, which runs in a simulation instead of this fleet. */
const SCENARIOS: Readonly<Record<Exclude<ScenarioName, 'day'>, Scenario>> = {
  install,
  edit,
  'edit-one': editOne,
  'edit-100': editHundred,
  progressive,
  groups,
  rollback,
  dependency,
  join,
  away,
  failing,
  lagging,
  failover,
  restart,
  idle,
  certificates,
  connections,
};

/** Called with each result, and with the scenarios that have not run yet. */
export type OnResult = (result: ScenarioResult, missing: readonly ScenarioName[]) => void;

/** Runs the chosen scenarios in order. */
export async function runScenarios(fleet: Fleet, onResult: OnResult, say: (line: string) => void): Promise<void> {
  const { storeFolder } = fleet.options;
  const chosen = SCENARIO_NAMES.filter((name) => fleet.options.scenarios.has(name) && !(fleet.isKept && name === 'install'));
  for (const [index, name] of chosen.entries()) {
    if (name === 'day') continue;
    // After a change, the manager runs another pass for each of its own writes. Wait for these passes, so that the next measurement does
    // not contain them.
    await untilAllQuiet(fleet);
    if (storeFolder !== undefined) unkeepFleet(storeFolder);
    await SCENARIOS[name](fleet, async (measurement) => onResult(await measure(fleet, measurement, say), chosen.slice(index + 1)));
    if (storeFolder !== undefined)
      keepFleet(storeFolder, { clusters: fleet.clusterCount(), addOns: fleet.addOns.length, image: fleet.image() });
  }
}

/** The name of the first measurement, the install. The ceiling sends the same number of writes without a manager. */
export { INSTALL } from './changes.js';
