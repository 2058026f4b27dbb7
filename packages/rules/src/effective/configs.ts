import { ADDON_GROUP, type AddOnConditionOf, CONFIGURED_MESSAGES, configName } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import type { ConfigLookup, ConfigProblem } from '../configuration/lookup.js';
import {
  type ConfigRef,
  annotatedDigest,
  groupResource,
  isOwnKind,
  isTemplate,
  layered,
  type PinnedRef,
  refKey,
  TEMPLATE_RESOURCE,
  toRef,
  unusedRefs,
} from '../configuration/references.js';
import type { AddOnProjection } from '../observed/add-ons.js';
import type { RolloutProjection } from '../observed/rollouts.js';
import type { Membership } from '../strategy/membership.js';
import { contentPlace, isOwnField } from '../strategy/overrides.js';
import type { VersionCatalog } from '../versions/catalog.js';
import { chooseTemplate, type TemplateChoice } from '../versions/choose.js';
import type { WorkProjection } from '../works/work-projection.js';
import type { Target } from './target.js';

/** The overrides of one cluster. They take effect immediately and stay in effect when the fleet's targets change. */
export interface Overrides {
  readonly configs: readonly ConfigRef[];
  /** Kinds of configs that the add-on overrides, so the fleet's configs of these kinds do not apply on this cluster. */
  readonly kinds: ReadonlySet<string>;
  /**
   * The template that a user chose, by name or by version, or the problem with the version or template that the entry requests. Undefined
   * if there is neither.
   */
  readonly choice: TemplateChoice | undefined;
}

export function overridesOf(state: {
  readonly clusterAddOn: AddOnProjection;
  readonly catalog: VersionCatalog;
  readonly membership: Membership;
  readonly rollout: RolloutProjection | undefined;
  readonly configs: Pick<ConfigLookup, 'keptTemplate'>;
}): Overrides {
  const { clusterAddOn, catalog, membership, rollout, configs: lookup } = state;
  const place = contentPlace(clusterAddOn, membership, rollout?.status);
  const configs = isOwnField(clusterAddOn, 'configs', place) ? (clusterAddOn.spec.configs ?? []).map(toRef) : [];
  const choice = ownChoice(clusterAddOn, configs, catalog, place, lookup);
  const name = choice?.type === 'template' ? choice.template.key.name : choice?.type === 'gone' ? choice.name : undefined;
  const chosen = name === undefined ? [] : [templateRef(name)];
  // Add the template that the version in the spec selects. If the spec itself references templates, keep those instead.
  const all = configs.some(isTemplate) ? layered([configs]) : layered([configs, chosen]);
  return { configs: all, kinds: new Set(all.map(groupResource)), choice };
}

function ownChoice(
  clusterAddOn: AddOnProjection,
  configs: readonly ConfigRef[],
  catalog: VersionCatalog,
  membership: Pick<Membership, 'entry' | 'isUnselected'>,
  kept: Pick<ConfigLookup, 'keptTemplate'>,
): TemplateChoice | undefined {
  const reference = configs.find(isTemplate)?.name;
  const version = isOwnField(clusterAddOn, 'installVersion', membership) ? clusterAddOn.spec.installVersion : undefined;
  if (reference === undefined && version === undefined) return undefined;
  const claims = {
    userTemplate: reference,
    installVersion: version,
    isVersionUserOwned: true,
    entryTemplate: undefined,
    defaultTemplate: undefined,
  };
  return stillInstalled(clusterAddOn, chooseTemplate(claims, catalog), catalog, kept);
}

/**
 * Keeps a version that is installed and still requested although its template was deleted; the add-on is then rendered from stored content.
 * Stored content never replaces a template that a user references by name. A template grants permissions, and only the works, which agents
 * may change, show which content of that template the cluster runs.
 */
