import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes Go programs collect garbage less often, which saves a fifth of the CPU time of a short-lived server. */
const FEWER_COLLECTIONS = { GOGC: '400' };

/** A program of a test server. It can be killed, paused and started again with the same arguments. */
export class ServerProcess {
  readonly #spec: ProcessSpec;
  #child: ChildProcess | undefined;
  readonly #killWithUs = (): void => void this.#child?.kill('SIGKILL');

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
  }

  /** Resolves once the program is ready. Rejects with the end of its log if the program exits or is not ready in time. */
  async start(): Promise<void> {
    const { binary, args, logFile, readyTimeoutMs = 90_000 } = this.#spec;
    const log = openSync(logFile, 'a');
    const child = spawn(binary, args, { stdio: ['ignore', log, log], env: { ...process.env, ...FEWER_COLLECTIONS } });
    closeSync(log);
    this.#child = child;
    process.once('exit', this.#killWithUs);
    const failed = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        reject(new Error(`${this.#spec.name} exited (${signal ?? code}) before it was ready:\n${this.#logTail()}`)),
      );
    });
    failed.catch(() => undefined); // Once the program is ready, an exit means that a test killed it, not that it failed to start.
    await Promise.race([this.#ready(readyTimeoutMs), failed]);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    process.off('exit', this.#killWithUs);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
  }

  /** Resolves when all threads have stopped. On a busy machine, threads continue to run for a while after the signal was sent. */
  async pause(): Promise<void> {
    process.kill(this.pid, 'SIGSTOP');
    while (!(await run('ps', ['-o', 'stat=', '-p', String(this.pid)])).stdout.startsWith('T')) await sleep(20);
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.#spec.name} is not running`);
    return this.#child.pid;
  }

  async #ready(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (await this.#spec.isReady().catch(() => false)) return;
      await sleep(100);
    }
    throw new Error(`${this.#spec.name} was not ready after ${timeoutMs / 1000} s:\n${this.#logTail()}`);
  }

  #logTail(): string {
    return readFileSync(this.#spec.logFile, 'utf8').split('\n').slice(-25).join('\n');
  }
}

export interface ProcessSpec {
  readonly name: string;
  readonly binary: string;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Checks whether the process is ready. It is called repeatedly until it returns true; a rejection counts as false. */
  readonly isReady: () => Promise<boolean>;
  readonly readyTimeoutMs?: number;
}

/** The ports are below those that systems use for outgoing connections, so that a port is still free when its server restarts. */
const LOWEST_PORT = 20_000;
const [BLOCKS, PORTS_PER_BLOCK] = [48, 250];

/** A block of ports from which only one worker chooses. */
interface PortBlock {
  readonly first: number;
  /** The ports that the worker has chosen. It chooses a port again only after all ports of the block. */
  readonly given: Set<number>;
}

/** The state is global, because the files of a worker may each load this module. */
const BLOCK = Symbol.for('outrigger.portBlock');
type WithBlock = typeof globalThis & { [BLOCK]?: Promise<PortBlock> };

/**
 * Claims a block for this worker: listens on the block's first port until the worker ends. Without the claim, two workers could choose the
 * same port, even if they belong to different runs on one machine, because a server listens on its port seconds after the port was chosen.
 */
async function claimBlock(): Promise<PortBlock> {
  const start = Number(process.env['VITEST_POOL_ID'] ?? 0);
  for (let i = 0; i < BLOCKS; i++) {
    const first = LOWEST_PORT + ((start + i) % BLOCKS) * PORTS_PER_BLOCK;
    const claim = await listenOn(first);
    if (!claim) continue;
    claim.unref();
    return { first, given: new Set() };
  }
  throw new Error(`other tests on this machine use all ports from ${LOWEST_PORT} to ${LOWEST_PORT + BLOCKS * PORTS_PER_BLOCK}`);
}

/** Returns free ports. No other worker chooses them, and this worker chooses them again only after all other ports of its block. */
export async function freePorts(count: number): Promise<number[]> {
  const { first, given } = await ((globalThis as WithBlock)[BLOCK] ??= claimBlock());
  const held: Server[] = [];
  while (held.length < count) {
    const port = first + 1 + randomInt(PORTS_PER_BLOCK - 1);
    const server = given.has(port) ? undefined : await listenOn(port);
    if (server) held.push(server);
    given.add(port);
    if (given.size === PORTS_PER_BLOCK - 1) given.clear();
  }
  const ports = held.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(held.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  return ports;
}

/** Listens on a port. Resolves with undefined if the port is in use. */
function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
