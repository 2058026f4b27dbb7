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

export interface Swarm {
  cpuMs(): number;
  residentMb(): number;
  stats(): Promise<SwarmStats>;
  /** Stops the reports of this share of the clusters. 0 resumes all reports. */
  vanish(share: number): void;
  stop(): Promise<void>;
}

/** Starts the agents of the whole fleet in a single separate process. */
export async function startSwarm(kubeconfig: string, { delayMs, connections }: FleetOptions): Promise<Swarm> {
  const program = await bundleProgram(new URL('./swarm-child.ts', import.meta.url), 'swarm');
  const child = fork(program, [kubeconfig, String(delayMs), String(connections)], { execArgv: [] });
  const message = <T>(isIt: (value: object) => boolean): Promise<T> =>
    new Promise((resolve) => {
      const read = (value: object): void => {
        if (!isIt(value)) return;
        child.off('message', read);
        resolve(value as T);
      };
      child.on('message', read);
    });
  await message((value) => 'ready' in value);
  const pid = child.pid ?? 0;
  return {
    cpuMs: () => cpuMsOf(pid),
    residentMb: () => residentMbOf(pid),
    async stats() {
      const answer = message<SwarmStats>((value) => 'reports' in value);
      child.send({ stats: true });
      return answer;
    },
    vanish: (share) => void child.send({ vanish: share }),
    async stop() {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
