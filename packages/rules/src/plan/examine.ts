import { pinOf } from '../rollout/targets/pins.js';
import { CONFIGURED_MESSAGES, PROGRESSING_MESSAGES, clusterManagementAddOns, configName } from '@outrigger/api';
import { type ConfigRef, groupResource, isTemplate, refKey } from '../configuration/references.js';
import { supportedTest } from '../configuration/supported.js';
import { followedPart, followingOf } from '../strategy/following.js';
import { isLeavingDefault } from '../strategy/overrides.js';
import { entryChoice } from '../versions/entry-choice.js';
import { isUnfollowable, type TemplateChoice } from '../versions/choose.js';
import type { PlanState } from './state.js';
import { currentConfigs, pickTarget, type Target, unofferedVersion } from '../effective/target.js';
import {
  type EffectiveConfigs,
  effectiveConfigs,
  isComplete,
  isUnread,
  namedByWorks,
  type Overrides,
  overridesOf,
  ownProblems,
  type ReferenceProblem,
  templateRef,
  withUnsupported,
} from '../effective/configs.js';
import { planWorks, type WorksPlan } from './works.js';
import { type TemplateCompiler, type TemplateInUse, templateInUse } from './template.js';

/** The desired state of an add-on, computed without reading the status of its works. */
export interface Examination {
  readonly overrides: Overrides;
  readonly target: Target;
  readonly effective: EffectiveConfigs;
  readonly version: string;
  readonly template: TemplateInUse;
  readonly plan: WorksPlan;
  /** `undecided`: the add-on has no content and the rollout has not admitted it, so the manager that renders it is not known yet. */
  readonly renderer: 'undecided' | 'manager' | 'another manager';
  /** Whether a config of the add-on is not known yet; the pass then decides nothing. */
  readonly isUnread: boolean;
  /** Whether the add-on leaves the default entry, so that its content is not known yet; the pass then decides nothing about content. */
  readonly isLeavingDefault: boolean;
  /** Whether the requested content cannot be used; works and permissions then stay unchanged. */
  readonly isBlocked: boolean;
}

/** Resolves version and configs, picks the revision, and plans the works. */
export function examine(state: PlanState, compile: TemplateCompiler): Examination {
  const { clusterAddOn, managementAddOn, cluster } = state;
  const own = overridesOf(state);
  const target = pickTarget(clusterAddOn, state.membership, state.rollout, own.kinds);
  const overrides: Overrides = { ...own, choice: own.choice ?? fleetProblem(state, target) };
  const isSupported = supportedTest(managementAddOn?.spec ?? {}, state.catalog, clusterAddOn.status.supportedConfigs);
  const isBlocked = isUnfollowable(overrides.choice);
  // If the requested version or template cannot be used, neither the content in use nor its report changes.
  const kept = isBlocked ? currentConfigs(clusterAddOn) : undefined;
  const configs = namedByWorks(state.configs, state.works);
  const noOverrides: Overrides = { ...overrides, configs: [], kinds: new Set() };
  const inEffect = kept
    ? effectiveConfigs({ ...target, configs: kept }, noOverrides, configs, isSupported)
    : effectiveConfigs(target, overrides, configs, isSupported);
  // Nothing of the spec that a user wrote is applied, but Configured reports the references in that spec that cannot be used.
  const reported = kept ? withProblems(ownProblems(own, state.configs, isSupported), inEffect) : inEffect;
  const effective = withMissingChoice(overrides, withUnsupported(unsupportedByFleet(state, overrides, isSupported), reported));
  const version = versionOf(overrides, target);
  const isUndecided = target.configs === undefined && kept === undefined;
  // A template grants permissions, so take it from the revision that the hub assigned, never from the reported status.
  const granted = isBlocked ? effectiveConfigs({ ...target, configs: target.assigned }, noOverrides, configs, isSupported) : effective;
  const isUngranted = isUndecided || (isBlocked && target.assigned === undefined);
  // If another manager renders the add-on and does not offer the version, leave the add-on to that manager.
  const isAnotherManagers = overrides.choice?.type === 'unsupported-version' && !state.catalog.isFromTemplates;
  const template = isAnotherManagers ? ANOTHER_MANAGER : isUngranted ? MISSING : templateInUse(granted, compile);
  const isHeld = isBlocked || isUndecided || cluster?.isDeleting || !isComplete(effective);
  const missing = isUndecided || cluster?.isDeleting ? undefined : missingContent(overrides, effective);
  return {
    overrides,
    target,
    effective,
    version,
    template,
    plan:
      missing ??
      (isHeld && template.type !== 'another manager'
        ? { type: 'hold' }
        : planWorks(state, { effective, version, template, renderer: target.renderer })),
    renderer: isUndecided ? 'undecided' : template.type === 'another manager' ? 'another manager' : 'manager',
    isUnread: isUnread(effective),
    isLeavingDefault: isLeavingDefault(clusterAddOn, state.membership, state.rollout?.status),
    isBlocked,
  };
}

