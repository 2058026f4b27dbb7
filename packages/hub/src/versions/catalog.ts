import { type ClusterManagementAddOnSpec, type ClusterManagementAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { highestVersion } from '@outrigger/core';
import { isTemplate } from '../configuration/references.js';
import type { TemplateRecord } from '../resources/templates.js';
import type { KnownTemplates } from './known-templates.js';
import { defaultConfigs, entriesOf } from '../strategy/entries.js';

/** The versions an add-on can be installed in. */
export interface VersionCatalog {
  /** By creation of their templates, then by name; as published where the add-on does not come from templates. */
  readonly supported: readonly string[];
  /** Empty where the default template carries no version, or there is none. */
  readonly defaultVersion: string;
  /** Whether the add-on comes from templates. Otherwise its own manager publishes its versions and the hub writes neither field. */
  readonly isFromTemplates: boolean;
  templateNamed(name: string): TemplateRecord | undefined;
  /** The template of a version; of two with one version the older one, since admission refuses the second. */
  templateOf(version: string): TemplateRecord | undefined;
}

/**
 * The versions of a declared add-on: read from its templates, or from its status where another manager renders it. `isInUse` says that some
 * of it was rendered from a template: what its last template leaves behind in the status is this manager's, and is not read back.
 */
export function versionsOf(
  declaration: { readonly spec: ClusterManagementAddOnSpec; readonly status: ClusterManagementAddOnStatus } | undefined,
  { own, referenced }: KnownTemplates,
  isInUse: boolean,
): VersionCatalog {
  if (!declaration || own.length > 0 || referenced.length > 0 || isInUse || namesTemplates(declaration.spec)) {
    return versionCatalog(own, declaration && defaultConfigs(declaration.spec).find(isTemplate)?.name, referenced);
  }
  const { supportedVersions = [], defaultVersion = '' } = declaration.status;
  return { ...versionCatalog([], undefined), supported: supportedVersions, defaultVersion, isFromTemplates: false };
}

function namesTemplates(spec: ClusterManagementAddOnSpec): boolean {
  const isNamed = (spec.supportedConfigs ?? []).some(({ group = '', resource }) => isTemplate({ group, resource }));
  return isNamed || entriesOf(spec).some(({ configs }) => configs.some(isTemplate));
}

/**
 * Reads the versions of an add-on from its templates. `defaultTemplate` is the one supportedConfigs names; without it the highest version
 * that is no pre-release is the default. Templates of other add-ons count where they are referenced (`referenced`), and make no default:
 * what one cluster tries must not move the others.
 */
export function versionCatalog(
  own: readonly TemplateRecord[],
  defaultTemplate: string | undefined,
  referenced: readonly TemplateRecord[] = [],
): VersionCatalog {
  const inOrder = (templates: readonly TemplateRecord[]): readonly TemplateRecord[] =>
    [...templates].sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1));
  const ordered = inOrder([...own, ...referenced]);
  const byName = new Map(ordered.map((template) => [template.key.name, template]));
  const byVersion = new Map<string, TemplateRecord>();
  // The add-on's own template of a version wins over another add-on's.
  for (const template of [...inOrder(own), ...inOrder(referenced)]) {
    if (isVersion(template.version) && !byVersion.has(template.version)) byVersion.set(template.version, template);
  }
  const supported = [...new Set(ordered.map(({ version }) => version).filter(isVersion))];
  const offered = own.map(({ version }) => version).filter(isVersion);
  return {
    supported,
    defaultVersion: defaultTemplate === undefined ? (highestVersion(offered) ?? '') : (byName.get(defaultTemplate)?.version ?? ''),
    isFromTemplates: true,
    templateNamed: (name) => byName.get(name),
    templateOf: (version) => byVersion.get(version),
  };
}

/** `unknown` is what status says while there is none. Longer ones are no label values: the API server refuses them. */
function isVersion(text: string): boolean {
  return text !== '' && text !== UNKNOWN_VERSION;
}
