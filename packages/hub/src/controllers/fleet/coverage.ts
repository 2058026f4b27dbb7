import { EVERY_CLUSTER, type InFlightCluster, type RolloutEntry } from '@outrigger/api';
import type { ApiAction } from '@outrigger/kube';
import { type AddOnProjection, homeOf } from '@outrigger/rules/observed';
import { entryRevision, hasGates, hasWildcard, isInWildcard, isVersionOnly, namedRevision, revisionIn } from '@outrigger/rules/revisions';
import { annotate } from './assigned-content.js';
import type { TargetHistory } from '@outrigger/rules/revisions';
import { type EntryStep, targetOfFields } from '@outrigger/rules/rollout';
import { defaultEntry, type EntryMembers, type Fleet, installedFields } from '@outrigger/rules/strategy';
import type { FleetState } from './state.js';

/** The entries for the next record, and the annotations that must be stored before some of these entries may change. */
export interface Coverage {
  readonly steps: readonly EntryStep[];
  readonly annotations: readonly ApiAction[];
  /**
   * Whether one of the annotations was computed from the spec of an add-on. If so, the pass must first check that the observed record is
   * the current one, because another leader may have changed the record and then the spec.
   */
  readonly needsCurrentRecord: boolean;
}

/**
 * Adds the members to the entries of the next record, and ensures that no cluster loses the content that a wildcard admission gave it.
 * Annotations do not name such content. Before an admission is replaced or dropped, every cluster that would lose its content therefore
 * gets an annotation. The entry keeps its recorded admissions until these annotations are stored.
 */
export function keepGrants(state: FleetState, fleet: Fleet, steps: readonly EntryStep[], targets: NewTargets): Coverage {
  const plan = new CoveragePlan(state, fleet, steps, targets);
  return { steps: plan.steps(), annotations: plan.annotations(), needsCurrentRecord: plan.needsCurrentRecord };
}

/** The targets in the record, to which the pass adds new ones, and the time of the pass. */
interface NewTargets {
  readonly history: TargetHistory;
  readonly at: string;
}

class CoveragePlan {
  readonly #state: FleetState;
  readonly #members: ReadonlyMap<string, EntryMembers>;
  readonly #live: ReadonlyMap<string, readonly string[]>;
  readonly #steps: readonly EntryStep[];
  /** Whether the clusters of at least one entry are not known at the moment. */
  readonly #isAnyUnknown: boolean;
  /** Entries that keep their recorded admissions in the next record, because annotations must be written first. */
  readonly #unchanged = new Map<string, RolloutEntry>();
  /**
   * The name of the recorded entry of each cluster that stays a member of it, keyed by cluster. The entry may not select the cluster now.
   */
  #homes = new Map<string, string>();
  #missing = new Map<AddOnProjection, number>();
  /** Whether a revision in `#missing` was computed from the spec of its add-on. */
  #hasComputed = false;
  #entryOf: ReadonlyMap<string, string> | undefined;
  #addOnOf: ReadonlyMap<string, AddOnProjection> | undefined;

  readonly #targets: NewTargets;