function stillInstalled(
  { key, status }: AddOnProjection,
  choice: TemplateChoice,
  { isFromTemplates }: VersionCatalog,
  kept: Pick<ConfigLookup, 'keptTemplate'>,
): TemplateChoice {
  if (choice.type !== 'unsupported-version') return choice;
  const { version } = choice;
  if (isFromTemplates) {
    // Look for the template in stored content and not in the status, which is only a report.
    const name = kept.keptTemplate(key.name, version);
    return name === undefined ? choice : { type: 'gone', name, version };
  }
  return status.currentVersion === version && status.installVersion === version ? { type: 'none', version } : choice;
}

export function templateRef(name: string): ConfigRef {
  return toRef({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE, name });
}

/** A reference to a config that cannot be used, and the reason. */
export interface ReferenceProblem {
  readonly ref: ConfigRef;
  readonly problem: ConfigProblem | 'Unsupported';
}

/** The configs in effect, each with the digest of its content, and the problems with them. */
export interface EffectiveConfigs {
  /** The digest is empty if the object cannot be read and none of its content was stored. */
  readonly refs: readonly PinnedRef[];
  readonly problems: readonly ReferenceProblem[];
  /** References of kinds that the add-on does not support; they appear in the status and are not applied. */
  readonly unsupported: readonly ConfigRef[];
  contentOf(ref: PinnedRef): JsonObject | undefined;
}

/**
 * Combines the content that the rollout assigns with the references that a user has set. A user's references take precedence and use the
 * current content of their objects.
 */
export function effectiveConfigs(
  target: Target,
  overrides: Overrides,
  lookup: ConfigLookup,
  isSupported: (ref: ConfigRef) => boolean,
): EffectiveConfigs {
  const supported = overrides.configs.filter(isSupported);
  const unsupported = overrides.configs.filter((ref) => !isSupported(ref));
  const own = supported.map((ref) => pinToLive(ref, lookup));
  const fleet = (target.configs ?? []).filter((ref) => !overrides.kinds.has(groupResource(ref)));
  const problems = [...supported, ...fleet].flatMap((ref): ReferenceProblem[] => {
    const live = lookup.live(ref);
    return typeof live === 'string' ? [{ ref, problem: live }] : [];
  });
  return withUnsupported(unsupported, {
    refs: layered([fleet, own]),
    problems,
    unsupported: [],
    contentOf: (ref) => contentOf(ref, lookup),
  });
}

/** Adds references of kinds that the add-on does not support, so that the conditions report them. */
export function withUnsupported(refs: readonly ConfigRef[], effective: EffectiveConfigs): EffectiveConfigs {
  if (refs.length === 0) return effective;
  const problems = refs.map((ref) => ({ ref, problem: 'Unsupported' }) as const);
  return { ...effective, problems: [...problems, ...effective.problems], unsupported: [...refs, ...effective.unsupported] };
}

/**
 * Adds the digest of the object's current content. If the object cannot be read, adds its last known digest instead, which is empty if
 * there is none.
 */
function pinToLive(ref: ConfigRef, lookup: ConfigLookup): PinnedRef {
  const live = lookup.live(ref);
  return { ...ref, specHash: typeof live === 'string' ? (lookup.lastKept(ref) ?? '') : live.specHash };
}

/**
 * Extends the lookup for configs of kinds other than AddOnTemplate and AddOnDeploymentConfig. Their content is not stored, so the last
 * known digest of a missing config is taken from the works of the cluster. An agent may change works, but no content, permission or
 * certificate depends on these digests; they are only reported.
 */
export function namedByWorks(lookup: ConfigLookup, works: readonly Pick<WorkProjection, 'configSpecHash'>[]): ConfigLookup {
  return {
    ...lookup,
    lastKept(ref) {
      if (isOwnKind(ref)) return lookup.lastKept(ref);
      return lookup.live(ref) === 'Unread' ? undefined : works.flatMap((work) => annotatedDigest(work.configSpecHash, ref) ?? [])[0];
    },
  };
}

