/** The result of one scenario of a run. Processor times are for the scenario alone; memory is measured at its end. */
export interface ScenarioResult {
  readonly name: string;
  /**
   * The time from the change until the fleet settled. For a restart, the time until the manager was ready; for an idle fleet, the observed
   * time.
   */
  readonly seconds: number;
  /** Percentiles over all works: the time from the change until the work is written. Absent if the scenario writes no works. */
  readonly writtenP50Ms?: number;
  readonly writtenP99Ms?: number;
  /** The time from the change until the last work is written. Absent in results from earlier versions, as are all optional fields below. */
  readonly writtenLastMs?: number;
  /**
   * `writtenLastMs` minus an estimate of the time that the swarm took. The estimate is the processor time that the swarm used until then,
   * divided by the number of cores.
   */
  readonly writtenLastWithoutSwarmMs?: number;
  /** The number of works whose manifests changed, as the API server's watch shows them. */
  readonly works?: number;
  /** The number of changes of add-ons and works that the API server's watches showed. */
  readonly changes?: number;
  /** Percentiles over all add-ons that changed: the time from the change until the status of the add-on shows it. */
  readonly seenP50Ms?: number;
  readonly seenP99Ms?: number;
  /** The number of requests that the manager sent, by verb, without watches. */
  readonly requests: Readonly<Record<string, number>>;
  /** The number of requests by verb and resource (`patch manifestworks`). */
  readonly requestsByResource?: Readonly<Record<string, number>>;
  readonly requestsPerAddOn: number;
  /** The number of passes of the managers, by controller. */
  readonly passes?: Readonly<Record<string, number>>;
  readonly managerCpuMs: number;
  readonly managerCpuMsPerAddOn: number;
  /** The bytes that the managers received and sent, including the overhead of TLS. */
  readonly managerBytesRead?: number;
  readonly managerBytesWritten?: number;
  readonly managerMb: number;
  /** The peak resident memory of the manager since its start. */
  readonly managerPeakMb?: number;
  /** The heap of the manager at the end: the used and the reserved part. */
  readonly managerHeapUsedMb?: number;
  readonly managerHeapReservedMb?: number;
  /** The garbage collection pauses of the manager: for the old generation the total and the longest, for the young generation the total. */
  readonly managerGcMajorMs?: number;
  readonly managerGcMajorMaxMs?: number;
  readonly managerGcMinorMs?: number;
  /** The event-loop delay of the manager during the scenario. */
  readonly managerLoopP99Ms?: number;
  readonly managerLoopMaxMs?: number;
  readonly serverCpuMs: number;
  readonly serverMb: number;
  /** The resident memory of the API server without mapped files, such as the pages of its store. */
  readonly serverAnonymousMb?: number;
  /** The highest of the values of `serverAnonymousMb` that were read during the scenario, about ten a second. */
  readonly serverAnonymousPeakMb?: number;
  readonly serverLoopP99Ms?: number;
  readonly serverLoopMaxMs?: number;
  readonly swarmCpuMs: number;
  readonly swarmMb: number;
  /**
   * The event-loop delay of the swarm during the scenario. In results from earlier versions, it is measured since the start of the swarm
   * and includes the sampling interval of 10 ms.
   */
  readonly swarmLoopP99Ms: number;
  /** The processor time of the benchmark itself, whose watches observe the fleet. */
  readonly observerCpuMs?: number;
  /**
   * Whether the swarm's p99 event-loop delay is below a tenth of `seconds`. If it is not, the result measures the swarm instead of the
   * manager.
   */
  readonly isValid?: boolean;
  /** The difference between the state of the API server and the state that the scenario should cause; absent if there is none. */
  readonly problem?: string;
  /** Figures of this scenario only, by name. */
  readonly more?: Readonly<Record<string, number>>;
}

/** The requests of a manager during a day of virtual time in which nothing changes except the leases of the clusters. */
export interface IdleDay {
  readonly clusters: number;
  readonly addOns: number;
  readonly hours: number;
  /** The lease renewals of the agents, which the manager sees. */
  readonly leaseRenewals: number;
  /** The requests of the manager by verb and resource, including watches that it opened again. */
  readonly requests: Readonly<Record<string, number>>;
  readonly writes: number;
  /** The changes of add-ons and works during the day. */
  readonly changes: number;
  /** The processor time of the simulation: API server, agents and manager together. */
  readonly cpuMs: number;
}

export interface FleetReport {
  readonly at: string;
  readonly node: string;
  readonly machine: string;
  /** The commit of the measured sources, with `+` if they differ from it. Absent in results from earlier versions, and without git. */
  readonly commit?: string;
  readonly command: string;
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  /** The type of agents. Absent, like `tls`, in results from earlier versions, which always used a swarm and TLS. */
  readonly agents?: 'swarm' | 'real';
  /** The controllers of the manager. Absent in results from earlier versions, whose managers ran only the controllers of add-ons. */
  readonly controllers?: 'add-ons' | 'all';
  readonly tls?: boolean;
  readonly delayMs: number;
  /** The number of connections that the agents share. With TLS, each connection uses HTTP/2 and a client certificate. */
  readonly connections: number;
  readonly scenarios: readonly ScenarioResult[];
  /** The scenarios that had not run when this file was written; empty at the end of a run. */
  readonly missing?: readonly string[];
  readonly ceilingSeconds?: number;
  readonly ceilingWrites?: number;
  /** The duration of the install divided by the duration of the ceiling, which sends the same number of writes without a manager. */
  readonly installToCeiling?: number;
  /** The live heap of the manager after a garbage collection: first with all clusters and no add-ons, then at the end of the run. */
  readonly managerHeapBeforeMb?: number;
  readonly managerHeapMb?: number;
  readonly heapKbPerAddOn?: number;
  readonly day?: IdleDay;
}

/** A measured time is valid only if the swarm's event-loop delay is below this share of the time. */
const SWARM_SHARE = 0.1;

export function isValidBeside(swarmP99Ms: number, seconds: number): boolean {
  return swarmP99Ms < seconds * 1_000 * SWARM_SHARE;
}

export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
