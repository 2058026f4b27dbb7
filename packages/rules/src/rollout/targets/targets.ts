import { ADDON_GROUP, type InstallTemplate, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { type ConfigRef, isTemplate, layered, type PinnedRef, refKey, TEMPLATE_RESOURCE, toRef } from '../../configuration/references.js';
import { supportedTest } from '../../configuration/supported.js';
import type { RevisionContent } from '../../revisions/revision.js';
import { type EarlierTargets, targetDigest, earlierTargets, firstOf } from './earlier-targets.js';
import { pinOf } from './pins.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import { defaultConfigs } from '../../strategy/entries.js';
import { followedPart, followingOf } from '../../strategy/following.js';
import { defaultEntry, type StrategyEntry } from '../../strategy/entry.js';
import { entryChoice } from '../../versions/entry-choice.js';
import { keptTemplate } from '../../versions/kept-template.js';
import type { TemplateChoice } from '../../versions/choose.js';
import type { ConfigLookup } from '../../configuration/lookup.js';
import type { AddOnProjection } from '../../observed/add-ons.js';
import type { DeclarationProjection } from '../../observed/declarations.js';
import type { RolloutProjection } from '../../observed/rollouts.js';
import type { VersionCatalog } from '../../versions/catalog.js';

/** The objects that determine the targets of an add-on's entries. */
export interface TargetState {
  readonly managementAddOn: DeclarationProjection;
  readonly rollout: RolloutProjection | undefined;
  readonly catalog: VersionCatalog;
  /** All ManagedClusterAddOns of this declaration. */
  readonly addOns: readonly AddOnProjection[];
  readonly configs: ConfigLookup;
  /** The renderer of new revisions. */
  readonly renderer: number;
}

/** The targets of one entry, or the reason why it has none. */
export interface EntryTargets {
  readonly target: RolloutTarget | undefined;
  /**
   * The target of add-ons that the installer did not create, which do not follow the entry's addonTemplate. The same as `target` if the
   * addonTemplate sets nothing.
   */
  readonly handMade: RolloutTarget | undefined;
  /** The target of add-ons whose configs a user has overridden; they follow all other fields of the addonTemplate. */
  readonly ownConfigs: RolloutTarget | undefined;
  /** The reason why no cluster is admitted, as a message for people. */
  readonly problem: string | undefined;
  /** The default version that the entry keeps although no template provides it any more. */
  readonly goneDefault?: string;
}

/**
 * Decides the targets of an entry: the pinned revision, otherwise the content that the entry requests now, otherwise its recorded targets.
 */
export function entryTargets(
  state: TargetState,
  declared: StrategyEntry,
  history: TargetHistory,
  before: RolloutEntry | undefined,
  at: string,
): EntryTargets {
  const pin = pinOf(state.rollout?.spec, declared.name);
  const had = history.find(before?.targetRevision);
  if (pin !== undefined) {
    const pinned = history.find(pin.revision);
    if (pinned) return { target: pinned, handMade: pinned, ownConfigs: pinned, problem: undefined };
    const known = history.targets.map(({ revision }) => revision).join(', ') || 'none';
    const field = pin.field === 'pinnedRevision' ? 'spec.pinnedRevision' : `spec.pinnedEntries[${declared.name}].revision`;
    const problem = `${field} ${pin.revision} is not among the stored revisions (${known}); nothing is started until it is, or the pin is taken away`;
    return { target: had, handMade: had, ownConfigs: had, problem };
  }
  const entry = supportedPart(state, declared);
  const wanted = entryContent(state, entry, earlierTargets(state, history, had));
  const earlier = {
    none: history.find(before?.handMadeRevision) ?? had,
    version: history.find(before?.ownConfigsRevision) ?? had,
  };
  if (!('content' in wanted)) return { target: had, handMade: earlier.none, ownConfigs: earlier.version, problem: wanted.problem };
  const target = history.targetFor(wanted.content, at);
  const partly = (following: 'none' | 'version'): RolloutTarget => {
    const part = entryContent(state, followedPart(entry, following), earlierTargets(state, history, earlier[following]));
    return 'content' in part ? history.targetFor(part.content, at) : (earlier[following] ?? target);
  };
  const { installVersion, configs } = entry.template;
  const { goneDefault } = wanted;
  const hasTaken = configs !== undefined && state.addOns.some((clusterAddOn) => followingOf(clusterAddOn) === 'version');
  return {
    target,
    handMade: installVersion === undefined && configs === undefined ? target : partly('none'),
    // Create this revision only if an add-on has its own configs, because an unused revision would displace another one from the history.
    ownConfigs: hasTaken ? partly('version') : target,
    problem: undefined,
    ...(goneDefault === undefined ? {} : { goneDefault }),
  };
}

/**
 * Returns the target with the content that an add-on with these overrides has in the default entry. `before` is that entry as recorded.
 * Undefined if the content is not known, or no template provides it.
 */
export function targetOfFields(
  state: TargetState,
  fields: Pick<InstallTemplate, 'installVersion' | 'configs'>,
  history: TargetHistory,
  before: RolloutEntry,
  at: string,
): RolloutTarget | undefined {
  const had = history.find(before.targetRevision);
  const entry = supportedPart(state, { ...defaultEntry, template: fields, configs: layered([(fields.configs ?? []).map(toRef)]) });
  // The history contains the templates of versions that were deleted while they were in use.
  const wanted = entryContent(state, entry, { all: had ? [had, ...history.targets] : history.targets, byDefault: had ? [had] : [] });
  if (!('content' in wanted) || (wanted.content.version !== '' && !wanted.content.configs.some(isTemplate))) return undefined;
  return history.targetFor(wanted.content, at);
}

/**
 * Returns the entry without references of kinds that the add-on does not support; the conditions of the add-ons list those references. A
 * kind is supported as soon as one of the add-ons publishes it.
 */
function supportedPart({ managementAddOn, catalog, addOns }: TargetState, entry: StrategyEntry): StrategyEntry {
  const isDeclared = supportedTest(managementAddOn.spec, catalog);
  if (entry.configs.every(isDeclared)) return entry;
  const published = catalog.isFromTemplates ? [] : [...new Set(addOns.map(({ status }) => status.supportedConfigs ?? []))].flat();
  const isSupported = supportedTest(managementAddOn.spec, catalog, published);
  return { ...entry, configs: entry.configs.filter(isSupported), ownConfigs: entry.ownConfigs.filter(isSupported) };
}

/**
 * The content that an entry requests, or the problem with it. If `problem` is undefined, a config has not been read yet; the entry then
 * keeps its recorded targets.
 */
type EntryContent =
  | { readonly content: RevisionContent; readonly goneDefault: string | undefined }
  | { readonly problem: string | undefined };

/**
 * Merges the defaults with the entry's own references, chooses the template, and resolves each reference to its current digest. A deleted
 * config keeps its digest from the last target. A config that never existed gets an empty digest, so that clusters can report that it is
 * missing.
 */
function entryContent(state: TargetState, entry: StrategyEntry, earlier: EarlierTargets): EntryContent {
  const defaults = defaultConfigs(state.managementAddOn.spec);
  const choice = entryChoice(entry, state.managementAddOn.spec, state.catalog);
  if (choice.type === 'conflict') return { problem: choice.message };
  const refs = layered([defaults, entry.configs]);
  const isByDefault = entry.template.installVersion === undefined && !refs.some(isTemplate);
  const kept = firstOf(isByDefault ? earlier.byDefault : earlier.all, (had) => keptTemplate(choice, isByDefault, state.catalog, had));
  const chosen = kept ? [kept.ref] : templateOf(choice);
  // If the references already list the chosen template, keep them all. A template that is chosen by its version replaces the listed ones.
  const isListed = chosen.every((ref) => refs.some((other) => refKey(other) === refKey(ref)));
  const wanted = isListed && chosen.length > 0 ? refs : layered([refs.filter((ref) => !isTemplate(ref)), chosen]);
  const pinned = pin(state, wanted, earlier.all);
  if (!pinned) return { problem: undefined };
  const version = kept?.version ?? versionOf(choice, pinned, earlier.all);
  return {
    goneDefault: kept?.isDefaultGone ? kept.version : undefined,
    content: { version, configs: pinned, renderer: state.renderer },
  };
}

/**
 * Returns the reference to the chosen template. A version that no template provides has none: clusters admitted to it report the missing
 * version and keep running their current content.
 */
function templateOf(choice: TemplateChoice): readonly ConfigRef[] {
  const name = choice.type === 'template' ? choice.template.key.name : choice.type === 'missing-template' ? choice.name : undefined;
  return name === undefined ? [] : [toRef({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE, name })];
}

function versionOf(choice: TemplateChoice, pinned: readonly PinnedRef[], earlier: readonly RolloutTarget[]): string {
  switch (choice.type) {
    case 'template':
      return choice.template.version;
    case 'none':
    case 'gone':
    case 'unsupported-version':
      return choice.version;
    case 'missing-template':
      return firstOf(pinned.filter(isTemplate), (ref) => earlier.find((had) => targetDigest(had, ref) === ref.specHash)?.version) ?? '';
    case 'conflict':
      return '';
  }
}

function pin({ configs }: TargetState, refs: readonly ConfigRef[], earlier: readonly RolloutTarget[]): readonly PinnedRef[] | undefined {
  const pinned: PinnedRef[] = [];
  for (const ref of refs) {
    const live = configs.live(ref);
    const specHash = typeof live === 'string' ? firstOf(earlier, (had) => targetDigest(had, ref)) : live.specHash;
    if (specHash === undefined && live === 'Unread') return undefined;
    pinned.push({ ...ref, specHash: specHash ?? '' });
  }
  return pinned;
}
