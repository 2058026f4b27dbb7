import type { ClusterManagementAddOnSpec } from '@outrigger/api';
import { isTemplate } from '../configuration/references.js';
import { defaultConfigs } from '../strategy/entries.js';
import type { StrategyEntry } from '../strategy/entry.js';
import type { VersionCatalog } from './catalog.js';
import { type TemplateChoice, chooseTemplate } from './choose.js';

/** The template that an entry requests, or the reason why it cannot be used. */
export function entryChoice(
  entry: Pick<StrategyEntry, 'template' | 'configs'>,
  spec: ClusterManagementAddOnSpec,
  catalog: VersionCatalog,
): TemplateChoice {
  const claims = {
    userTemplate: undefined,
    installVersion: entry.template.installVersion,
    isVersionUserOwned: false,
    entryTemplate: entry.configs.find(isTemplate)?.name,
    defaultTemplate: defaultConfigs(spec).find(isTemplate)?.name,
  };
  return chooseTemplate(claims, catalog);
}
