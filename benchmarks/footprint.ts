/**
 * Measures the processor time and memory of the processes that users run: a command, the manager with an empty fleet and with 1,000
 * clusters of two add-ons, the agent with 40 works of five objects, and the local fleet of 1,000 simulated clusters. Budgets are in
 * processor time and memory, which depend little on other load on the machine. The hub is the embedded server in a separate process.
 *
 * OUTRIGGER_BENCH_PARTS=command,manager,fleet,agent,up chooses parts; OUTRIGGER_BENCH_BUNDLE measures another build.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureAgent } from './footprint/agent.js';
import { measureCommand } from './footprint/command.js';
import { measureFleetManager, measureIdleManager } from './footprint/manager.js';
import { measureUp } from './footprint/up.js';

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  command: measureCommand,
  manager: measureIdleManager,
  fleet: measureFleetManager,
  agent: measureAgent,
  up: measureUp,
};

if (process.env['OUTRIGGER_BENCH_BUNDLE'] === undefined) {
  execFileSync(process.execPath, [fileURLToPath(new URL('../tools/bundle.mjs', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
const wanted = process.env['OUTRIGGER_BENCH_PARTS']?.split(',') ?? Object.keys(PARTS);
for (const part of wanted) await PARTS[part]?.();
process.exit(0);
