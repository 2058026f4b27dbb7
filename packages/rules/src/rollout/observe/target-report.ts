import type { RolloutTarget } from '@outrigger/api';
import { groupResource, isTemplate, type PinnedRef, refKey, toRef, usedRefs, TEMPLATE_KIND } from '../../configuration/references.js';
import type { AddOnReport } from '../../observed/add-on-report.js';
import type { AddOnProjection } from '../../observed/add-ons.js';
import { isSameRevisionContent, isVersionOnly, targetRefs } from '../../revisions/revision.js';
import type { StrategyEntry } from '../../strategy/entry.js';
import { type Following, followingOf } from '../../strategy/following.js';
import { NO_KINDS, ownKinds } from '../../strategy/overrides.js';
import type { TargetReport } from '../input.js';
import type { EntryTargets } from '../targets/targets.js';

/** Compares the reports of an entry's add-ons with one target. Reports about other targets are ignored. */
export class TargetReader {
  readonly #entry: StrategyEntry;
  readonly #target: RolloutTarget;
  /** Equal reports are the same object, so each distinct report is evaluated once. */
  readonly #read = new Map<AddOnReport, TargetReport>();
  /** The last result, which is often reused because consecutive add-ons of a fleet are usually alike. */
  #last: { readonly like: AddOnProjection; readonly result: TargetReport } | undefined;

  constructor(entry: StrategyEntry, target: RolloutTarget) {
    this.#entry = entry;
    this.#target = target;
  }

  get revision(): number {
    return this.#target.revision;
  }

  get target(): RolloutTarget {
    return this.#target;
  }

