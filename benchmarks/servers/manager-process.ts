import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuMsOf, residentMbOf } from './contestants.js';

export interface ManagerProcess {
  cpuMs(): number;
  residentMb(): number;
  stop(): Promise<void>;
}

/** Starts the released form of `outrigger hub`, without placement and without the acceptance of clusters. */
export function startManager(kubeconfig: string): ManagerProcess {
  const bundle = fileURLToPath(new URL('../../packages/cli/dist/bundle/main.js', import.meta.url));
  const options = ['--no-placement', '--no-registration', '--no-leader-election', '--metrics-port', '0', '--log-level', 'error'];
  const child = spawn(process.execPath, [bundle, 'hub', '--kubeconfig', kubeconfig, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${bundle} does not start`);
  return {
    cpuMs: () => cpuMsOf(pid),
    residentMb: () => residentMbOf(pid),
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await gone;
    },
  };
}
