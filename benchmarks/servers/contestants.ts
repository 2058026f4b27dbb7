import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type RealKube, startKube } from '../../test/harness/index.js';
import { NODE_OPTIONS, bundleProgram } from './bundle.js';
import { PROBE_OPTIONS, type ProbeQuestion, type Probed, askProbe, endWithThisProcess } from './probe.js';

/** A server under load, with its kubeconfig and its costs. */
export interface Contestant {
  readonly name: 'embedded' | 'etcd + kube-apiserver';
  readonly kubeconfig: string;
  /** The test harness of a real kube-apiserver. */
  readonly kube?: RealKube;
  /** The time from the start of the server's processes until it serves requests. */
  readonly startMs: number;
  /** Returns the processor time that all processes of the server have used so far. */
  cpuMs(): number;
  residentMb(): number;
  /** Returns the resident memory without mapped files, such as the pages of a store. */
  anonymousMb(): number;
  /** Returns the number of sockets that the API server has open, including listening sockets. */
  openSockets(): number;
  /** Sends a question to the probe inside the process of the server. Only the embedded server has a probe. */
  probe?(question: ProbeQuestion): Promise<Probed>;
  /** Kills the server and starts it again on its stored data. Resolves with the time until it serves requests. */
  restart?(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded server, bundled as in a release. `flags` are those of embedded-child.ts. The server stores its objects in
 * `storeFolder`, which is kept, or in a new folder that is removed at the end.
 */
export async function startEmbeddedProcess(flags: readonly string[] = [], storeFolder?: string): Promise<Contestant> {
  const dir = storeFolder ?? (await mkdtemp(join(tmpdir(), 'outrigger-bench-')));
  const program = await bundleProgram(new URL('./embedded-child.ts', import.meta.url), 'embedded');
  const start = (): ChildProcess => {
    const args = [...NODE_OPTIONS, ...PROBE_OPTIONS, program, dir, ...flags];
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    endWithThisProcess(started);
    return started;
  };
  let child = start();
  const removeStore = (): void => {
    if (storeFolder === undefined) rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', removeStore);
  const { kubeconfig, uptimeMs } = await firstLine(child);
  return {
    name: 'embedded',
    kubeconfig,
    startMs: uptimeMs,
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    residentMb: () => residentMbOf(child.pid ?? 0),
    anonymousMb: () => anonymousMbOf(child.pid ?? 0),
    openSockets: () => socketsOf(child.pid ?? 0),
    probe: (question) => askProbe(child, question),
    async restart() {
      await end(child, 'SIGKILL');
      child = start();
      return (await firstLine(child)).uptimeMs;
    },
    async stop() {
      await end(child, 'SIGTERM');
      process.off('exit', removeStore);
      removeStore();
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((done) => child.once('exit', done));
  child.kill(signal);
  await gone;
}

export async function startRealKube(): Promise<Contestant> {
  const startedAt = performance.now();
  const kube = await startKube({ fsync: true });
  const startMs = performance.now() - startedAt;
  const components = ['etcd', 'kube-apiserver'] as const;
  return {
    name: 'etcd + kube-apiserver',
    kubeconfig: kube.kubeconfigPath,
    kube,
    startMs,
    cpuMs: () => components.reduce((sum, component) => sum + cpuMsOf(kube.pid(component)), 0),
    residentMb: () => components.reduce((sum, component) => sum + residentMbOf(kube.pid(component)), 0),
    anonymousMb: () => components.reduce((sum, component) => sum + anonymousMbOf(kube.pid(component)), 0),
    openSockets: () => socketsOf(kube.pid('kube-apiserver')),
    stop: () => kube.stop(),
  };
}

function firstLine(child: ChildProcess): Promise<{ kubeconfig: string; uptimeMs: number }> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error('the embedded server has no output to read');
    createInterface(child.stdout).once('line', (line) => resolve(JSON.parse(line) as { kubeconfig: string; uptimeMs: number }));
    child.once('exit', (code) => reject(new Error(`the embedded server exited with ${code}`)));
  });
}

/** Returns the processor time of a process: fields 14 and 15 of /proc/<pid>/stat, in ticks of 10 ms. */
export function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMbOf(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

function anonymousMbOf(pid: number): number {
  return statusMb(pid, 'RssAnon');
}

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => isSocket(join(folder, name))).length;
}

/** Whether a file descriptor is a socket. Returns false for a file descriptor that has been closed since it was listed. */
function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Returns a field of /proc/<pid>/status that is in kB, such as VmRSS. */
export function statusMb(pid: number, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** Returns the bytes that a process has read and written by system calls, which include those of its sockets. */
export function bytesOf(pid: number): { readonly read: number; readonly written: number } {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { read: field('rchar'), written: field('wchar') };
}
