import { ADDON_GROUP, type AddOnCondition, CONFIGURED_MESSAGES, configName } from '@outrigger/api';
import type { JsonObject } from '@outrigger/core';
import {
  type ConfigRef,
  TEMPLATE_RESOURCE,
  type PinnedRef,
  groupResource,
  isDeploymentConfig,
  isTemplate,
  layered,
  toRef,
} from '../../../configuration/references.js';
import { type AddOnRecord, isPersons } from '../../../resources/add-ons.js';
import { type TemplateChoice, chooseTemplate } from '../../../versions/choose.js';
import type { ConfigLookup, ConfigProblem } from '../../../configuration/lookup.js';
import type { AddOnState } from '../state.js';
import type { Target } from './target.js';

/** What a person decided for this one cluster: acts at once, and stays whatever the fleet does. */
export interface Overrides {
  readonly configs: readonly ConfigRef[];
  /** Kinds the fleet has no say in here. */
  readonly kinds: ReadonlySet<string>;
  /** The template a person chose by version or by reference; undefined where they left it to the fleet. */
  readonly template: TemplateChoice | undefined;
}

export function overridesOf({ addOn, catalog }: Pick<AddOnState, 'addOn' | 'catalog'>): Overrides {
  const configs = isPersons(addOn, 'configs') ? (addOn.spec.configs ?? []).map(toRef) : [];
  const template = personsTemplate(addOn, configs, catalog);
  const chosen = template?.type === 'template' ? [templateRef(template.template.key.name)] : [];
  const all = layered([configs, chosen]);
  return { configs: all, kinds: new Set(all.map(groupResource)), template };
}

function personsTemplate(addOn: AddOnRecord, configs: readonly ConfigRef[], catalog: AddOnState['catalog']): TemplateChoice | undefined {
  const reference = configs.find(isTemplate)?.name;
  const version = isPersons(addOn, 'installVersion') ? addOn.spec.installVersion : undefined;
  if (reference === undefined && version === undefined) return undefined;
  const claims = {
    personsTemplate: reference,
    installVersion: version,
    installVersionIsPersons: true,
    entryTemplate: undefined,
    defaultTemplate: undefined,
  };
  return chooseTemplate(claims, catalog);
}

function templateRef(name: string): ConfigRef {
  return toRef({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE, name });
}

/** The configurations in effect, each pinned to content; and what stands in the way, if anything does. */
export interface EffectiveConfigs {
  readonly refs: readonly PinnedRef[];
  readonly problems: readonly { readonly ref: ConfigRef; readonly problem: ConfigProblem | 'Unsupported' }[];
  contentOf(ref: PinnedRef): JsonObject | undefined;
}

/** Pins a person's references to what they name now, over the content the fleet's record names. */
export function effectiveConfigs(
  target: Target,
  overrides: Overrides,
  lookup: ConfigLookup,
  isSupported: (ref: ConfigRef) => boolean,
): EffectiveConfigs {
  const problems: { ref: ConfigRef; problem: ConfigProblem | 'Unsupported' }[] = [];
  const own = overrides.configs.flatMap((ref): PinnedRef[] => {
    if (!isSupported(ref)) {
      problems.push({ ref, problem: 'Unsupported' });
      return [];
    }
    const live = lookup.live(ref);
    if (typeof live !== 'string') return [{ ...ref, specHash: live.specHash }];
    problems.push({ ref, problem: live });
    return [];
  });
  const fleet = target.configs ?? [];
  for (const ref of fleet) {
    const live = overrides.kinds.has(groupResource(ref)) ? undefined : lookup.live(ref);
    if (typeof live === 'string') problems.push({ ref, problem: live });
  }
  return { refs: layered([fleet, own]), problems, contentOf: (ref) => contentOf(ref, lookup) };
}

/** Content by digest: what the object holds now if that is the digest, else what was kept of it. */
function contentOf(ref: PinnedRef, lookup: ConfigLookup): JsonObject | undefined {
  const live = lookup.live(ref);
  return typeof live !== 'string' && live.specHash === ref.specHash ? live.content : lookup.stored(ref.specHash);
}

/** A template add-on always takes deployment configs and templates; everything else must be declared. */
export function supportedTest(supported: readonly { readonly group?: string; readonly resource: string }[]): (ref: ConfigRef) => boolean {
  const kinds = new Set(supported.map(({ group = '', resource }) => groupResource({ group, resource })));
  return (ref) => isTemplate(ref) || isDeploymentConfig(ref) || kinds.has(groupResource(ref));
}

type Configured = Extract<AddOnCondition, { type: 'Configured' }>;

/** Whether the content in effect is what everybody asks for, and if not, what stands in the way. */
export function configuredCondition(effective: EffectiveConfigs, isWaiting: boolean): Configured {
  const [first] = effective.problems;
  if (first) {
    const same = effective.problems.filter(({ problem }) => problem === first.problem).map(({ ref }) => ref);
    return { type: 'Configured', status: 'False', ...problemOf(first.problem, same) };
  }
  if (isWaiting)
    return { type: 'Configured', status: 'False', reason: 'ConfigurationsNotConfigured', message: CONFIGURED_MESSAGES.notConfigured };
  return { type: 'Configured', status: 'True', reason: 'ConfigurationsConfigured', message: CONFIGURED_MESSAGES.configured };
}

function problemOf(
  problem: ConfigProblem | 'Unsupported',
  refs: readonly ConfigRef[],
): Pick<Extract<Configured, { status: 'False' }>, 'reason' | 'message'> {
  const names = refs.map(configName).join(', ');
  switch (problem) {
    case 'Unsupported':
      return { reason: 'ConfigurationUnsupported', message: CONFIGURED_MESSAGES.unsupported(refs.map(groupResource).join(', ')) };
    case 'Forbidden':
      return { reason: 'ConfigurationForbidden', message: CONFIGURED_MESSAGES.forbidden(names) };
    case 'NotFound':
    case 'NotServed':
      return { reason: 'ConfigurationNotFound', message: CONFIGURED_MESSAGES.notFound(names) };
  }
}