const ANOTHER_MANAGER = { type: 'another manager' } as const;
const MISSING = { type: 'missing' } as const;

/** The reason why the version or template that the entry requests cannot be used; undefined if it can be used. */
function fleetProblem(
  { clusterAddOn, managementAddOn, membership, rollout, catalog }: PlanState,
  target: Target,
): TemplateChoice | undefined {
  const invalid = unofferedVersion(target, catalog);
  if (invalid !== undefined) return { type: 'unsupported-version', version: invalid };
  // The entry's template applies neither to add-ons that a user created nor to an entry that is pinned to a revision.
  if (!managementAddOn || clusterAddOn.installedSpec === undefined || pinOf(rollout?.spec, membership.entry.name)) return undefined;
  const choice = entryChoice(followedPart(membership.entry, followingOf(clusterAddOn)), managementAddOn.spec, catalog);
  return choice.type === 'conflict' ? choice : undefined;
}

/**
 * The references in the entry whose kind the add-on does not support. The fleet controller omits them from the target; the add-on reports
 * them.
 */
function unsupportedByFleet(
  { clusterAddOn, membership }: PlanState,
  { kinds }: Overrides,
  isSupported: (ref: ConfigRef) => boolean,
): readonly ConfigRef[] {
  return followedPart(membership.entry, followingOf(clusterAddOn)).configs.filter(
    (ref) => !isSupported(ref) && !kinds.has(groupResource(ref)),
  );
}

/** If the template that a user chose does not exist, adds the problem NotFound, as for any other missing config. */
function withMissingChoice({ choice }: Overrides, effective: EffectiveConfigs): EffectiveConfigs {
  if (choice?.type !== 'missing-template') return effective;
  return withProblems([{ ref: templateRef(choice.name), problem: 'NotFound' }], effective);
}

/** Adds the problems of those references for which no problem is listed yet. */
function withProblems(problems: readonly ReferenceProblem[], effective: EffectiveConfigs): EffectiveConfigs {
  const known = new Set(effective.problems.map(({ ref }) => refKey(ref)));
  const added = problems.filter(({ ref }) => !known.has(refKey(ref)));
  return added.length === 0 ? effective : { ...effective, problems: [...added, ...effective.problems] };
}

/**
 * The plan for an add-on whose template is missing, or with a config that is missing and was never stored. The move fails, and resumes when
 * the object appears. The content on the cluster keeps running.
 */
function missingContent(own: Overrides, { refs, problems }: EffectiveConfigs): WorksPlan | undefined {
  const { choice } = own;
  const lacking = refs.filter(({ specHash }) => specHash === '');
  const template = choice?.type === 'missing-template' ? choice.name : lacking.find(isTemplate)?.name;
  if (template !== undefined) return { type: 'problem', message: PROGRESSING_MESSAGES.missingTemplate(template) };
  const [missing] = lacking.flatMap((ref) => problems.filter((problem) => refKey(problem.ref) === refKey(ref)));
  if (!missing) return undefined;
  const isOwn = own.configs.some((ref) => refKey(ref) === refKey(missing.ref));
  return { type: 'problem', message: missingMessage(missing, isOwn ? 'spec.configs' : clusterManagementAddOns.kind) };
}

function missingMessage({ ref, problem }: ReferenceProblem, place: string): string {
  const name = configName(ref);
  switch (problem) {
    case 'Forbidden':
      return CONFIGURED_MESSAGES.forbidden(name);
    case 'NoNamespace':
      return PROGRESSING_MESSAGES.configWithoutNamespace(name, place);
    case 'NotServed':
      return PROGRESSING_MESSAGES.configNotServed(name, groupResource(ref));
    case 'Failing':
      return PROGRESSING_MESSAGES.configFailing(name);
    case 'NotFound':
    case 'Unread':
    case 'Unsupported':
      return PROGRESSING_MESSAGES.missingConfig(name, place);
  }
}

function versionOf({ choice }: Overrides, target: Target): string {
  if (choice?.type === 'template') return choice.template.version;
  return choice?.type === 'none' || choice?.type === 'gone' ? choice.version : target.version;
}
