import { until } from '../footprint/hub.js';
import type { Fleet } from './fleet.js';
import { byVerb, useBetween } from './manager-use.js';
import { type ScenarioResult, percentile } from './report.js';

/** The time without a change in any watch after which a scenario has ended. */
const QUIET_MS = 1_000;

export interface Measurement {
  /** The title of the row. */
  readonly name: string;
  /** The number of add-ons that the scenario changes, for figures per add-on. */
  readonly count: number;
  act(): Promise<void>;
  /** Whether the fleet has reached the end of the scenario. */
  isDone(): boolean;
  /** Figures of this scenario only, read at its end. */
  more?(): Promise<Readonly<Record<string, number>>>;
}

/** Makes a change to the fleet, waits until the fleet has settled, and returns the costs. */
export async function measure(fleet: Fleet, measurement: Measurement): Promise<ScenarioResult> {
  const { name, count } = measurement;
  const { server, swarm, seen } = fleet;
  seen.reset();
  const before = await fleet.used();
  const cpu = { server: server.cpuMs(), swarm: swarm.cpuMs() };
  const startedAt = performance.now();
  await measurement.act();
  await until(name, () => measurement.isDone() && performance.now() - seen.lastChangeAt() > QUIET_MS, fleet.limitMs);
  const used = useBetween(before, await fleet.used());
  const requests = byVerb(used.requests);
  const total = Object.values(requests).reduce((sum, one) => sum + one, 0);
  return {
    name,
    seconds: Math.max(0, (seen.lastChangeAt() - startedAt) / 1_000),
    ...percentiles('written', seen.writtenAt(), startedAt),
    ...percentiles('seen', seen.settledAt(), startedAt),
    requests,
    requestsByResource: used.requests,
    requestsPerAddOn: total / count,
    managerCpuMs: used.cpuMs,
    managerCpuMsPerAddOn: used.cpuMs / count,
    managerBytesRead: used.bytesRead,
    managerBytesWritten: used.bytesWritten,
    managerMb: most(fleet.managers.map((manager) => manager.residentMb())),
    managerPeakMb: most(fleet.managers.map((manager) => manager.peakMb())),
    serverCpuMs: server.cpuMs() - cpu.server,
    serverMb: server.residentMb(),
    serverAnonymousMb: server.anonymousMb(),
    swarmCpuMs: swarm.cpuMs() - cpu.swarm,
    swarmMb: swarm.residentMb(),
    swarmLoopP99Ms: (await swarm.stats()).loopP99Ms,
    ...(measurement.more === undefined ? {} : { more: await measurement.more() }),
  };
}

function percentiles<Name extends string>(
  name: Name,
  times: readonly number[],
  startedAt: number,
): Partial<Readonly<Record<`${Name}P50Ms` | `${Name}P99Ms`, number>>> {
  const delays = times.map((at) => at - startedAt);
  const p50 = percentile(delays, 0.5);
  const p99 = percentile(delays, 0.99);
  return p50 === undefined || p99 === undefined ? {} : ({ [`${name}P50Ms`]: p50, [`${name}P99Ms`]: p99 } as never);
}

function most(values: readonly number[]): number {
  return Math.max(0, ...values);
}
