import { type ClusterManagementAddOnSpec, type ClusterManagementAddOnStatus, UNKNOWN_VERSION } from '@outrigger/api';
import { highestVersion } from '@outrigger/core';
import { isTemplate } from '../configuration/references.js';
import type { TemplateProjection } from '../observed/templates.js';
import type { KnownTemplates } from './known-templates.js';
import { defaultConfigs, entriesOf } from '../strategy/entries.js';

/** The versions of an add-on that can be installed. */
export interface VersionCatalog {
  /**
   * The versions, sorted by the creation time of their templates, then by name. If the add-on does not come from templates, they are in the
   * order in which its manager publishes them.
   */
  readonly supported: readonly string[];
  /** The default version; empty if there is no default template or it has no version. */
  readonly defaultVersion: string;
  /**
   * Whether the add-on comes from templates. Otherwise another manager publishes its versions and its default version, and the hub does not
   * write them.
   */
  readonly isFromTemplates: boolean;
  templateNamed(name: string): TemplateProjection | undefined;
  /** The template of a version. If two templates have the same version, which admission prevents, the older one is used. */
  templateOf(version: string): TemplateProjection | undefined;
}

/**
 * Returns the versions of a declared add-on, read from its templates, or from its status if another manager renders it. If `isInUse` is
 * true, this manager has rendered the add-on from a template. In that case versions that remain in the status after the last template is
 * deleted come from this manager, so they are not read back.
 */
export function versionsOf(
  managementAddOn: { readonly spec: ClusterManagementAddOnSpec; readonly status: ClusterManagementAddOnStatus } | undefined,
  { own, referenced }: KnownTemplates,
  isInUse: boolean,
): VersionCatalog {
  if (!managementAddOn || own.length > 0 || referenced.length > 0 || isInUse || namesTemplates(managementAddOn.spec)) {
    return versionCatalog(own, managementAddOn && defaultConfigs(managementAddOn.spec).find(isTemplate)?.name, referenced);
  }
  const { supportedVersions = [], defaultVersion = '' } = managementAddOn.status;
  return { ...versionCatalog([], undefined), supported: supportedVersions, defaultVersion, isFromTemplates: false };
}

function namesTemplates(spec: ClusterManagementAddOnSpec): boolean {
  const isNamed = (spec.supportedConfigs ?? []).some(({ group = '', resource }) => isTemplate({ group, resource }));
  return isNamed || entriesOf(spec).some(({ configs }) => configs.some(isTemplate));
}

/**
 * Reads the versions of an add-on from its templates. `defaultTemplate` is the template that supportedConfigs names. Without it, the
 * default is the highest version of the add-on's own templates that is not a pre-release. `referenced` are templates of other add-ons to
 * which this add-on refers. They never determine the highest version, because a reference on one cluster must not move the other clusters.
 */
export function versionCatalog(
  own: readonly TemplateProjection[],
  defaultTemplate: string | undefined,
  referenced: readonly TemplateProjection[] = [],
): VersionCatalog {
  const inOrder = (templates: readonly TemplateProjection[]): readonly TemplateProjection[] =>
    [...templates].sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1));
  const ordered = inOrder([...own, ...referenced]);
  const ownInOrder = inOrder(own);
  const byName = new Map(ordered.map((template) => [template.key.name, template]));
  const byVersion = new Map<string, TemplateProjection>();
  // The add-on's own template of a version takes precedence over the template of another add-on.
  for (const template of [...ownInOrder, ...inOrder(referenced)]) {
    if (isVersion(template.version) && !byVersion.has(template.version)) byVersion.set(template.version, template);
  }
  const supported = [...new Set(ordered.map(({ version }) => version).filter(isVersion))];
  // If a version is not semantic, the order of the templates decides which version is the highest, and an index returns them in any order.
  const offered = ownInOrder.map(({ version }) => version).filter(isVersion);
  return {
    supported,
    defaultVersion: defaultTemplate === undefined ? (highestVersion(offered) ?? '') : (byName.get(defaultTemplate)?.version ?? ''),
    isFromTemplates: true,
    templateNamed: (name) => byName.get(name),
    templateOf: (version) => byVersion.get(version),
  };
}

/**
 * Whether a text is a version. `unknown` is not a version, because the status uses it while there is no version. The length needs no check,
 * because a version is a label value and the API server rejects long ones.
 */
function isVersion(text: string): boolean {
  return text !== '' && text !== UNKNOWN_VERSION;
}
