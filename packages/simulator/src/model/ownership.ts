import type { LogEntry, ObjectHistory, Stored, Violation } from './log.js';
import { equal } from './json.js';
import { type Condition, KIND, MARK, type RolloutSpec, specOf, statusOf } from './reading.js';

const PERSON = 'person';
/** The longest time between the removals of two clusters that one confirmation counted: the removal delay, and the lag of a cache. */
const CONFIRMED_MS = 20_000;
/** A process that takes over the lease writes each rollout once. The log adds this suffix to the actor of such a write. */
const CLAIM = ' claim';

/** Checks for each log entry whether the actor may write the fields that changed. */
export class Ownership {
  readonly #history: ObjectHistory;
  /** The fields of each add-on's spec that a user has set, with their values. */
  readonly #personal = new Map<string, Map<string, unknown>>();
  /** The controller that writes a condition, by kind and condition type. */
  readonly #writers = new Map<string, string>();
  /** The number of add-ons that each pass has removed. */
  readonly #removals = new Map<string, number>();
  /** All removals of add-ons: the name of the add-on, the time, and the pass that removed it, if one did. */
  readonly #gone: { readonly addOn: string; readonly at: number; readonly passId: string | undefined }[] = [];
  /** For each object and process, the time at which the process last wrote the status of the object. */
  readonly #statusAt = new Map<string, number>();

  readonly #hasLostAnswers: boolean;

  constructor(history: ObjectHistory, hasLostAnswers: boolean) {
    this.#history = history;
    this.#hasLostAnswers = hasLostAnswers;
  }

  judge(entry: LogEntry): readonly Violation[] {
    const found = [...this.#addOnFields(entry), ...this.#removal(entry), ...this.#conditions(entry), ...this.#spacing(entry)];
    return found.map((violation) => ({ ...violation, index: entry.index }));
  }

  /** addons.md §2: only users write a field that a user has set. */
  #addOnFields({ kind, id, actor, before, after }: LogEntry): readonly Violation[] {
    if (kind !== KIND.addOns) return [];
    if (!after) {
      this.#personal.delete(id);
      return [];
    }
    const [was, is] = [fieldsOf(before), fieldsOf(after)];
    const changed = FIELDS.filter((field) => !equal(was[field], is[field]));
    const personal = this.#personal.get(id) ?? new Map<string, unknown>();
    this.#personal.set(id, personal);
    const found: Violation[] = [];
    for (const field of changed) {
      if (actor !== PERSON) {
        if (personal.has(field))
          found.push({ rule: "a person's field", message: `${actor} changes ${field} of ${id}, which a person has set` });
      } else if (is[field] === undefined) personal.delete(field);
      else personal.set(field, is[field]);
    }
    return found;
  }

