import { errorMessage } from '@outrigger/core';

/** A mistake in the Placement that a user must correct. `plugin` is the part of the scheduler that found it. */
export interface Misconfiguration {
  readonly plugin: string;
  readonly problem: string;
}

/** An error that ends a pass over a misconfigured Placement. Only `schedule` catches this error. */
export class MisconfiguredError extends Error implements Misconfiguration {
  override readonly name = 'MisconfiguredError';
  readonly plugin: string;
  readonly problem: string;

  constructor(plugin: string, problem: string, options?: ErrorOptions) {
    super(`${plugin}:${problem}`, options);
    this.plugin = plugin;
    this.problem = problem;
  }
}

/** Calls `compile`. An error that `compile` throws becomes a MisconfiguredError, because its cause is a mistake in the Placement. */
export function asMisconfigured<T>(plugin: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw new MisconfiguredError(plugin, errorMessage(error), { cause: error });
  }
}
