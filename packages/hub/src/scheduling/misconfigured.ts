import { errorMessage } from '@outrigger/core';

/** Something a person has to correct in the Placement; the plugin is the part of the scheduler that minds it. */
export interface Misconfiguration {
  readonly plugin: string;
  readonly problem: string;
}

/** Ends a pass over a Placement that cannot be understood. Caught by `schedule` alone. */
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

/** Runs `work`, whose errors are about what the person wrote. */
export function minding<T>(plugin: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new MisconfiguredError(plugin, errorMessage(error), { cause: error });
  }
}