/** Returns the problems with the references that a user has set. Used for an add-on whose requested content is not applied. */
export function ownProblems(
  { configs }: Overrides,
  lookup: ConfigLookup,
  isSupported: (ref: ConfigRef) => boolean,
): readonly ReferenceProblem[] {
  return configs.flatMap((ref): ReferenceProblem[] => {
    if (!isSupported(ref)) return [{ ref, problem: 'Unsupported' }];
    const live = lookup.live(ref);
    return typeof live === 'string' ? [{ ref, problem: live }] : [];
  });
}

/**
 * Returns the content with the digest of the reference. The object provides it if it still has that digest; otherwise stored content does.
 */
function contentOf(ref: PinnedRef, lookup: ConfigLookup): JsonObject | undefined {
  const live = lookup.live(ref);
  return typeof live !== 'string' && live.specHash === ref.specHash ? live.content : lookup.stored(ref.specHash);
}

/** Whether a config has neither been read nor stored, so that no decision is possible yet. */
export function isUnread({ problems, refs }: EffectiveConfigs): boolean {
  return problems.some(
    ({ ref, problem }) => problem === 'Unread' && refs.some((pin) => refKey(pin) === refKey(ref) && pin.specHash === ''),
  );
}

/** Whether every reference in effect has a digest. */
export function isComplete({ refs }: EffectiveConfigs): boolean {
  return refs.every(({ specHash }) => specHash !== '');
}

type Configured = AddOnConditionOf<'Configured'>;

/**
 * Returns the Configured condition: whether the content in effect matches the declaration and the overrides, and the reason if it does not.
 * The message also names references that have no effect.
 */
export function configuredCondition(effective: EffectiveConfigs, isWaiting: boolean): Configured {
  const condition = judged(effective, isWaiting);
  const unused = unusedRefs(effective.refs);
  return unused.length === 0
    ? condition
    : { ...condition, message: CONFIGURED_MESSAGES.withUnused(condition.message, unused.map(configName)) };
}

function judged(effective: EffectiveConfigs, isWaiting: boolean): Configured {
  const problems = effective.problems.filter(({ problem }) => problem !== 'Unread');
  // The first problem gives the reason; the message lists all references with problems.
  const kinds = [...new Set(problems.map(({ problem }) => problem))];
  const parts = kinds.map((kind) =>
    problemOf(
      kind,
      problems.filter(({ problem }) => problem === kind).map(({ ref }) => ref),
    ),
  );
  const [first] = parts;
  if (first) return { type: 'Configured', status: 'False', reason: first.reason, message: parts.map(({ message }) => message).join('; ') };
  if (isWaiting)
    return { type: 'Configured', status: 'False', reason: 'ConfigurationsNotConfigured', message: CONFIGURED_MESSAGES.notConfigured };
  return { type: 'Configured', status: 'True', reason: 'ConfigurationsConfigured', message: CONFIGURED_MESSAGES.configured };
}

function problemOf(
  problem: ReferenceProblem['problem'],
  refs: readonly ConfigRef[],
): Pick<Extract<Configured, { status: 'False' }>, 'reason' | 'message'> {
  const names = refs.map(configName).join(', ');
  switch (problem) {
    case 'Unsupported':
      return {
        reason: 'ConfigurationUnsupported',
        message: CONFIGURED_MESSAGES.unsupported(refs.map(groupResource), refs.map(configName)),
      };
    case 'Forbidden':
      return { reason: 'ConfigurationForbidden', message: CONFIGURED_MESSAGES.forbidden(names) };
    case 'NoNamespace':
      return { reason: 'ConfigurationNotFound', message: CONFIGURED_MESSAGES.noNamespace(names) };
    case 'Failing':
      return { reason: 'ConfigurationNotFound', message: CONFIGURED_MESSAGES.failing(names) };
    case 'NotFound':
    case 'NotServed':
    case 'Unread':
      return { reason: 'ConfigurationNotFound', message: CONFIGURED_MESSAGES.notFound(names) };
  }
}
