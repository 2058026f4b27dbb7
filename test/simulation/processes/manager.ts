import { type ChildProcess, fork } from 'node:child_process';
import type { Relay } from '../../harness/index.js';
import type { ManagerState, ToManager, ToSimulation } from './messages.js';

export interface ManagerOptions {
  readonly name: string;
  /** The bundled manager-process.ts. */
  readonly program: string;
  readonly kubeconfig: string;
  /** The connections of this manager to the hub's API server. */
  readonly relay: Relay;
}

const ANSWER_MS = 2_000;
const KEPT_LINES = 40;

/** One replica of the manager. It keeps running until `end`: a process that dies is started again. */
export class ManagerReplica {
  readonly name: string;
  readonly relay: Relay;
  /** The writes of controllers so far, without those of a new leader that claims the records. */
  readonly writes: string[] = [];
  /** Exits that no fault explains. */
  readonly defects: string[] = [];
  readonly log: string[] = [];
  readonly #options: ManagerOptions;
  readonly #questions = new Map<number, (state: ManagerState) => void>();
  #child: ChildProcess | undefined;
  #asked = 0;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.name = options.name;
    this.relay = options.relay;
  }

  /** Starts the process unless it runs. */
  start(): void {
    if (this.#child) return;
    const { program, kubeconfig, name } = this.#options;
    const child = fork(program, [kubeconfig, name], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.#keep(chunk.toString()));
    child.on('message', (message: ToSimulation) => this.#receive(message));
    child.on('exit', (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      if (signal !== 'SIGKILL') this.defects.push(`manager ${name} exited with ${signal ?? code}: ${this.log.slice(-3).join(' ')}`);
    });
  }

  /** Kills the process as `kill -9` does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
  }

  /** Lets the process kill itself at its n-th write from now on. */
  crashAt(writes: number): void {
    this.#tell({ do: 'crash', writes, isBefore: writes % 2 === 1 });
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Returns the state of the process; undefined if the process does not run or does not answer. */
  async state(): Promise<ManagerState | undefined> {
    const question = ++this.#asked;
    return new Promise((resolve) => {
      const timeout = setTimeout(() => this.#answer(question, undefined), ANSWER_MS);
      this.#questions.set(question, (state) => {
        clearTimeout(timeout);
        resolve(state);
      });
      if (!this.#tell({ do: 'answer', question })) this.#answer(question, undefined);
    });
  }

  #answer(question: number, state: ManagerState | undefined): void {
    const resolve = this.#questions.get(question) as ((state: ManagerState | undefined) => void) | undefined;
    this.#questions.delete(question);
    resolve?.(state);
  }

  #tell(message: ToManager): boolean {
    if (this.#child?.connected !== true) return false;
    this.#child.send(message, () => undefined);
    return true;
  }

  #receive(message: ToSimulation): void {
    if ('question' in message) this.#answer(message.question, message);
    else if ('write' in message && !message.isClaim) this.writes.push(message.write);
  }

  #keep(text: string): void {
    this.log.push(...text.trimEnd().split('\n'));
    this.log.splice(0, this.log.length - KEPT_LINES);
  }
}
