import type { RolloutTarget } from '@outrigger/api';
import type { EntryMembers, Member } from './members.js';
import { TargetReader } from './observation.js';
import type { EntryTargets } from './targets.js';

/** Which target holds for which cluster, and how to read an add-on against it. */
export interface TargetReading {
  targetOf(member: Member | undefined): RolloutTarget;
  readerOf(member: Member): TargetReader;
}

/** `made` is the target of what the installer makes. */
export function readTargets({ observation: { entry } }: EntryMembers, made: RolloutTarget, { handMade }: EntryTargets): TargetReading {
  const byHand = handMade ?? made;
  const reader = new TargetReader(entry, made);
  const handReader = byHand === made ? reader : new TargetReader(entry, byHand);
  const isHandMade = (member: Member | undefined): boolean => member?.addOn !== undefined && member.addOn.installedSpec === undefined;
  return {
    targetOf: (member) => (isHandMade(member) ? byHand : made),
    readerOf: (member) => (isHandMade(member) ? handReader : reader),
  };
}
