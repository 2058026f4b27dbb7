import type { ApiRequest, Transport } from '@outrigger/core';

/** A manager that a scenario can kill. */
export interface MortalProcess {
  /** Ends the process at once. None of its code runs afterwards. */
  crash(): void;
  /** Resolves when the process has started. */
  readonly started: Promise<unknown>;
}

/** Starts a manager whose requests go through `wrap`. */
export type Spawn = (wrap: (inner: Transport) => Transport) => MortalProcess;

const NEVER = new Promise<never>(() => undefined);

/**
 * Managers that run one after the other. Each is killed when the API server has accepted a request that `isFatal` selects, before the
 * manager receives the response. Then the next one starts.
 */
export class MortalManagers {
  deaths = 0;
  readonly #spawn: Spawn;
  readonly #isFatal: (request: ApiRequest) => boolean;
  #isImmortal = false;
  #started: Promise<unknown> = Promise.resolve();

  constructor(spawn: Spawn, isFatal: (request: ApiRequest) => boolean) {
    this.#spawn = spawn;
    this.#isFatal = isFatal;
  }

  start(): void {
    let isDead = false;
    const process: MortalProcess = this.#spawn((inner) => ({
      send: async (request, signal) => {
        if (isDead) return NEVER;
        const answer = await inner.send(request, signal);
        if (!isDead && !this.#isImmortal && answer.status < 300 && this.#isFatal(request)) {
          isDead = true;
          this.deaths++;
          process.crash();
          this.start();
        }
        return isDead ? NEVER : answer;
      },
      close: () => inner.close(),
    }));
    this.#started = process.started;
    // If the test killed the process while it started, `started` rejects, and the test ignores the error.
    process.started.catch((error: unknown) => {
      if (!isDead) throw error;
    });
  }

  /** Stops killing managers, so the current manager keeps running. Resolves when this manager has started. */
  async spare(): Promise<void> {
    this.#isImmortal = true;
    await this.#started;
  }
}

/** A write of an AddOnRollout's status, which records admissions, gates, measurements and rollbacks. */
export function isRecordWrite({ method, path }: ApiRequest): boolean {
  return method === 'PATCH' && /\/addonrollouts\/[^/]+\/status$/.test(path);
}
