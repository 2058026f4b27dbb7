import { EVERY, judgeRecord } from './admissions.js';
import { ADDON_LABEL, Contents, judgeWork } from './content.js';
import { type LogEntry, type LoggedPass, ObjectHistory, type Stored, type Violation } from './log.js';
import { judgeDone } from './progress.js';
import { equal } from './json.js';
import { KIND, MARK, type RecordStatus, membershipOf, statusOf } from './reading.js';
import { judgeVersions } from './versions.js';
import { judgeWriters } from './writers.js';

/**
 * The longest time between the moment at which a pass has read a state and the write that it decided. With faults, a process may be paused
 * meanwhile, or wait before it watches a kind again.
 */
const [READ_MS, READ_WITH_FAULTS_MS] = [3_000, 15_000];

/**
 * Checks the log of a run on a real server that was empty at the start. Such a log does not say what a pass had read. A change breaks a
 * rule only if it breaks the rule for every state that the pass may have read.
 */
export function judgeObserved(log: readonly LogEntry[], hasFaults: boolean): readonly Violation[] {
  const history = new ObjectHistory(new Map());
  const contents = new Contents();
  const readMs = hasFaults ? READ_WITH_FAULTS_MS : READ_MS;
  const found: Violation[] = [];
  for (const entry of log) {
    if (entry.after) contents.learn(entry.kind, entry.after);
    const judged = (controller: string, judge: (entry: LogEntry) => readonly Violation[]): readonly Violation[] =>
      inEveryState({ history, log, entry, controller, readMs }, judge);
    if (entry.kind === KIND.rollouts && !equal(entry.before?.status, entry.after?.status))
      found.push(...judged('fleet', (one) => judgeRecord(history, one)));
    if (entry.kind === KIND.works) found.push(...judged('addon', (one) => judgeWork(history, contents, one)));
    if (entry.kind === KIND.addOns) {
      found.push(...judged('addon', (one) => [...judgeVersions(one), ...judgeDone(history, one)]));
      found.push(...judgeRemoval(history, entry));
    }
    found.push(...judgeWriters(entry));
    history.add(entry);
  }
  return found;
}

interface Change {
  readonly history: ObjectHistory;
  readonly log: readonly LogEntry[];
  readonly entry: LogEntry;
  readonly controller: string;
  readonly readMs: number;
}

/** Returns the rules that a change breaks for every state that the pass may have read. The messages describe the newest of these states. */
function inEveryState(change: Change, judge: (entry: LogEntry) => readonly Violation[]): readonly Violation[] {
  const { history, log, entry, controller, readMs } = change;
  let found = judge({ ...entry, pass: passOf(entry, controller, entry.index) });
  for (let count = entry.index - 1; found.length > 0 && count >= 0; count--) {
    if (entry.at - (log[count]?.at ?? 0) > readMs) break;
    if (!couldDecide(history, entry, count)) continue;
    const here = judge({ ...entry, pass: passOf(entry, controller, count) });
    found = found.filter(({ rule }) => here.some((violation) => violation.rule === rule));
  }
  return found;
}

/**
 * Whether a pass that had read the first `count` changes could decide the change at all: a cluster is admitted only as a member of an entry
 * of the declaration, and a work is written only for an add-on with a record.
 */
function couldDecide(history: ObjectHistory, { kind, id, before, after }: LogEntry, count: number): boolean {
  if (kind === KIND.works) {
    const [cluster = ''] = id.split('/');
    const addOn = after?.metadata.labels?.[ADDON_LABEL] ?? '';
    return history.get(KIND.addOns, `${cluster}/${addOn}`, count) !== undefined && history.get(KIND.rollouts, addOn, count) !== undefined;
  }
  if (kind !== KIND.rollouts) return true;
  const declaration = history.get(KIND.declarations, id, count);
  if (!declaration) return false;
  const members = new Set(membershipOf(history, declaration, () => count).flatMap(({ clusters }) => clusters));
  const was = admittedBy(before);
  return [...admittedBy(after)].every((cluster) => was.has(cluster) || cluster === EVERY || members.has(cluster));
}

function admittedBy(record: Stored | undefined): ReadonlySet<string> {
  const { entries = [] } = statusOf<RecordStatus>(record);
  return new Set(entries.flatMap(({ inFlight = [] }) => inFlight.map(({ cluster }) => cluster)));
}

/**
 * Returns a pass that had read the first `count` changes. A fleet pass had read every change of records, because it writes a record only
 * over the version that it has read (compare and swap).
 */
function passOf({ id, at, index }: LogEntry, controller: string, count: number): LoggedPass {
  const kinds = Object.values(KIND).map((kind) => [kind, kind === KIND.rollouts && controller === 'fleet' ? index : count] as const);
  return { process: '', controller, key: id, at, seen: Object.fromEntries(kinds) };
}

/** addons.md §2: only a user removes an add-on that a user created, unless its declaration or its cluster is deleted. */
function judgeRemoval(history: ObjectHistory, { id, actor, before, after, index }: LogEntry): readonly Violation[] {
  const isRemoved = before && before.metadata.deletionTimestamp === undefined && after?.metadata.deletionTimestamp !== undefined;
  const isGone = before && before.metadata.deletionTimestamp === undefined && !after;
  if (!(isRemoved || isGone) || actor === 'person' || before.metadata.annotations?.[MARK] !== undefined) return [];
  const [cluster = '', addOn = ''] = id.split('/');
  const owners = (before.metadata as { readonly ownerReferences?: readonly { readonly uid?: string }[] }).ownerReferences ?? [];
  const declaration = history.get(KIND.declarations, addOn);
  const managedCluster = history.get(KIND.clusters, cluster);
  const isOwned = declaration && owners.some(({ uid }) => uid === declaration.metadata.uid);
  const isDeclared = declaration?.metadata.deletionTimestamp === undefined && (owners.length === 0 || isOwned);
  const isJoined = managedCluster !== undefined && managedCluster.metadata.deletionTimestamp === undefined;
  return isDeclared && isJoined ? [{ rule: 'hand-made add-on', message: `the hub removes ${id}, which a person made`, index }] : [];
}