  /**
   * addons.md §2: the installer removes only add-ons that it created, and removes all of them at once only if a user has confirmed the
   * number.
   */
  #removal(entry: LogEntry): readonly Violation[] {
    const { kind, id, pass, before, after, actor } = entry;
    const isRemoved =
      before && (!after || (after.metadata.deletionTimestamp !== undefined && before.metadata.deletionTimestamp === undefined));
    if (kind !== KIND.addOns || !isRemoved) return [];
    const [cluster = '', addOn = ''] = id.split('/');
    const passId = pass && `${pass.process} ${pass.key} ${pass.at}`;
    this.#gone.push({ addOn, at: entry.at, passId });
    if (!pass || passId === undefined) return [];
    if (pass.controller === 'clusters') {
      return this.#isGoing(cluster)
        ? []
        : [{ rule: 'removal', message: `${actor} removes ${id} although its cluster is not being deleted` }];
    }
    if (pass.controller !== 'fleet')
      return before.metadata.deletionTimestamp ? [] : [{ rule: 'removal', message: `${actor} removes ${id}` }];
    if (before.metadata.annotations?.[MARK] === undefined) {
      return [{ rule: 'hand-made add-on', message: `${actor} removes ${id}, which a person made` }];
    }
    const removed = (this.#removals.get(passId) ?? 0) + 1;
    this.#removals.set(passId, removed);
    const marked = this.#history.list(KIND.addOns, pass.seen[KIND.addOns]).filter((one) => {
      const { name, annotations = {}, deletionTimestamp } = one.metadata;
      return name === addOn && annotations[MARK] !== undefined && deletionTimestamp === undefined;
    }).length;
    const exceeds = removed > Math.max(5, 0.2 * marked) || (removed === marked && marked >= 2);
    // A confirmation stays valid for the clusters that it counted, even if some of them are detached before their add-ons are removed, or if
    // the add-ons of some are removed earlier, by a user or because their delay has passed.
    const earlier = this.#gone.filter((one) => one.addOn === addOn && one.passId !== passId && entry.at - one.at < CONFIRMED_MS).length;
    const detached = [...this.#history.ids(KIND.addOns)].filter((one) => {
      const [home = '', name] = one.split('/');
      return name === addOn && this.#isGoing(home);
    }).length;
    const confirmed = this.#history.versions(KIND.rollouts, addOn).some(({ object }) => {
      const { confirmRemoval = 0 } = specOf<RolloutSpec>(object) ?? {};
      return confirmRemoval >= removed && confirmRemoval <= removed + earlier + detached;
    });
    return exceeds && !confirmed
      ? [{ rule: 'removal guard', message: `${actor} removes ${removed} of ${marked} add-ons of ${addOn} without a confirmation` }]
      : [];
  }

  #isGoing(cluster: string): boolean {
    const managedCluster = this.#history.get(KIND.clusters, cluster);
    return !managedCluster || managedCluster.metadata.deletionTimestamp !== undefined;
  }

  /** addons.md §9: one writer per condition type. */
  #conditions({ kind, id, pass, before, after }: LogEntry): readonly Violation[] {
    if (!pass || !after) return [];
    const was = conditionsOf(before);
    return conditionsOf(after).flatMap((condition) => {
      const old = was.find(({ type }) => type === condition.type);
      if (old && old.status === condition.status && old.reason === condition.reason) return [];
      const name = `${kind} ${condition.type}`;
      const writer = this.#writers.get(name) ?? pass.controller;
      this.#writers.set(name, writer);
      if (writer === pass.controller) return [];
      return [{ rule: 'one writer', message: `${condition.type} of ${kind} ${id} is written by ${writer} and by ${pass.controller}` }];
    });
  }

  /**
   * addons.md §5: one process writes at most one status per second for each declaration and record. If a declaration is deleted and created
   * again, the new object is not limited by writes to the old one.
   */
  #spacing({ kind, id, actor, pass, at, before, after }: LogEntry): readonly Violation[] {
    // A process that takes over the lease does not know when the status was written last, even if it led before.
    if (actor.endsWith(CLAIM)) this.#statusAt.clear();
    const isSpaced = kind === KIND.declarations || kind === KIND.rollouts;
    if (this.#hasLostAnswers || !isSpaced || pass?.controller !== 'fleet' || !before || !after || equal(before.status, after.status))
      return [];
    const declaration = this.#history.get(KIND.declarations, id, pass.seen[KIND.declarations])?.metadata.uid ?? '';
    const name = `${kind} ${after.metadata.uid ?? ''} ${declaration} ${pass.process}`;
    const last = this.#statusAt.get(name);
    this.#statusAt.set(name, at);
    if (last === undefined || at - last >= 1000) return [];
    return [{ rule: 'one status write a second', message: `the status of ${kind} ${id} is written ${at - last} ms after the last time` }];
  }
}

const FIELDS = ['installNamespace', 'installVersion', 'configs'] as const;

function fieldsOf(object: Stored | undefined): Readonly<Record<string, unknown>> {
  return specOf<Readonly<Record<string, unknown>>>(object) ?? {};
}

function conditionsOf(object: Stored | undefined): readonly Condition[] {
  return statusOf<{ conditions: readonly Condition[] }>(object).conditions ?? [];
}
