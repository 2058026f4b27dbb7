import type { LogEntry, LoggedPass, ObjectHistory, Stored, Violation } from './log.js';
import { type DeclarationSpec, KIND, decidedGroups, specOf, statusOf } from './reading.js';

/**
 * addons.md §2, "unknown is not empty": while the clusters of any entry are unknown, no add-on is removed. The check uses the state that the
 * pass had read.
 */
export function judgeUnknownEntries(history: ObjectHistory, { kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
  const isRemoved = before && (!after || isDeletion(before, after));
  if (kind !== KIND.addOns || pass?.controller !== 'fleet' || !isRemoved) return [];
  const [, addOn = ''] = id.split('/');
  const unknown = declaredEntries(history, addOn, pass).find(({ isUnknown }) => isUnknown);
  return unknown
    ? [{ rule: 'unknown entry', message: `${id} is removed although the clusters of ${unknown.name} are unknown`, index }]
    : [];
}

/**
 * addons.md §2: while the clusters of an entry are unknown, its last known members move to no other entry, unless a later entry selects them.
 * Returns the earlier entries, whose admissions by name do not count for a member of the entry `home`.
 */
export function entriesWithoutEffect(history: ObjectHistory, addOn: string, home: string | undefined, pass: LoggedPass): readonly string[] {
  const entries = declaredEntries(history, addOn, pass);
  const position = entries.findIndex(({ name, isUnknown }) => name === home && isUnknown);
  return entries.slice(0, Math.max(0, position)).map(({ name }) => name);
}

function isDeletion(before: Stored, after: Stored): boolean {
  return before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
}

/** Returns the Placements that a declaration names, in declared order, and whether their clusters were unknown to a pass. */
function declaredEntries(
  history: ObjectHistory,
  addOn: string,
  { seen }: LoggedPass,
): readonly { readonly name: string; readonly isUnknown: boolean }[] {
  const { installStrategy } = specOf<DeclarationSpec>(history.get(KIND.declarations, addOn, seen[KIND.declarations])) ?? {};
  if (installStrategy?.type !== 'Placements') return [];
  return (installStrategy.placements ?? []).map((entry) => {
    const name = `${entry.namespace ?? ''}/${entry.name ?? ''}`;
    const placement = history.get(KIND.placements, name, seen[KIND.placements]);
    const groups = decidedGroups(history, entry, seen[KIND.decisions]);
    const { numberOfSelectedClusters = 0 } = statusOf<{ readonly numberOfSelectedClusters?: number }>(placement);
    const decided = new Set(groups.flat()).size;
    return { name, isUnknown: !placement || groups.length === 0 || decided < numberOfSelectedClusters };
  });
}
