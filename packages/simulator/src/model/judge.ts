import { judgeRecord, judgeSoak } from './admissions.js';
import { Contents, judgeWork } from './content.js';
import { Dependencies } from './dependencies.js';
import { Departures } from './departures.js';
import { judgeGates } from './gates.js';
import { judgeEnd } from './end-state.js';
import { type Evidence, ObjectHistory, type Violation } from './log.js';
import { NameHolders } from './name-holders.js';
import { Ownership } from './ownership.js';
import { judgeDone } from './progress.js';
import { KIND } from './reading.js';
import { judgeClusters } from './clusters.js';
import { judgeRecordFormat } from './record-format.js';
import { judgeCompareAndSwap } from './record-writes.js';
import { RollBacks } from './roll-backs.js';
import { Rights } from './rights.js';
import { judgeStoredContent } from './stored-content.js';
import { judgeUnknownEntries } from './unknown-entries.js';
import { judgeVersions } from './versions.js';
import { WriteBudget } from './write-budget.js';

/** Checks the log of a run. Returns all violated invariants in the order of the log. */
export function judge(evidence: Evidence): readonly Violation[] {
  const history = new ObjectHistory(evidence.initial);
  const contents = new Contents();
  const ownership = new Ownership(history, evidence.hasLostAnswers);
  for (const kind of [KIND.templates, KIND.configs]) for (const object of history.list(kind)) contents.learn(kind, object);
  const departures = evidence.hasFaults ? undefined : new Departures(history);
  const dependencies = evidence.hasFaults ? undefined : new Dependencies(history);
  const budget = evidence.hasFaults ? undefined : new WriteBudget(history, evidence.clusters);
  const rollBacks = new RollBacks(history);
  const rights = new Rights(history);
  const holders = new NameHolders(history, evidence.hasClockSteps);
  const found: Violation[] = [];
  for (const entry of evidence.log) {
    if (entry.after) contents.learn(entry.kind, entry.after);
    found.push(...judgeRecord(history, entry), ...judgeWork(history, contents, entry), ...ownership.judge(entry));
    if (!evidence.hasClockSteps) found.push(...judgeSoak(history, entry));
    found.push(...judgeDone(history, entry), ...(departures?.judge(entry) ?? []));
    found.push(
      ...judgeCompareAndSwap(history, entry),
      ...judgeStoredContent(history, entry),
      ...judgeVersions(entry),
      ...judgeUnknownEntries(history, entry),
      ...judgeRecordFormat(history, entry),
      ...(dependencies?.judge(entry) ?? []),
    );
    found.push(...(budget?.judge(entry) ?? []), ...rollBacks.judge(entry), ...rights.judge(entry), ...holders.judge(entry));
    if (!evidence.hasClockSteps) found.push(...judgeGates(history, entry));
    history.add(entry);
    departures?.note(entry);
  }
  if (evidence.hasSettled) found.push(...holders.judgeEnd());
  return [...found, ...judgeClusters(history, evidence), ...judgeEnd(history, evidence)];
}

/** Checks the end state of a run that has no log, on the hub and on the clusters. */
export function judgeSystem(evidence: Evidence): readonly Violation[] {
  const history = new ObjectHistory(evidence.initial);
  return [...judgeClusters(history, evidence), ...judgeEnd(history, evidence)];
}
