import type { JsonObject } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { type ContentRecord, contents } from '../resources/contents.js';
import { deploymentConfigs } from '../resources/deployment-configs.js';
import { templates } from '../resources/templates.js';
import { type ConfigRef, isDeploymentConfig, isTemplate, refKey } from './references.js';

/** A config object as the caches have it now. */
export interface LiveConfig {
  readonly specHash: string;
  readonly generation: number;
  /** The object without apiVersion, kind, metadata and status: the input of the digest. Undefined for kinds other than our own. */
  readonly content: JsonObject | undefined;
}

/**
 * Why a referenced object cannot be used. `NoNamespace`: its kind is namespaced and the reference has no namespace. `Unread`: the manager
 * has not read the object yet, so it cannot conclude anything.
 */
export type ConfigProblem = 'NotFound' | 'NoNamespace' | 'Forbidden' | 'NotServed' | 'Unread';

export interface ConfigLookup {
  live(ref: ConfigRef): LiveConfig | ConfigProblem;
  /** Stored content by its digest, also of objects that have since changed or been deleted. */
  stored(specHash: string): JsonObject | undefined;
  /** The object that stores the content with this digest. */
  kept(specHash: string): ContentRecord | undefined;
  /** The digest of the content that was last stored for a config that an add-on's own spec references. */
  lastKept(ref: ConfigRef): string | undefined;
  /** The name of the template that offered a version, found in stored content; undefined if none is stored. */
  keptTemplate(addOnName: string, version: string): string | undefined;
}

/** The digests of configs of kinds other than our own. */
export interface ForeignConfigs {
  get(ref: ConfigRef): { readonly specHash: string; readonly generation: number } | ConfigProblem;
}

/** For callers that only read our own kinds. */
const NOTHING_FOLLOWED: ForeignConfigs = { get: () => 'Unread' };

/** Reads configs: those of our own kinds from the caches, others from the followed configs. */
export function configLookup(view: CacheView, foreign: ForeignConfigs = NOTHING_FOLLOWED): ConfigLookup {
  return {
    live: (ref) => liveConfig(view, foreign, ref),
    stored: (specHash) => view.byIndex(contents, 'specHash', specHash)[0]?.content,
    kept: (specHash) => view.byIndex(contents, 'specHash', specHash)[0],
    keptTemplate: (addOnName, version) => keptTemplate(view, addOnName, version),
    lastKept: (ref) => newest(view.byIndex(contents, 'contentOf', refKey(ref)))?.specHash,
  };
}

/** The owners of stored content are declarations, which have the name of their add-on. */
function keptTemplate(view: CacheView, addOnName: string, version: string): string | undefined {
  const own = view.byIndex(contents, 'version', version).filter(({ owners }) => owners.some(({ name }) => name === addOnName));
  const [group, resource, , name] = newest(own)?.contentOf[0]?.split('/') ?? [];
  return group !== undefined && resource !== undefined && isTemplate({ group, resource }) ? name : undefined;
}

function newest(kept: readonly ContentRecord[]): ContentRecord | undefined {
  return kept.reduce<ContentRecord | undefined>((last, one) => (last && last.createdAt >= one.createdAt ? last : one), undefined);
}

function liveConfig(view: CacheView, foreign: ForeignConfigs, ref: ConfigRef): LiveConfig | ConfigProblem {
  if (isTemplate(ref)) return fromRecord(view.get(templates, { name: ref.name }));
  if (isDeploymentConfig(ref) && ref.namespace === '') return 'NoNamespace';
  if (isDeploymentConfig(ref)) return fromRecord(view.get(deploymentConfigs, { namespace: ref.namespace, name: ref.name }));
  const known = foreign.get(ref);
  return typeof known === 'string' ? known : { ...known, content: undefined };
}

function fromRecord(
  record: { readonly specHash: string; readonly generation: number; readonly spec: object } | undefined,
): LiveConfig | ConfigProblem {
  if (!record) return 'NotFound';
  return { specHash: record.specHash, generation: record.generation, content: { spec: record.spec } as unknown as JsonObject };
}
