import type { Hook } from './configurations.js';

/**
 * Decides which mutating webhooks are called a second time: those with the reinvocation policy `IfNeeded` after which another webhook
 * changed the object. There is only one second round, and it calls no webhook for the first time.
 */
export class Reinvocation {
  readonly #called = new Set<Hook>();
  readonly #due = new Set<Hook>();

  /** Records a call and whether it changed the object. */
  note(hook: Hook, isChanged: boolean): void {
    if (isChanged) {
      for (const earlier of this.#called) this.#due.add(earlier);
      this.#called.clear();
    }
    if (hook.webhook.reinvocationPolicy === 'IfNeeded') this.#called.add(hook);
  }

  isDue(hook: Hook): boolean {
    return this.#due.has(hook);
  }
}
