import { type ChildProcess, fork } from 'node:child_process';
import { bundleProgram } from '../servers/bundle.js';
import { cpuMsOf, residentMbOf } from '../servers/contestants.js';
import { endWithThisProcess } from '../servers/probe.js';
import type { FleetOptions } from './options.js';

export interface SwarmStats {
  readonly reports: number;
  /**
   * The event-loop delay of the swarm since the last reset. A measured time is valid only if this delay is small compared with the time.
   */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** The times from certificate requests until the first answers over connections that use the new certificates. */
export interface CertificateStats {
  readonly certificates: number;
  /** The number of requests that the agents sent to the hub to get the certificates. */
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A cluster that joins with a token, for real agents. */
export interface JoiningCluster {
  readonly name: string;
  readonly token: string;
}

/** A request to the process of the agents. The process answers each request with `{ done: id }` when the agents have acted. */
export type SwarmRequest =
  /** Stops the reports of this share of the clusters. 0 resumes all reports. */
  | { readonly vanish: number }
  /** Makes the agents of this share of the clusters report that no workload runs. With 0, they report that the workloads run again. */
  | { readonly fail: number }
  /** Delays the reports of this share of the clusters. The other agents report without this delay. */
  | { readonly lag: { readonly share: number; readonly ms: number } }
  /** Makes all agents report that the workload of this add-on has stopped. An empty name makes them report that the workload runs again. */
  | { readonly stopAddOn: string }
  /** Renews the lease of each cluster once in this many seconds; 0 ends the renewals. */
  | { readonly renewEverySeconds: number }
  /** Opens a separate connection for each of this many clusters, and closes those that an earlier request opened. */
  | { readonly connect: number }
  /** Gets a new certificate for each cluster in this share of the fleet. */
  | { readonly certify: number }
  /** Starts simulated clusters whose agents join the hub with tokens. */
  | { readonly join: readonly JoiningCluster[] }
  | { readonly reset: true }
  | { readonly stats: true };

export interface Swarm {
  cpuMs(): number;
  residentMb(): number;
  /** Begins a new measurement of the event-loop delay. */
  reset(): Promise<void>;
  stats(): Promise<SwarmStats>;
  vanish(share: number): void;
  fail(share: number): void;
  lag(share: number, ms: number): Promise<void>;
  stopAddOn(name: string): void;
  /** Resolves when each cluster has renewed its lease once. */
  renewLeases(everySeconds: number): Promise<void>;
  /** Resolves when each of `count` clusters has sent a request over a connection of its own. */
  connect(count: number): Promise<void>;
  certify(share: number): Promise<CertificateStats>;
  join(clusters: readonly JoiningCluster[]): Promise<void>;
  /** Ends the process, if it still runs. */
  stop(): Promise<void>;
}

/** Starts the agents of the whole fleet in a single separate process: stand-ins, or the real ones. */
export async function startSwarm(kubeconfig: string, { agents, delayMs, connections, clusters, addOns }: FleetOptions): Promise<Swarm> {
  const isReal = agents === 'real';
  const program = await bundleProgram(
    new URL(isReal ? './real-agents-child.ts' : './swarm-child.ts', import.meta.url),
    isReal ? 'real-agents' : 'swarm',
  );
  const args = isReal ? [kubeconfig, String(addOns)] : [kubeconfig, String(delayMs), String(connections), String(clusters)];
  const child = fork(program, args, { execArgv: [] });
  endWithThisProcess(child);
  const ask = asking(child);
  await message(child, (value) => 'ready' in value);
  const pid = child.pid ?? 0;
  return {
    cpuMs: () => cpuMsOf(pid),
    residentMb: () => residentMbOf(pid),
    reset: async () => void (await ask({ reset: true })),
    stats: () => ask<SwarmStats>({ stats: true }),
    vanish: (share) => void ask({ vanish: share }),
    fail: (share) => void ask({ fail: share }),
    lag: async (share, ms) => void (await ask({ lag: { share, ms } })),
    stopAddOn: (name) => void ask({ stopAddOn: name }),
    renewLeases: async (everySeconds) => void (await ask({ renewEverySeconds: everySeconds })),
    connect: async (count) => void (await ask({ connect: count })),
    certify: (share) => ask<CertificateStats>({ certify: share }),
    join: async (joining) => void (await ask({ join: joining })),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns a function that sends a request to the process and resolves with its answer. It rejects if the request fails or the process ends. */
function asking(child: ChildProcess): <T = unknown>(request: SwarmRequest) => Promise<T> {
  let requests = 0;
  return async <T>(request: SwarmRequest) => {
    const id = ++requests;
    const answer = message<{ readonly answer: T; readonly error?: string }>(
      child,
      (value) => (value as { readonly done?: number }).done === id,
    );
    child.send({ id, request });
    const { answer: value, error } = await answer;
    if (error !== undefined) throw new Error(`the agents could not do ${JSON.stringify(request).slice(0, 200)}: ${error}`);
    return value;
  };
}

function message<T>(child: ChildProcess, isIt: (value: object) => boolean): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`the process of the agents ended with ${code}`));
    const read = (value: object): void => {
      if (!isIt(value)) return;
      child.off('message', read);
      child.off('exit', ended);
      resolve(value as T);
    };
    child.on('message', read);
    child.once('exit', ended);
  });
}
