import type { RolloutTarget } from '@outrigger/api';
import type { AddOnRecord } from '../../resources/add-ons.js';
import type { StrategyEntry } from '../../strategy/entries.js';
import { TargetReader } from './observation.js';
import type { EntryTargets } from './targets.js';

/** Which target holds for which cluster, and how to read an add-on against it. */
export interface TargetReading {
  /** The target of what the installer makes. */
  readonly made: RolloutTarget;
  readerOf(addOn: AddOnRecord | undefined): TargetReader;
}

export function readTargets(entry: StrategyEntry, made: RolloutTarget, { handMade }: EntryTargets): TargetReading {
  const reader = new TargetReader(entry, made);
  if (handMade === undefined || handMade === made) return { made, readerOf: () => reader };
  const handReader = new TargetReader(entry, handMade);
  return { made, readerOf: (addOn) => (addOn !== undefined && addOn.installedSpec === undefined ? handReader : reader) };
}
