import type { RolloutEntry, TargetChange } from '@outrigger/api';

/** Maximum number of recent changes in the timeline of an entry. */
export const TIMELINE_LENGTH = 20;

/** The changes that completed and whose revision has not failed since, newest first. */
export function completedChanges(timeline: readonly TargetChange[]): readonly TargetChange[] {
  const failed = new Set<number>();
  return timeline.filter((change) => {
    if (hasFailed(change)) failed.add(change.to);
    return change.outcome === 'Completed' && !failed.has(change.to);
  });
}

/**
 * Whether a change failed. A change that did not complete and has failed clusters also counts as failed, because strategy All never halts.
 */
function hasFailed({ outcome, failed = 0 }: TargetChange): boolean {
  return outcome === 'Halted' || outcome === 'RolledBack' || (outcome !== 'Completed' && failed > 0);
}

/**
 * Whether the revision failed in this entry, was rejected, or was left for an earlier one, and has not completed in this entry since then.
 */
export function hasFailedLast({ timeline = [], rejected = [] }: RolloutEntry, revision: number): boolean {
  const latest = timeline.find((change) => change.to === revision && (change.outcome === 'Completed' || hasFailed(change)));
  return latest === undefined ? rejected.some((one) => one.revision === revision) : hasFailed(latest);
}

/** The entry's default way back: the most recent earlier target that completed and has not failed since. Undefined if there is none. */
export function wayBack(entry: RolloutEntry): number | undefined {
  const { timeline = [], targetRevision, completedRevision } = entry;
  const found = completedChanges(timeline).find(({ to }) => to !== targetRevision);
  if (found) return found.to;
  // Records written before timelines existed name only the last revision that completed.
  const isOlder = timeline.length < TIMELINE_LENGTH && !timeline.some(({ to }) => to === completedRevision);
  return isOlder && completedRevision !== targetRevision ? completedRevision : undefined;
}

/**
 * Whether a move to this target is a way back, to which no gate applies. This is so if the target completed earlier in this entry, unless
 * the move results from the removal of a pin.
 */
export function isWayBack({ timeline = [], targetRevision }: RolloutEntry, target: number, isPinned: boolean): boolean {
  const [last, ...others] = timeline;
  const earlier = targetRevision === target ? others : timeline;
  const isPinEnd = targetRevision === target ? last?.cause === 'Pin' && last.pinned === undefined : last?.pinned === true && !isPinned;
  return !isPinEnd && earlier.some(({ to, outcome }) => to === target && outcome === 'Completed');
}

/** The way back of each entry that has clusters, and the revision that is a valid way back for all of them, if exactly one exists. */
interface WaysBack {
  readonly revision: number | undefined;
  readonly entries: readonly { readonly entry: RolloutEntry; readonly wayBack: number | undefined }[];
}

/** Returns the entries that a rollback of the whole rollout considers: those that have clusters, or all if none has any. */
export function populatedEntries(all: readonly RolloutEntry[]): readonly RolloutEntry[] {
  const populated = all.filter(({ selected = 0 }) => selected > 0);
  return populated.length > 0 ? populated : all;
}

/**
 * Computes the ways back of all entries, and the only revision to which all entries can be pinned, if there is one. A revision is valid for
 * an entry if it is the entry's way back, or if it is the entry's current target and has completed.
 */
export function waysBack(all: readonly RolloutEntry[]): WaysBack {
  const entries = populatedEntries(all).map((entry) => ({ entry, wayBack: wayBack(entry) }));
  const revisions = new Set(entries.flatMap((one) => one.wayBack ?? []));
  const suiting = [...revisions].filter((revision) => entries.every((one) => one.wayBack === revision || isAt(one.entry, revision)));
  return { revision: suiting.length === 1 ? suiting[0] : undefined, entries };
}

function isAt({ targetRevision, completedRevision, timeline = [] }: RolloutEntry, revision: number): boolean {
  if (targetRevision !== revision) return false;
  return timeline.length === 0 ? completedRevision === revision : completedChanges(timeline).some(({ to }) => to === revision);
}
