import type { RolloutTarget } from '@outrigger/api';
import { type ConfigRef, type PinnedRef, TEMPLATE_RESOURCE, isTemplate, layered, toRef } from '../../configuration/references.js';
import { ADDON_GROUP } from '@outrigger/api';
import { RENDERER } from '../../render/render.js';
import { type RevisionContent, revisionDigest } from '../../revisions/revision.js';
import { type StrategyEntry, defaultConfigs } from '../../strategy/entries.js';
import { chooseTemplate } from '../../versions/choose.js';
import type { FleetState } from './state.js';

/** The content an entry asks for, or why it cannot be told: then the entry keeps the target it has. */
export type EntryContent = { readonly content: RevisionContent } | { readonly problem: string };

/** Layers defaults and the entry's own references, chooses the template, and pins everything to the content it has now. */
export function entryContent(state: FleetState, entry: StrategyEntry): EntryContent {
  const { spec } = state.declaration;
  const defaults = defaultConfigs(spec);
  const choice = chooseTemplate(
    {
      personsTemplate: undefined,
      installVersion: entry.template.installVersion,
      installVersionIsPersons: false,
      entryTemplate: entry.configs.find(isTemplate)?.name,
      defaultTemplate: defaults.find(isTemplate)?.name,
    },
    state.catalog,
  );
  if (choice.type === 'unsupported-version') return { problem: `version ${choice.version} is not supported` };
  if (choice.type === 'missing-template') return { problem: `template ${choice.name} does not exist` };
  if (choice.type === 'conflict') return { problem: choice.message };
  const template =
    choice.type === 'template' ? [toRef({ group: ADDON_GROUP, resource: TEMPLATE_RESOURCE, name: choice.template.key.name })] : [];
  return pin(state, layered([defaults, entry.configs, template]), choice.type === 'template' ? choice.template.version : '');
}

function pin({ configs }: FleetState, refs: readonly ConfigRef[], version: string): EntryContent {
  const pinned: PinnedRef[] = [];
  for (const ref of refs) {
    const live = configs.live(ref);
    if (typeof live === 'string') return { problem: `${ref.resource} ${ref.namespace}/${ref.name}: ${live}` };
    pinned.push({ ...ref, specHash: live.specHash });
  }
  return { content: { version, configs: pinned, renderer: RENDERER } };
}

const HISTORY_LENGTH = 10;

/** The targets of an add-on, newest first, with a number for each content. */
export class TargetHistory {
  #targets: readonly RolloutTarget[];

  constructor(history: readonly RolloutTarget[]) {
    this.#targets = history;
  }

  get targets(): readonly RolloutTarget[] {
    return this.#targets;
  }

  find(revision: number | undefined): RolloutTarget | undefined {
    return this.#targets.find((target) => target.revision === revision);
  }

  /** The revision of this content: the earlier one if there was one, so that going back is recognised, else the next number. */
  revisionFor(content: RevisionContent, at: string): number {
    const digest = revisionDigest(content);
    const known = this.#targets.find((target) => target.digest === digest);
    if (known) return known.revision;
    const revision = Math.max(0, ...this.#targets.map((target) => target.revision)) + 1;
    const target = {
      revision,
      version: content.version,
      digest,
      renderer: content.renderer,
      configs: content.configs.map(configOf),
      targetedAt: at,
    };
    this.#targets = [target, ...this.#targets];
    return revision;
  }

  /** Keeps the last ten, and whatever an entry still names. */
  trim(named: ReadonlySet<number>): readonly RolloutTarget[] {
    return this.#targets.filter(({ revision }, position) => position < HISTORY_LENGTH || named.has(revision));
  }
}

function configOf({ group, resource, namespace, name, specHash }: PinnedRef): NonNullable<RolloutTarget['configs']>[number] {
  return { group, resource, ...(namespace === '' ? {} : { namespace }), name, specHash };
}