  /**
   * Whether a cluster with the revision `assigned` already has the content of the target. `assigned` is undefined if the cluster has no
   * revision.
   */
  isGivenBy(assigned: RolloutTarget | undefined, clusterAddOn: AddOnProjection): boolean {
    if (!assigned || assigned.revision === this.#target.revision) return assigned !== undefined;
    return isSameRevisionContent(assigned, this.#target, ownKinds(clusterAddOn, { entry: this.#entry, isUnselected: false }));
  }

  /** Returns a reader that compares the reports of the same entry with another target. */
  against(target: RolloutTarget): TargetReader {
    return new TargetReader(this.#entry, target);
  }

  read(clusterAddOn: AddOnProjection | undefined): TargetReport {
    if (!clusterAddOn) return NOT_THERE_YET;
    if (this.#last === undefined || !isAlike(this.#last.like, clusterAddOn))
      this.#last = { like: clusterAddOn, result: this.#lookUp(clusterAddOn) };
    return this.#last.result;
  }

  #lookUp(clusterAddOn: AddOnProjection): TargetReport {
    const { report } = clusterAddOn;
    const own = ownKinds(clusterAddOn, { entry: this.#entry, isUnselected: false });
    if (own !== NO_KINDS) return this.#reportOf(report, own);
    const result = this.#read.get(report) ?? this.#reportOf(report, own);
    this.#read.set(report, result);
    return result;
  }

  #reportOf(report: AddOnReport, own: ReadonlySet<string>): TargetReport {
    const atTarget = matchesTarget(report, this.#target, own);
    const isDone = atTarget && (this.#leavesOut(own) ? this.#isApplied(report, own) : report.progressing === 'Succeed' && report.isApplied);
    return {
      isFresh: report.configReferences.length === 0,
      atTarget,
      isDone,
      isAvailable: report.available === 'True',
      isHealthSilent: report.isUnreported || report.isDependencyMissing,
      hasFailed: atTarget && !isDone && report.progressing === 'Failed',
    };
  }

  /**
   * Whether to ignore the add-on's Progressing condition. It is ignored if the add-on has overrides, because the condition then also
   * reports a failed or unfinished change of the overrides, which must not delay other clusters. It is not ignored in the default entry,
   * where no cluster waits for another, or if no template provides the version of the target, which then has no content to compare.
   */
  #leavesOut(own: ReadonlySet<string>): boolean {
    return own.size > 0 && this.#entry.source !== undefined && (own.has(TEMPLATE_KIND) || !isVersionOnly(this.#target));
  }

  /** Whether the agent applied all configs of the target that the add-on does not override. */
  #isApplied({ configReferences }: AddOnReport, own: ReadonlySet<string>): boolean {
    const refs = targetRefs(this.#target).filter((ref) => !own.has(groupResource(ref)));
    return unappliedRefs(configReferences, refs).length === 0;
  }
}

/** Whether the report names the target; kinds in `own`, which the add-on overrides, are not compared. */
function matchesTarget(
  { configReferences, installVersion, isConfigured }: AddOnReport,
  target: RolloutTarget,
  own: ReadonlySet<string>,
): boolean {
  const { version = '' } = target;
  if (version !== '' && !own.has(TEMPLATE_KIND) && installVersion !== version) return false;
  const refs = targetRefs(target).filter((ref) => !own.has(groupResource(ref)));
  if (configReferences.length === 0 && refs.length === 0) return isConfigured;
  // If no template provides the version of the target, the cluster keeps its previous template. Ignore the report's reference to that
  // template.
  const hasNoTemplate = isVersionOnly(target);
  const named = new Set(refs.map(refKey));
  const theirs = configReferences.filter((reference) => {
    const ref = toRef(reference);
    // A reference of a kind that the add-on does not support has no digest in the status and is not part of any target.
    const isShownOnly = !reference.desiredConfig?.specHash && !named.has(refKey(ref));
    return !own.has(groupResource(ref)) && !isShownOnly && !(hasNoTemplate && isTemplate(ref));
  });
  if (theirs.length !== refs.length || usedRefs(theirs.map(toRef)) !== usedRefs(refs)) return false;
  const desired = new Set(theirs.map(({ group = '', resource, desiredConfig }) => refText({ group, resource, ...desiredConfig })));
  return refs.every((ref) => desired.has(refText(ref)));
}

/** The configs whose content differs from the content that the report names as last applied. */
export function unappliedRefs(configReferences: AddOnReport['configReferences'], refs: readonly PinnedRef[]): readonly PinnedRef[] {
  const applied = new Map(configReferences.map((ref) => [refKey(toRef(ref)), ref.lastAppliedConfig?.specHash]));
  return refs.filter((ref) => applied.get(refKey(ref)) !== ref.specHash);
}

/** Whether two add-ons agree in all fields that TargetReader uses. Compares by identity, because the cache stores equal parts once. */
function isAlike(a: AddOnProjection, b: AddOnProjection): boolean {
  return a.report === b.report && a.spec === b.spec && a.owners === b.owners && a.installedSpec === b.installedSpec;
}

/** The report of an add-on that does not exist yet. */
const NOT_THERE_YET: TargetReport = {
  isFresh: true,
  atTarget: false,
  isDone: false,
  isAvailable: false,
  isHealthSilent: false,
  hasFailed: false,
};

function refText(ref: {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly specHash?: string;
}): string {
  return `${ref.group}/${ref.resource}/${ref.namespace ?? ''}/${ref.name ?? ''}@${ref.specHash ?? ''}`;
}

/** Returns, for each add-on, the reader that compares its report with its target. */
export interface TargetReading {
  /** The target of add-ons that the installer created. */
  readonly made: RolloutTarget;
  readerOf(clusterAddOn: AddOnProjection | undefined): TargetReader;
}

export function readTargets(
  entry: StrategyEntry,
  made: RolloutTarget,
  { handMade = made, ownConfigs = made }: Pick<EntryTargets, 'handMade' | 'ownConfigs'>,
): TargetReading {
  const reader = new TargetReader(entry, made);
  if (handMade === made && ownConfigs === made) return { made, readerOf: () => reader };
  const readers: Readonly<Record<Following, TargetReader>> = {
    all: reader,
    version: ownConfigs === made ? reader : new TargetReader(entry, ownConfigs),
    none: handMade === made ? reader : new TargetReader(entry, handMade),
  };
  return { made, readerOf: (clusterAddOn) => (clusterAddOn ? readers[followingOf(clusterAddOn)] : reader) };
}
