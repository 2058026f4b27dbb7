import { PROGRESSING_MESSAGES } from '@outrigger/api';
import type { TemplateProjection } from '../observed/templates.js';
import type { VersionCatalog } from './catalog.js';

/** The settings that may determine which template an add-on uses, highest precedence first. */
export interface TemplateClaims {
  /** A template reference that a user put into the ManagedClusterAddOn. */
  readonly userTemplate: string | undefined;
  /** The value of spec.installVersion. `isVersionUserOwned` is true if a user set it, false if the strategy did. */
  readonly installVersion: string | undefined;
  readonly isVersionUserOwned: boolean;
  /** The template reference of the strategy's entry. */
  readonly entryTemplate: string | undefined;
  /** The template reference of supportedConfigs. */
  readonly defaultTemplate: string | undefined;
}

export type TemplateChoice =
  | { readonly type: 'template'; readonly template: TemplateProjection }
  /** The add-on does not come from a template; `version` is empty if the add-on has no version. */
  | { readonly type: 'none'; readonly version: string }
  /** A version that is installed and requested, but that no template provides any more. The installed content keeps running. */
  | { readonly type: 'gone'; readonly name: string; readonly version: string }
  | { readonly type: 'unsupported-version'; readonly version: string }
  | { readonly type: 'missing-template'; readonly name: string }
  | { readonly type: 'conflict'; readonly message: string };

/**
 * Chooses the template from the first source that names one: the override, the version, the entry, the declaration's default. If a template
 * and a version come from the same layer, they must agree.
 */
export function chooseTemplate(claims: TemplateClaims, catalog: VersionCatalog): TemplateChoice {
  // A template that a user names and that does not exist has no version to compare.
  if (claims.userTemplate !== undefined && !catalog.templateNamed(claims.userTemplate)) return named(claims.userTemplate, catalog);
  const rival = claims.isVersionUserOwned ? claims.userTemplate : claims.entryTemplate;
  if (claims.installVersion !== undefined && rival !== undefined) {
    const version = catalog.templateNamed(rival)?.version ?? '';
    if (version !== claims.installVersion) {
      return { type: 'conflict', message: PROGRESSING_MESSAGES.disagreement(claims.installVersion, rival, version) };
    }
  }
  if (claims.userTemplate !== undefined) return named(claims.userTemplate, catalog);
  if (claims.installVersion !== undefined) return versioned(claims.installVersion, catalog);
  const reference = claims.entryTemplate ?? claims.defaultTemplate;
  if (reference !== undefined) return named(reference, catalog);
  return catalog.defaultVersion === '' ? { type: 'none', version: '' } : versioned(catalog.defaultVersion, catalog);
}

function named(name: string, catalog: VersionCatalog): TemplateChoice {
  const template = catalog.templateNamed(name);
  return template ? { type: 'template', template } : { type: 'missing-template', name };
}

function versioned(version: string, catalog: VersionCatalog): TemplateChoice {
  if (!catalog.isFromTemplates) {
    return catalog.supported.includes(version) ? { type: 'none', version } : { type: 'unsupported-version', version };
  }
  const template = catalog.templateOf(version);
  return template ? { type: 'template', template } : { type: 'unsupported-version', version };
}

/** Whether a choice cannot be applied, so that the current template stays in use. */
export function isUnfollowable(choice: TemplateChoice | undefined): boolean {
  return choiceProblem(choice) !== undefined;
}

/** Returns the problem that Progressing reports for a choice that cannot be applied, or undefined if it can be applied. */
export function choiceProblem(choice: TemplateChoice | undefined): string | undefined {
  switch (choice?.type) {
    case 'unsupported-version':
      return PROGRESSING_MESSAGES.invalidVersion('install', choice.version);
    case 'missing-template':
      return PROGRESSING_MESSAGES.missingTemplate(choice.name);
    case 'conflict':
      return choice.message;
    case 'template':
    case 'none':
    case 'gone':
    case undefined:
      return undefined;
  }
}
