import type { Scope } from '@outrigger/core';
import { sharedAbortController } from './adapters/turn.js';

/**
 * The lifetime of a simulated process or of a part of it. `close` is a graceful shutdown, which aborts the signal. `cut` is a crash, which
 * does not abort the signal, because the handlers of the signal belong to the process. Simulated servers and networks are notified through
 * `onCut`.
 */
export class VirtualScope implements Scope {
  readonly name: string;
  /** Schedules a task of the process to which this scope belongs. */
  enter: (delayMs: number, task: () => void, within?: VirtualScope) => () => void = () => {
    throw new Error('a scope without a runtime');
  };
  readonly #controller = sharedAbortController();
  readonly #children = new Set<VirtualScope>();
  readonly #onCut = new Set<() => void>();
  #isCut = false;

  constructor(name: string) {
    this.name = name;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  child(name: string): VirtualScope {
    const child = new VirtualScope(`${this.name}/${name}`);
    child.enter = this.enter;
    if (this.#isCut) child.cut();
    this.#children.add(child);
    return child;
  }

  close(): void {
    if (this.#isCut) return;
    for (const child of this.#children) child.close();
    this.#controller.abort(new Error(`${this.name} was closed`));
    this.cut();
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    for (const child of this.#children) child.cut();
    for (const task of this.#onCut) task();
  }

  /** Runs a task when the scope is cut. Only the simulator uses this, because a simulated process must not notice its own crash. */
  onCut(task: () => void): () => void {
    this.#onCut.add(task);
    return () => this.#onCut.delete(task);
  }
}
