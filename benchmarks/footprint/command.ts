import { declareAddOn } from '../fleet/declare.js';
import { COMMAND, cpuMsOfRun } from '../servers/processes.js';
import { startBenchHub } from './hub.js';
import { median, report } from './report.js';

const RUNS = 9;

/** Measures a read-only command and an empty Node process. The difference is the cost of the command's own code. */
export async function measureCommand(): Promise<void> {
  const hub = await startBenchHub();
  const { client, kubeconfig } = hub;
  for (const name of ['hello', 'metrics']) await declareAddOn(client, name, { strategy: 'Manual' });
  const commands: number[] = [];
  const empty: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    commands.push(await cpuMsOfRun([COMMAND, '--kubeconfig', kubeconfig, 'get', 'addons']));
    empty.push(await cpuMsOfRun(['-e', '0']));
  }
  report('outrigger get addons: CPU', median(commands), 'ms');
  report('an empty Node process: CPU', median(empty), 'ms');
  // The budget of 2.5 corresponds to 200 ms for the command and 80 ms for an empty process. It is a ratio, because both times grow on a
  // busy machine.
  report('outrigger get addons: CPU against an empty Node process', median(commands) / median(empty), 'times', 2.5);
  await hub.stop();
}
