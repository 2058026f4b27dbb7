import { availableParallelism } from 'node:os';
import { until } from '../footprint/hub.js';
import type { Fleet } from './fleet.js';
import { byVerb, useBetween } from './manager-use.js';
import { type ScenarioResult, isValidBeside, percentile } from './report.js';

/** A scenario has ended when no watch has reported a change for this long. */
const QUIET_MS = 1_000;
const PROGRESS_EVERY_MS = 10_000;

export interface Measurement {
  /** The title of the row. */
  readonly name: string;
  /** The number of add-ons that the scenario changes, for figures per add-on. */
  readonly count: number;
  /** The exact number of works that must change; undefined if the scenario does not determine it. */
  readonly works?: number;
  act(): Promise<void>;
  /** Whether the fleet has reached the end of the scenario. */
  isDone(): boolean;
  /** Returns the seconds to report for the scenario. If this function is missing, the reported time ends at the last change. */
  seconds?(): number;
  /**
   * Returns the difference between the state of the API server and the state that the scenario should cause, or undefined if there is none.
   */
  problem?(): string | undefined;
  /** Figures of this scenario only, read at its end. */
  more?(): Promise<Readonly<Record<string, number>>>;
}

/** Makes a change to the fleet, waits until the fleet has settled, and returns the costs. Calls `say` with lines about the progress. */
export async function measure(fleet: Fleet, measurement: Measurement, say: (line: string) => void): Promise<ScenarioResult> {
  const { name, count } = measurement;
  const { server, swarm, seen } = fleet;
  await swarm.reset();
  for (const manager of fleet.managers) await manager.probe('reset');
  await server.probe?.('reset');
  seen.reset();
  const before = await fleet.used();
  const cpu = { server: server.cpuMs(), swarm: swarm.cpuMs(), observer: process.cpuUsage() };
  const swarmCpu = new CpuUntil(() => swarm.cpuMs());
  let serverPeakMb = server.anonymousMb();
  const startedAt = performance.now();
  let printedAt = startedAt;
  await measurement.act();
  await until(
    name,
    () => {
      const now = performance.now();
      swarmCpu.sample(seen.writtenCount());
      serverPeakMb = Math.max(serverPeakMb, server.anonymousMb());
      if (now - printedAt > PROGRESS_EVERY_MS) {
        printedAt = now;
        say(
          `  ${name}: ${((now - startedAt) / 1_000).toFixed(0)} s, ${seen.writtenCount()} works written, ${seen.settledCount()} add-ons settled`,
        );
      }
      return measurement.isDone() && now - seen.lastChangeAt() > QUIET_MS;
    },
    fleet.limitMs,
  );
  const used = useBetween(before, await fleet.used());
  const requests = byVerb(used.requests);
  const total = Object.values(requests).reduce((sum, one) => sum + one, 0);
  const seconds = measurement.seconds?.() ?? Math.max(0, (seen.lastChangeAt() - startedAt) / 1_000);
  const written = seen.writtenAt();
  const { loopP99Ms: swarmLoopP99Ms } = await swarm.stats();
  const observer = process.cpuUsage(cpu.observer);
  const problem = measurement.problem?.() ?? problemIn(measurement, written.length);
  return {
    name,
    seconds,
    ...percentiles('written', written, startedAt),
    ...lastWritten(written, startedAt, swarmCpu),
    works: written.length,
    changes: seen.changes(),
    ...percentiles('seen', seen.settledAt(), startedAt),
    requests,
    requestsByResource: used.requests,
    requestsPerAddOn: total / count,
    passes: used.passes,
    managerCpuMs: used.cpuMs,
    managerCpuMsPerAddOn: used.cpuMs / count,
    managerBytesRead: used.bytesRead,
    managerBytesWritten: used.bytesWritten,
    managerMb: most(fleet.managers.map((manager) => manager.residentMb())),
    managerPeakMb: most(fleet.managers.map((manager) => manager.peakMb())),
    ...(await probes(fleet)),
    serverCpuMs: server.cpuMs() - cpu.server,
    serverMb: server.residentMb(),
    serverAnonymousMb: server.anonymousMb(),
    serverAnonymousPeakMb: serverPeakMb,
    swarmCpuMs: swarm.cpuMs() - cpu.swarm,
    swarmMb: swarm.residentMb(),
    swarmLoopP99Ms,
    observerCpuMs: (observer.user + observer.system) / 1_000,
    isValid: isValidBeside(swarmLoopP99Ms, seconds),
    ...(problem === undefined ? {} : { problem }),
    ...(measurement.more === undefined ? {} : { more: await measurement.more() }),
  };
}

function problemIn({ works }: Measurement, written: number): string | undefined {
  return works === undefined || works === written ? undefined : `${written} works changed instead of ${works}`;
}

/** Measures the processor time that a process uses until a counter increases for the last time. */
class CpuUntil {
  readonly #read: () => number;
  readonly #start: number;
  #count = 0;
  #at: number;

  constructor(read: () => number) {
    this.#read = read;
    this.#start = read();
    this.#at = this.#start;
  }

  sample(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.#at = this.#read();
  }

  get ms(): number {
    return this.#at - this.#start;
  }
}

function lastWritten(
  written: readonly number[],
  startedAt: number,
  swarmCpu: CpuUntil,
): Pick<ScenarioResult, 'writtenLastMs' | 'writtenLastWithoutSwarmMs'> {
  if (written.length === 0) return {};
  const writtenLastMs = written.reduce((last, at) => Math.max(last, at), 0) - startedAt;
  return { writtenLastMs, writtenLastWithoutSwarmMs: Math.max(0, writtenLastMs - swarmCpu.ms / availableParallelism()) };
}

/** Reads the probes of the managers and the API server: event-loop delays, heap and garbage collection pauses. */
async function probes({ managers, server }: Fleet): Promise<Partial<ScenarioResult>> {
  const probed = [];
  for (const manager of managers) probed.push(await manager.probe('read'));
  const ofServer = await server.probe?.('read');
  return {
    managerLoopP99Ms: most(probed.map(({ loopP99Ms }) => loopP99Ms)),
    managerLoopMaxMs: most(probed.map(({ loopMaxMs }) => loopMaxMs)),
    managerHeapUsedMb: most(probed.map(({ heapMb }) => heapMb)),
    managerHeapReservedMb: most(probed.map(({ heapReservedMb }) => heapReservedMb)),
    managerGcMajorMs: most(probed.map(({ gcMajorMs }) => gcMajorMs)),
    managerGcMajorMaxMs: most(probed.map(({ gcMajorMaxMs }) => gcMajorMaxMs)),
    managerGcMinorMs: most(probed.map(({ gcMinorMs }) => gcMinorMs)),
    ...(ofServer === undefined ? {} : { serverLoopP99Ms: ofServer.loopP99Ms, serverLoopMaxMs: ofServer.loopMaxMs }),
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
