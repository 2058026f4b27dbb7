import type { RolloutTarget } from '@outrigger/api';
import type { AddOnRecord } from '../../observed/add-ons.js';
import type { StrategyEntry } from '../../strategy/entry.js';
import { type Following, followingOf } from '../../strategy/following.js';
import { TargetReader } from './target-report.js';
import type { EntryTargets } from '../targets/targets.js';

/** Assigns each add-on its target, and the reader for that target. */
export interface TargetReading {
  /** The target of add-ons that the installer created. */
  readonly made: RolloutTarget;
  readerOf(addOn: AddOnRecord | undefined): TargetReader;
}

export function readTargets(
  entry: StrategyEntry,
  made: RolloutTarget,
  { handMade = made, ownConfigs = made }: Pick<EntryTargets, 'handMade' | 'ownConfigs'>,
): TargetReading {
  const reader = new TargetReader(entry, made);
  if (handMade === made && ownConfigs === made) return { made, readerOf: () => reader };
  const readers: Readonly<Record<Following, TargetReader>> = {
    all: reader,
    version: ownConfigs === made ? reader : new TargetReader(entry, ownConfigs),
    none: handMade === made ? reader : new TargetReader(entry, handMade),
  };
  return { made, readerOf: (addOn) => (addOn ? readers[followingOf(addOn)] : reader) };
}
