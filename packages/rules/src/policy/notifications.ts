import { isNewlyHalted } from './halted.js';
import type { PolicyNotification, RolloutEntry, RolloutWait } from '@outrigger/api';
import type { CompiledPolicy } from './compile.js';

/** A change of a rollout, as sent in the body of a webhook request. */
export interface RolloutNotification {
  /** The format of the body. */
  readonly version: 1;
  readonly event: NonNullable<PolicyNotification['on']>[number];
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  readonly message: string;
  readonly at: string;
}

/** A notification, and the names of the webhook addresses to which it is sent. */
export interface AddressedNotification {
  readonly urls: readonly string[];
  readonly notification: RolloutNotification;
}

/** Returns the notifications that policies request about the changes from the recorded entries to the next ones. */
export function rolloutNotifications(
  policies: readonly CompiledPolicy[],
  addOn: string,
  { before, after, at }: { readonly before: readonly RolloutEntry[]; readonly after: readonly RolloutEntry[]; readonly at: string },
): readonly AddressedNotification[] {
  const rules = policies.flatMap(({ notify }) => notify);
  if (rules.length === 0) return [];
  const known = new Map(before.map((entry) => [entry.name, entry]));
  return after.flatMap((entry) =>
    changesOf(entry, known.get(entry.name)).flatMap(({ event, revision, message }) => {
      const urls = [...new Set(rules.filter(({ on }) => on?.includes(event) ?? true).map(({ url }) => url))].sort();
      if (urls.length === 0) return [];
      return [{ urls, notification: { version: 1, event, addOn, entry: entry.name, revision, message, at } as const }];
    }),
  );
}

type EntryChange = Pick<RolloutNotification, 'event' | 'revision' | 'message'>;

function changesOf(entry: RolloutEntry, before: RolloutEntry | undefined): readonly EntryChange[] {
  const { targetRevision: revision, selected = 0 } = entry;
  if (revision === undefined) return [];
  if (selected === 0) return waitChanges(entry, before, revision);
  const changes: EntryChange[] = [];
  if (entry.rolledBack && before?.rolledBack?.at !== entry.rolledBack.at) {
    const { from, to, reason } = entry.rolledBack;
    changes.push({ event: 'RolledBack', revision: from, message: `goes back from revision ${from} to ${to}: ${reason}` });
  }
  changes.push(...waitChanges(entry, before, revision));
  if (isNewlyHalted(entry, before)) changes.push({ event: 'Halted', revision, message: entry.message ?? '' });
  if (entry.completedRevision === revision && !isCompleted(before, revision)) {
    changes.push({ event: 'Completed', revision, message: entry.message ?? '' });
  }
  return changes;
}

/**
 * Returns a `Waiting` change for each gate that starts to hold admissions or removals. A gate can hold removals even in an entry without
 * clusters.
 */
function waitChanges({ waitingFor = [] }: RolloutEntry, before: RolloutEntry | undefined, revision: number): readonly EntryChange[] {
  const keyOf = ({ kind, name, group = '', operation }: RolloutWait): string => `${kind} ${name} ${group} ${operation ?? ''}`;
  const known = new Set((before?.waitingFor ?? []).map(keyOf));
  return waitingFor
    .filter((wait) => !known.has(keyOf(wait)))
    .map(({ name, message }) => ({
      event: 'Waiting',
      revision,
      message: `waits for ${name}${message === undefined ? '' : `: ${message}`}`,
    }));
}

/**
 * Whether the previous record already shows the target as completed. If the entry had no clusters then, nothing was completed; the
 * notification is sent when the entry completes with its first clusters.
 */
function isCompleted(before: RolloutEntry | undefined, revision: number): boolean {
  return before?.targetRevision === revision && before.completedRevision === revision && (before.selected ?? 0) > 0;
}
