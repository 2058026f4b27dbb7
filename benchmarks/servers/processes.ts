import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from './bundle.js';
import { bytesOf, cpuMsOf, residentMbOf, statusMb } from './contestants.js';
import { PROBE_OPTIONS, type ProbeQuestion, type Probed, askProbe, endWithThisProcess } from './probe.js';

/** The bundled command. OUTRIGGER_BENCH_BUNDLE names the bundle of another build for comparison. */
export const COMMAND =
  process.env['OUTRIGGER_BENCH_BUNDLE'] ?? fileURLToPath(new URL('../../packages/cli/dist/bundle/main.js', import.meta.url));

/** A process that is measured. */
export interface Measured {
  readonly pid: number;
  cpuMs(): number;
  residentMb(): number;
  /** Returns the peak resident memory. */
  peakMb(): number;
  /** Resolves when the process has printed a line that contains the text. */
  printed(text: string): Promise<void>;
  /** Returns the bytes that the process has read and written so far, by the system calls read and write. */
  bytes(): { readonly read: number; readonly written: number };
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** A process that is also measured from inside. */
export interface Probable extends Measured {
  probe(question: ProbeQuestion): Promise<Probed>;
}

/** Starts `outrigger` with the given arguments. */
export function startCommand(args: readonly string[]): Measured {
  const child = spawn(process.execPath, [...NODE_OPTIONS, COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  return measured(child, `outrigger ${args[0] ?? ''}`);
}

/** Starts `outrigger` with the given arguments and a probe inside. */
export function startProbedCommand(args: readonly string[]): Probable {
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...PROBE_OPTIONS, COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  return { ...measured(child, `outrigger ${args[0] ?? ''}`), probe: (question) => askProbe(child, question) };
}

function measured(child: ChildProcess, name: string): Measured {
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} does not start`);
  endWithThisProcess(child);
  let output = '';
  const listeners = new Set<() => void>();
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  return {
    pid,
    cpuMs: () => cpuMsOf(pid),
    residentMb: () => residentMbOf(pid),
    peakMb: () => statusMb(pid, 'VmHWM'),
    bytes: () => bytesOf(pid),
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!output.includes(text)) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        check();
        void ended.then((code) => reject(new Error(`${name} ended with ${code}: ${output.slice(-2_000)}`)));
      }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
    },
  };
}

/** Runs a command until it exits. Returns the processor time of the command, including that of its child processes. */
export async function cpuMsOfRun(args: readonly string[]): Promise<number> {
  const before = childrenCpuMs();
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((done) => child.once('exit', (exit) => done(exit)));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return childrenCpuMs() - before;
}

/** Returns the processor time of the children of this process that have ended: fields 16 and 17 of /proc/self/stat. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
