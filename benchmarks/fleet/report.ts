/** The result of one scenario of a run. Processor times are for the scenario alone; memory is measured at its end. */
export interface ScenarioResult {
  readonly name: string;
  readonly seconds: number;
  /** The time from the change until a work is written, over all works; absent if the scenario writes no works. */
  readonly writtenP50Ms?: number;
  readonly writtenP99Ms?: number;
  /** The time from the change until the add-on's status shows it, over all add-ons that changed. Absent in results from earlier versions. */
  readonly seenP50Ms?: number;
  readonly seenP99Ms?: number;
  /** The number of requests that the manager sent, by verb, without watches. */
  readonly requests: Readonly<Record<string, number>>;
  /** The number of requests by verb and resource (`patch manifestworks`). Absent in results from earlier versions. */
  readonly requestsByResource?: Readonly<Record<string, number>>;
  readonly requestsPerAddOn: number;
  readonly managerCpuMs: number;
  readonly managerCpuMsPerAddOn: number;
  /** The bytes that the managers received and sent, encrypted. Absent in results from earlier versions. */
  readonly managerBytesRead?: number;
  readonly managerBytesWritten?: number;
  readonly managerMb: number;
  /** The peak resident memory of the manager since its start. Absent in results from earlier versions. */
  readonly managerPeakMb?: number;
  readonly serverCpuMs: number;
  readonly serverMb: number;
  /** The memory of the API server without mapped files, such as the pages of its store. Absent in results from earlier versions. */
  readonly serverAnonymousMb?: number;
  readonly swarmCpuMs: number;
  readonly swarmMb: number;
  readonly swarmLoopP99Ms: number;
  /** Figures of this scenario only, by name. */
  readonly more?: Readonly<Record<string, number>>;
}

export interface FleetReport {
  readonly at: string;
  readonly node: string;
  readonly machine: string;
  readonly command: string;
  readonly clusters: number;
  readonly addOns: number;
  readonly hub: 'embedded' | 'kube';
  readonly delayMs: number;
  /** The number of TLS connections that the swarm opens, each with HTTP/2 and a client certificate. */
  readonly connections: number;
  readonly scenarios: readonly ScenarioResult[];
  readonly ceilingSeconds: number;
  readonly ceilingWrites: number;
  /** The duration of the install divided by the duration of the ceiling. */
  readonly installToCeiling: number;
}

export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
