import type { AddOnRollout, RolloutEntry } from '@outrigger/api';
import { countText, shell } from '@outrigger/core';
import { waysBack } from '../rollout/timeline/way-back.js';

/** The command that ends the pause, of this rollout or of the whole fleet. */
export function resumeCommand({ metadata, spec }: AddOnRollout): string {
  return spec?.paused ? shell`outrigger rollout resume ${metadata.name}` : 'outrigger resume --all';
}

/** The command that rolls back; undefined if no earlier target completed, because the rollback would then be refused. */
export function rollbackCommand({ metadata, status }: AddOnRollout): string | undefined {
  const { entries } = waysBack(status?.entries ?? []);
  return entries.some(({ wayBack }) => wayBack !== undefined) ? shell`outrigger rollback ${metadata.name}` : undefined;
}

/** Describes why an entry is halted: clusters failed, or, if none did, the problem that the record names. */
export function haltedText({ failed = 0, message = '' }: RolloutEntry): string {
  if (failed === 0 && message !== '') return `is halted: ${message}`;
  return `is halted: ${countText(failed, 'cluster')} failed${message === '' ? '' : ` (${message})`}`;
}
