import { type Simulator, type VirtualRuntime, createVirtualRuntime } from '@outrigger/kube/testing';

/** A process that crashes and restarts without its in-memory state. */
export class SimulatedProcess {
  readonly #simulator: Simulator;
  readonly #name: string;
  readonly #create: (runtime: VirtualRuntime) => { start(): Promise<void> };
  #runtime: VirtualRuntime | undefined;
  #lives = 0;
  #isOver = false;

  constructor(simulator: Simulator, name: string, create: (runtime: VirtualRuntime) => { start(): Promise<void> }) {
    this.#simulator = simulator;
    this.#name = name;
    this.#create = create;
  }

  /** Starts the process unless it already runs or `end` was called. */
  start(): void {
    if (this.#isOver || this.#runtime) return;
    this.#runtime = createVirtualRuntime(this.#simulator, `${this.#name}-${this.#lives++}`);
    void this.#create(this.#runtime).start();
  }

  crash(downMs: number): void {
    this.#runtime?.crash();
    this.#runtime = undefined;
    this.#simulator.schedule(downMs, () => this.start());
  }

  end(): void {
    this.#isOver = true;
    this.#runtime?.crash();
  }
}
