import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A settled fleet in the store folder of an earlier run. */
export interface KeptFleet {
  readonly clusters: number;
  readonly addOns: number;
  /** The image in the templates of all add-ons, as the fleet last set it. */
  readonly image: string;
}

const FILE = 'fleet.json';

/**
 * Returns the settled fleet in a folder, or undefined if the folder is empty. Throws if an earlier run was interrupted, because its fleet
 * is not settled.
 */
export function keptFleet(folder: string): KeptFleet | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as KeptFleet;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (readdirSync(folder).length === 0) return undefined;
    throw new Error(`the fleet in ${folder} is not settled, because a run was interrupted: remove the folder, or use another one`);
  }
}

/** Writes the file that records that the fleet in the folder is settled. */
export function keepFleet(folder: string, fleet: KeptFleet): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(fleet)}\n`);
}

/**
 * Removes the file that records that the fleet is settled. Called before a scenario changes the fleet, so that an interrupted run does not
 * leave the file behind.
 */
export function unkeepFleet(folder: string): void {
  rmSync(join(folder, FILE), { force: true });
}

/** Returns the reason why a run of this size cannot use the fleet, or undefined if the sizes are equal. */
export function keptFleetProblem(kept: KeptFleet, { clusters, addOns }: Pick<KeptFleet, 'clusters' | 'addOns'>): string | undefined {
  if (kept.clusters === clusters && kept.addOns === addOns) return undefined;
  return `--store has a fleet of ${kept.clusters} × ${kept.addOns}, not ${clusters} × ${addOns}: use --clusters ${kept.clusters} --addons ${kept.addOns}, or another folder`;
}