  constructor(state: FleetState, { entries }: Fleet, steps: readonly EntryStep[], targets: NewTargets) {
    this.#state = state;
    this.#targets = targets;
    this.#steps = steps;
    this.#members = new Map(entries.map((members) => [members.observation.entry.name, members]));
    this.#live = new Map(entries.map((members) => [members.observation.entry.name, namesOf(members)]));
    this.#isAnyUnknown = entries.some(({ observation }) => observation.unknown !== undefined);
    for (;;) {
      const size = this.#unchanged.size;
      this.#homes = new Map();
      this.#missing = new Map();
      this.#hasComputed = false;
      for (const entry of state.rollout?.status.entries ?? []) this.#check(entry);
      if (this.#unchanged.size === size) return;
    }
  }

  get needsCurrentRecord(): boolean {
    return this.#hasComputed;
  }

  annotations(): readonly ApiAction[] {
    return Array.from(this.#missing, ([clusterAddOn, revision]) => annotate(clusterAddOn, revision));
  }

  steps(): readonly EntryStep[] {
    const next = this.#steps.map((step) => {
      const unchanged = this.#unchanged.get(step.entry.name);
      return { ...step, entry: this.#withMembers(unchanged ?? step.entry) };
    });
    const gone = [...this.#unchanged.values()].filter(({ name }) => !this.#steps.some((step) => step.entry.name === name));
    return [...next, ...gone.map((entry) => ({ entry: this.#withMembers(entry), problem: undefined, recheckAt: undefined }))];
  }

  #check(entry: RolloutEntry): void {
    const listed = entry.members ?? this.#live.get(entry.name) ?? [];
    const isSame = this.#isRecorded(entry.name, listed);
    const isUnknown = this.#members.get(entry.name)?.observation.unknown !== undefined;
    if (isUnknown && !isSame) this.#keepUnknown(entry.name, listed);
    if (!isSame) this.#keepFromUnknown(entry, listed);
    if (!hasWildcard(entry)) return;
    const keepsWildcard = isSameWildcard(entry, this.#wanted(entry.name));
    if (keepsWildcard && isSame) return;
    for (const cluster of listed) this.#checkCluster(entry, cluster, { keepsWildcard, isUnknown });
  }

  /** The last known members of an unknown entry remain its members unless a later entry selects them. */
  #keepUnknown(name: string, listed: readonly string[]): void {
    const order = [...this.#members.keys()];
    for (const cluster of listed) {
      const selecting = this.#liveEntry(cluster);
      if (selecting === undefined || order.indexOf(selecting) < order.indexOf(name)) this.#homes.set(cluster, name);
    }
  }

  /**
   * Keeps two kinds of clusters as members of this entry: clusters that an unknown entry selects now, until the clusters of the unknown
   * entry are known, and clusters that no entry selects now, because an unknown entry may select them again. If this entry is no longer
   * declared, or selects no cluster, it stays in the record for these members.
   */
  #keepFromUnknown(entry: RolloutEntry, listed: readonly string[]): void {
    for (const cluster of listed) {
      const selecting = this.#liveEntry(cluster);
      if (selecting === entry.name || !this.#mayBelongToUnknown(selecting, entry, cluster)) continue;
      this.#homes.set(cluster, entry.name);
      if (!this.#wanted(entry.name) && !this.#unchanged.has(entry.name)) this.#unchanged.set(entry.name, this.#withoutJoined(entry));
    }
  }

  /**
   * Whether a member of this entry may belong to an unknown entry. It may if an unknown entry selects the cluster now. Unless this entry is
   * the default entry, it also may if no entry selects the cluster and some entry is unknown.
   */
  #mayBelongToUnknown(selecting: string | undefined, entry: RolloutEntry, cluster: string): boolean {
    if (selecting !== undefined) return this.#members.get(selecting)?.observation.unknown !== undefined;
    return this.#isAnyUnknown && entry.name !== defaultEntry.name && this.#addOn(cluster) !== undefined;
  }

  #checkCluster(entry: RolloutEntry, cluster: string, { keepsWildcard, isUnknown }: { keepsWildcard: boolean; isUnknown: boolean }): void {
    const clusterAddOn = this.#addOn(cluster);
    const fields = clusterAddOn && this.#fieldsLeft(entry, clusterAddOn);
    const revision = clusterAddOn && isInWildcard(entry, cluster) ? this.#runningRevision(entry, clusterAddOn, fields) : undefined;
    if (!clusterAddOn || revision === undefined || clusterAddOn.revision === revision || this.#isWithoutContent(revision)) return;
    if (this.#isCovered(entry.name, cluster, clusterAddOn)) return;
    this.#homes.set(cluster, entry.name);
    // If the entry keeps its wildcard admission, the cluster needs no annotation. It stays a member of the entry until another entry admits
    // it.
    if (keepsWildcard && !fields) return;
    // While it is uncertain which entry the cluster belongs to, write no annotation, and leave the recorded entry unchanged.
    const isOpen = isUnknown || (this.#liveEntry(cluster) === entry.name && !this.#isSettled(entry.name, cluster));
    // If this pass adds the revision to the record, the next pass writes the annotation, because no annotation may name a revision that is
    // not recorded yet.
    const isStored = revisionIn(this.#state.rollout?.status.history, revision) !== undefined;
    if (!isOpen && isStored) {
      this.#missing.set(clusterAddOn, revision);
      this.#hasComputed ||= fields !== undefined;
    }
    if (!keepsWildcard && !this.#unchanged.has(entry.name)) this.#unchanged.set(entry.name, this.#withoutJoined(entry));
  }

  /**
   * Returns the fields of the add-on that count as overrides only in the default entry, if the add-on leaves that entry. Returns undefined
   * if the add-on has no such fields or does not leave the entry.
   */
  #fieldsLeft(entry: RolloutEntry, clusterAddOn: AddOnProjection): ReturnType<typeof installedFields> {
    const isLeaving = entry.name === defaultEntry.name && this.#liveEntry(clusterAddOn.key.namespace ?? '') !== entry.name;
    return isLeaving ? installedFields(clusterAddOn) : undefined;
  }

  /**
   * Returns the revision that a cluster has through the wildcard admission of an entry; undefined if its content is not known. `fields`
   * count as overrides in this entry only. If there are any, the content with these fields gets a revision of its own.
   */
  #runningRevision(entry: RolloutEntry, clusterAddOn: AddOnProjection, fields: ReturnType<typeof installedFields>): number | undefined {
    if (!fields) return entryRevision(entry, clusterAddOn);
    const { history, at } = this.#targets;
    return targetOfFields(this.#state, fields, history, entry, at)?.revision;
  }

  /**
   * Excludes the clusters that joined after the last record from the wildcard admission of an unchanged entry. The gates are not evaluated
   * for these clusters in this pass, so this pass must not admit them (rollout-policy.md).
   */
  #withoutJoined(entry: RolloutEntry): RolloutEntry {
    const { name, members } = entry;
    if (!members || !hasGates(this.#state, entry)) return entry;
    const known = new Set(members);
    return withExceptions(
      entry,
      (this.#live.get(name) ?? []).filter((cluster) => !known.has(cluster) && isInWildcard(entry, cluster)),
    );
  }

  /** Whether the entry that selects the cluster now assigns a revision to the cluster. If so, the add-on needs no annotation. */
  #isCovered(recordedIn: string, cluster: string, clusterAddOn: AddOnProjection): boolean {
    const name = this.#liveEntry(cluster);
    // The recorded entry of the cluster always assigns a revision to the cluster in the current record, so check the next record of this
    // entry.
    const next =
      name === undefined ? undefined : name === recordedIn ? this.#wanted(name) : (this.#unchanged.get(name) ?? this.#wanted(name));
    if (name === undefined || !next) return false;
    if (!this.#isSettled(name, cluster)) return false;
    const revision = isInWildcard(next, cluster) ? entryRevision(next, clusterAddOn) : namedRevision(next, cluster);
    return revision !== undefined && !this.#isWithoutContent(revision);
  }

  #isSettled(name: string, cluster: string): boolean {
    return this.#members.get(name)?.isSettled(cluster) ?? true;
  }

  #recorded(name: string): RolloutEntry | undefined {
    return this.#state.rollout?.status.entries?.find((entry) => entry.name === name);
  }

  #wanted(name: string): RolloutEntry | undefined {
    return this.#steps.find(({ entry }) => entry.name === name)?.entry;
  }

  /** Whether the revision names a version that has no template. False for a revision that the stored record does not list yet. */
  #isWithoutContent(revision: number): boolean {
    const target = revisionIn(this.#state.rollout?.status.history, revision);
    return target !== undefined && isVersionOnly(target);
  }

  #withMembers(entry: RolloutEntry): RolloutEntry {
    const live = this.#live.get(entry.name) ?? [];
    const before = this.#recorded(entry.name)?.members;
    // An entry whose clusters were never known may select any cluster, so record no members for it.
    if (!before && this.#members.get(entry.name)?.observation.unknown) return entry;
    if (this.#homes.size === 0) return { ...entry, members: before && this.#isRecorded(entry.name, before) ? before : [...live].sort() };
    const stay = live.filter((cluster) => (this.#homes.get(cluster) ?? entry.name) === entry.name);
    const kept = Array.from(this.#homes).flatMap(([cluster, home]) => (home === entry.name && !stay.includes(cluster) ? [cluster] : []));
    return { ...this.#withoutUnseen(entry, kept), members: [...stay, ...kept].sort() };
  }

  /**
   * Excludes members that the entry does not select now from a wildcard admission that did not cover them before. The entry keeps such
   * members, for example, while it is unknown which clusters it selects. The gates are not evaluated for them in this pass, so this pass
   * must not admit them.
   */
  #withoutUnseen(entry: RolloutEntry, unseen: readonly string[]): RolloutEntry {
    if (!hasWildcard(entry) || !hasGates(this.#state, entry)) return entry;
    const before = this.#recorded(entry.name);
    const isSame = before?.targetRevision === entry.targetRevision;
    return withExceptions(
      entry,
      unseen.filter((cluster) => isInWildcard(entry, cluster) && !(isSame && before && isInWildcard(before, cluster))),
    );
  }

  /** Whether the recorded members of an entry are its current members, in any order. */
  #isRecorded(name: string, recorded: readonly string[]): boolean {
    const live = this.#live.get(name) ?? [];
    if (live.length !== recorded.length) return false;
    if (live.every((cluster, i) => cluster === recorded[i])) return true;
    const status = this.#state.rollout?.status ?? {};
    return live.every((cluster) => homeOf(status, cluster)?.name === name);
  }

  #liveEntry(cluster: string): string | undefined {
    this.#entryOf ??= new Map(Array.from(this.#live).flatMap(([name, clusters]) => clusters.map((one) => [one, name] as const)));
    return this.#entryOf.get(cluster);
  }

  #addOn(cluster: string): AddOnProjection | undefined {
    this.#addOnOf ??= new Map(
      this.#state.addOns.flatMap((clusterAddOn) =>
        clusterAddOn.isDeleting ? [] : [[clusterAddOn.key.namespace ?? '', clusterAddOn] as const],
      ),
    );
    return this.#addOnOf.get(cluster);
  }
}

/** Excludes clusters from the wildcard admission of an entry. */
function withExceptions(entry: RolloutEntry, clusters: readonly string[]): RolloutEntry {
  if (clusters.length === 0) return entry;
  const isWildcard = ({ cluster, revision }: InFlightCluster): boolean => cluster === EVERY_CLUSTER && revision === entry.targetRevision;
  const excluding = (one: InFlightCluster): InFlightCluster => ({ ...one, except: [...(one.except ?? []), ...clusters].sort() });
  return { ...entry, inFlight: (entry.inFlight ?? []).map((one) => (isWildcard(one) ? excluding(one) : one)) };
}

function isSameWildcard(a: RolloutEntry, b: RolloutEntry | undefined): boolean {
  if (!b || !hasWildcard(b)) return false;
  return (
    a.targetRevision === b.targetRevision && a.handMadeRevision === b.handMadeRevision && a.ownConfigsRevision === b.ownConfigsRevision
  );
}

function namesOf({ groups }: EntryMembers): readonly string[] {
  const [only, ...others] = groups;
  return others.length === 0 ? (only?.clusters ?? []) : groups.flatMap(({ clusters }) => clusters);
}
