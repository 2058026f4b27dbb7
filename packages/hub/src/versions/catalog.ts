import { highestVersion } from '@outrigger/core';
import type { TemplateRecord } from '../resources/templates.js';

/** The versions an add-on can be installed in. */
export interface VersionCatalog {
  /** By creation of their templates, then by name. */
  readonly supported: readonly string[];
  /** Empty where the default template carries no version, or there is none. */
  readonly defaultVersion: string;
  templateNamed(name: string): TemplateRecord | undefined;
  /** The template of a version; of two with one version the older one, since admission refuses the second. */
  templateOf(version: string): TemplateRecord | undefined;
}

/**
 * Reads the versions of an add-on from its templates. `defaultTemplate` is the one supportedConfigs names; without it the highest version
 * that is no pre-release is the default.
 */
export function versionCatalog(templates: readonly TemplateRecord[], defaultTemplate: string | undefined): VersionCatalog {
  const ordered = [...templates].sort((a, b) => a.createdAt - b.createdAt || (a.key.name < b.key.name ? -1 : 1));
  const byName = new Map(ordered.map((template) => [template.key.name, template]));
  const byVersion = new Map<string, TemplateRecord>();
  for (const template of ordered) {
    if (template.version !== '' && !byVersion.has(template.version)) byVersion.set(template.version, template);
  }
  const supported = [...byVersion.keys()];
  return {
    supported,
    defaultVersion: defaultTemplate === undefined ? (highestVersion(supported) ?? '') : (byName.get(defaultTemplate)?.version ?? ''),
    templateNamed: (name) => byName.get(name),
    templateOf: (version) => byVersion.get(version),
  };
}
