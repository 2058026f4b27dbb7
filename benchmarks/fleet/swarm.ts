import { fork } from 'node:child_process';
import { bundleProgram } from '../servers/bundle.js';
import { cpuMsOf, residentMbOf } from '../servers/contestants.js';
import type { FleetOptions } from './options.js';

export interface SwarmStats {
  readonly reports: number;
  /** The event-loop delay of the swarm. A result is valid only if it is large compared to this delay. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** A message to the process of the swarm. Each is answered by `{ done: id }` when the agents have acted. */
export type SwarmRequest =
  /** Stops the reports of this share of the clusters. 0 resumes all reports. */
  | { readonly vanish: number }
  /** Reports that the workload of this add-on has stopped, on all clusters. An empty name reports that it runs again. */
  | { readonly stopAddOn: string }
  /** Renews the lease of each cluster once in this many seconds; 0 ends the renewals. */
  | { readonly renewEverySeconds: number }
  /** Closes the connections of single clusters and opens this many. */
  | { readonly connect: number }
  | { readonly stats: true };

export interface Swarm {
  cpuMs(): number;
  residentMb(): number;
  stats(): Promise<SwarmStats>;
  vanish(share: number): void;
  stopAddOn(name: string): void;
  /** Resolves when each cluster has renewed its lease once. */
  renewLeases(everySeconds: number): Promise<void>;
  /** Resolves when each of `count` clusters has sent a request over a connection of its own. */
  connect(count: number): Promise<void>;
  /** Ends the process, if it still runs. */
  stop(): Promise<void>;
}

/** Starts the agents of the whole fleet in a single separate process. */
export async function startSwarm(kubeconfig: string, { delayMs, connections, clusters }: FleetOptions): Promise<Swarm> {
  const program = await bundleProgram(new URL('./swarm-child.ts', import.meta.url), 'swarm');
  const child = fork(program, [kubeconfig, String(delayMs), String(connections), String(clusters)], { execArgv: [] });
  const message = <T>(isIt: (value: object) => boolean): Promise<T> =>
    new Promise((resolve) => {
      const read = (value: object): void => {
        if (!isIt(value)) return;
        child.off('message', read);
        resolve(value as T);
      };
      child.on('message', read);
    });
  let requests = 0;
  const ask = async <T = unknown>(request: SwarmRequest): Promise<T> => {
    const id = ++requests;
    const answer = message<{ readonly answer: T }>((value) => (value as { readonly done?: number }).done === id);
    child.send({ id, request });
    return (await answer).answer;
  };
  await message((value) => 'ready' in value);
  const pid = child.pid ?? 0;
  return {
    cpuMs: () => cpuMsOf(pid),
    residentMb: () => residentMbOf(pid),
    stats: () => ask<SwarmStats>({ stats: true }),
    vanish: (share) => void ask({ vanish: share }),
    stopAddOn: (name) => void ask({ stopAddOn: name }),
    renewLeases: async (everySeconds) => void (await ask({ renewEverySeconds: everySeconds })),
    connect: async (count) => void (await ask({ connect: count })),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
