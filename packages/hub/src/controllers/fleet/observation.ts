import { ADDON_GROUP, type RolloutTarget } from '@outrigger/api';
import { TEMPLATE_RESOURCE, groupResource, isTemplate, refKey, toRef, usedRefs } from '../../configuration/references.js';
import type { AddOnReport } from '../../resources/add-on-report.js';
import type { AddOnRecord } from '../../resources/add-ons.js';
import { isSameRevisionContent, isVersionOnly, targetRefs } from '../../revisions/revision.js';
import type { TargetReport } from '../../rollout/phase.js';
import type { StrategyEntry } from '../../strategy/entries.js';
import { NO_KINDS, ownKinds } from '../../strategy/overrides.js';

/** Reads the add-ons of one entry against one target; what their status says of another target counts for nothing. */
export class TargetReader {
  readonly #entry: StrategyEntry;
  readonly #target: RolloutTarget;
  /** Equal reports are one object, so each is read once. */
  readonly #read = new Map<AddOnReport, TargetReport>();
  /** Most of a fleet is like the one before it. */
  #last: { readonly like: AddOnRecord; readonly said: TargetReport } | undefined;

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

  /** Whether a cluster that has this revision has what the target gives it; `undefined` is no revision. */
  isGivenBy(held: RolloutTarget | undefined, addOn: AddOnRecord): boolean {
    if (!held || held.revision === this.#target.revision) return held !== undefined;
    return isSameRevisionContent(held, this.#target, ownKinds(addOn, { entry: this.#entry, isUnselected: false }));
  }

  /** The same add-ons read against another target. */
  against(target: RolloutTarget): TargetReader {
    return new TargetReader(this.#entry, target);
  }

  read(addOn: AddOnRecord | undefined): TargetReport {
    if (!addOn) return NOT_THERE_YET;
    if (this.#last === undefined || !isAlike(this.#last.like, addOn)) this.#last = { like: addOn, said: this.#lookUp(addOn) };
    return this.#last.said;
  }

  #lookUp(addOn: AddOnRecord): TargetReport {
    const { report } = addOn;
    const own = ownKinds(addOn, { entry: this.#entry, isUnselected: false });
    if (own !== NO_KINDS) return this.#reportOf(report, own);
    const said = this.#read.get(report) ?? this.#reportOf(report, own);
    this.#read.set(report, said);
    return said;
  }

  #reportOf(report: AddOnReport, own: ReadonlySet<string>): TargetReport {
    const atTarget = this.#speaksOf(report, own);
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
   * Whether the add-on moves for reasons of its own as well, so that its progress tells nothing about the target: a person's choice that
   * fails, or is still on its way, holds up nobody else. A version nobody offers has no content to go by, and without a strategy nobody
   * waits for anybody.
   */
  #leavesOut(own: ReadonlySet<string>): boolean {
    return own.size > 0 && this.#entry.source !== undefined && (own.has(TEMPLATE_KIND) || !isVersionOnly(this.#target));
  }

  /** Whether all that the target has a say in was applied here. */
  #isApplied({ configReferences }: AddOnReport, own: ReadonlySet<string>): boolean {
    const applied = new Set(
      configReferences.map(({ group = '', resource, lastAppliedConfig }) => refText({ group, resource, ...lastAppliedConfig })),
    );
    return targetRefs(this.#target).every((ref) => own.has(groupResource(ref)) || applied.has(refText(ref)));
  }

  /** Whether the add-on's own status names the target; `own`, what the add-on decides itself, is not compared. */
  #speaksOf({ configReferences, installVersion, isConfigured }: AddOnReport, own: ReadonlySet<string>): boolean {
    const { version = '' } = this.#target;
    if (version !== '' && !own.has(TEMPLATE_KIND) && installVersion !== version) return false;
    const refs = targetRefs(this.#target).filter((ref) => !own.has(groupResource(ref)));
    if (configReferences.length === 0 && refs.length === 0) return isConfigured;
    // A version nobody offers has no template: what ran before goes on running, and its reference says nothing about the target.
    const hasNoTemplate = isVersionOnly(this.#target);
    const named = new Set(refs.map(refKey));
    const theirs = configReferences.filter((reference) => {
      const ref = toRef(reference);
      // A reference of a kind the add-on does not take is shown without a digest, and is no part of any target.
      const isShownOnly = !reference.desiredConfig?.specHash && !named.has(refKey(ref));
      return !own.has(groupResource(ref)) && !isShownOnly && !(hasNoTemplate && isTemplate(ref));
    });
    if (theirs.length !== refs.length || usedRefs(theirs.map(toRef)) !== usedRefs(refs)) return false;
    const desired = new Set(theirs.map(({ group = '', resource, desiredConfig }) => refText({ group, resource, ...desiredConfig })));
    return refs.every((ref) => desired.has(refText(ref)));
  }
}

/** Whether all that is read of two add-ons is the same; the cache keeps equal parts once. */
function isAlike(a: AddOnRecord, b: AddOnRecord): boolean {
  return a.report === b.report && a.spec === b.spec && a.owners === b.owners && a.installedSpec === b.installedSpec;
}

/** Of an add-on that is still to be created. */
const NOT_THERE_YET: TargetReport = {
  isFresh: true,
  atTarget: false,
  isDone: false,
  isAvailable: false,
  isHealthSilent: false,
  hasFailed: false,
};

const TEMPLATE_KIND = groupResource({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE });

function refText(ref: {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly specHash?: string;
}): string {
  return `${ref.group}/${ref.resource}/${ref.namespace ?? ''}/${ref.name ?? ''}@${ref.specHash ?? ''}`;
}
