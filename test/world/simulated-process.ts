import { type Simulator, type VirtualRuntime, createVirtualRuntime } from '@outrigger/kube/testing';

/** A process that crashes and restarts without its in-memory state. */
export class SimulatedProcess {
  readonly #simulator: Simulator;
  readonly #name: string;
  readonly #create: (runtime: VirtualRuntime) => { start(): Promise<void> | void };
  #runtime: VirtualRuntime | undefined;
  #lives = 0;
  /** The time by which the wall clock of the process's machine is ahead. */
  #aheadMs = 0;
  #isOver = false;
  #isAway = false;

  constructor(simulator: Simulator, name: string, create: (runtime: VirtualRuntime) => { start(): Promise<void> | void }) {
    this.#simulator = simulator;
    this.#name = name;
    this.#create = create;
  }

  /** Starts the process unless it already runs, is away, or has ended for good. */
  start(): void {
    if (this.#isOver || this.#isAway || this.#runtime) return;
    this.#runtime = createVirtualRuntime(this.#simulator, `${this.#name}-${this.#lives++}`);
    if (this.#aheadMs !== 0) this.#runtime.skew(this.#aheadMs);
    void this.#create(this.#runtime).start();
  }

  crash(downMs: number): void {
    this.#runtime?.crash();
    this.#runtime = undefined;
    this.#simulator.schedule(downMs, () => this.start());
  }

  /** Ends the process without warning. It does not start again before `comeBack`. */
  leave(): void {
    this.#isAway = true;
    this.#runtime?.crash();
    this.#runtime = undefined;
  }

  comeBack(): void {
    this.#isAway = false;
    this.start();
  }

  /** Moves the wall clock of the process's machine, and moves it back later. A restart of the process does not change it. */
  stepClock(ms: number, forMs: number): void {
    this.#moveClock(ms);
    this.#simulator.schedule(forMs, () => this.#moveClock(-ms));
  }

  get isClockWrong(): boolean {
    return this.#aheadMs !== 0;
  }

  end(): void {
    this.#isOver = true;
    this.#runtime?.crash();
  }

  #moveClock(ms: number): void {
    this.#aheadMs += ms;
    this.#runtime?.skew(ms);
  }
}
