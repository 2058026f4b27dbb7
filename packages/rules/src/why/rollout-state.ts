import { type AddOnRollout, type RolloutEntry, progressionMessage } from '@outrigger/api';
import { countText, shell } from '@outrigger/core';
import { waysBack } from '../rollout/timeline/way-back.js';

/** The command that ends the pause of this rollout or, if this rollout itself is not paused, of the whole fleet. */
export function resumeCommand({ metadata, spec }: AddOnRollout): string {
  return spec?.paused ? shell`outrigger rollout resume ${metadata.name}` : 'outrigger resume --all';
}

/** The command that rolls back; undefined if no earlier target completed, because the rollback would then be refused. */
export function rollbackCommand({ metadata, status }: AddOnRollout): string | undefined {
  const { entries } = waysBack(status?.entries ?? []);
  return entries.some(({ wayBack }) => wayBack !== undefined) ? shell`outrigger rollback ${metadata.name}` : undefined;
}

/** Returns the part of an entry's message that does not repeat its numbers. */
export function remarkOf({ message = '', selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0 }: RolloutEntry): string {
  const numbers = progressionMessage({ selected, done, progressing, failed, skipped });
  return message.startsWith(numbers) ? message.slice(numbers.length).replace(/^; /, '') : message;
}

/** Describes why an entry is halted: clusters failed, or, if none did, the problem that the record names. */
export function haltedText(entry: RolloutEntry): string {
  const { failed = 0 } = entry;
  const remark = remarkOf(entry);
  if (failed === 0 && remark !== '') return `is halted: ${remark}`;
  return `is halted: ${countText(failed, 'cluster')} failed${remark === '' ? '' : ` (${remark})`}`;
}
