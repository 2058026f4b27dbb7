import type { CacheView } from '@outrigger/kube';
import {
  type ConfigLookup,
  type ConfigProblem,
  type ConfigRef,
  type OtherConfigs,
  isDeploymentConfig,
  isTemplate,
  type LiveConfig,
  liveConfigOf,
  refKey,
} from '@outrigger/rules/configuration';
import type { ContentProjection } from '@outrigger/rules/observed';
import { storedContents } from '../resources/stored-contents.js';
import { deploymentConfigs } from '../resources/deployment-configs.js';
import { templates } from '../resources/templates.js';

/** No followed configs, for callers that read only our own kinds. */
const NOTHING_FOLLOWED: OtherConfigs = { get: () => 'Unread' };

/** Reads configs of our own kinds from the caches, and others from the followed configs. */
export function configLookup(view: CacheView, others: OtherConfigs = NOTHING_FOLLOWED): ConfigLookup {
  return {
    live: (ref) => liveConfig(view, others, ref),
    stored: (specHash) => view.byIndex(storedContents, 'specHash', specHash)[0]?.content,
    kept: (specHash) => view.byIndex(storedContents, 'specHash', specHash)[0],
    keptTemplate: (addOnName, version) => keptTemplate(view, addOnName, version),
    lastKept: (ref) => newest(view.byIndex(storedContents, 'contentOf', refKey(ref)))?.specHash,
  };
}

/** Finds the stored template of a version. The owners of stored content are declarations, which have the name of their add-on. */
function keptTemplate(view: CacheView, addOnName: string, version: string): string | undefined {
  const own = view.byIndex(storedContents, 'version', version).filter(({ owners }) => owners.some(({ name }) => name === addOnName));
  const [group, resource, , name] = newest(own)?.contentOf[0]?.split('/') ?? [];
  return group !== undefined && resource !== undefined && isTemplate({ group, resource }) ? name : undefined;
}

function newest(kept: readonly ContentProjection[]): ContentProjection | undefined {
  return kept.reduce<ContentProjection | undefined>((last, one) => (last && last.createdAt >= one.createdAt ? last : one), undefined);
}

function liveConfig(view: CacheView, others: OtherConfigs, ref: ConfigRef): LiveConfig | ConfigProblem {
  if (isTemplate(ref)) return liveConfigOf(view.get(templates, { name: ref.name }));
  if (isDeploymentConfig(ref) && ref.namespace === '') return 'NoNamespace';
  if (isDeploymentConfig(ref)) return liveConfigOf(view.get(deploymentConfigs, { namespace: ref.namespace, name: ref.name }));
  const known = others.get(ref);
  return typeof known === 'string' ? known : { ...known, content: undefined };
}
