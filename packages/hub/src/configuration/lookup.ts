import type { JsonObject } from '@outrigger/core';
import type { CacheView } from '@outrigger/kube';
import { contents } from '../resources/contents.js';
import { deploymentConfigs } from '../resources/deployment-configs.js';
import { templates } from '../resources/templates.js';
import { type ConfigRef, isDeploymentConfig, isTemplate } from './references.js';

/** A configuration object as it is now. */
export interface LiveConfig {
  readonly specHash: string;
  readonly generation: number;
  /** The object without apiVersion, kind, metadata and status: what the digest is taken of. */
  readonly content: JsonObject;
}

/** Why a referenced object cannot be read. */
export type ConfigProblem = 'NotFound' | 'Forbidden' | 'NotServed';

export interface ConfigLookup {
  live(ref: ConfigRef): LiveConfig | ConfigProblem;
  /** Content kept under its digest, of objects that have changed or gone since. */
  stored(specHash: string): JsonObject | undefined;
}

/** Reads configurations from the caches. */
export function configLookup(view: CacheView): ConfigLookup {
  return {
    live: (ref) => liveConfig(view, ref),
    stored: (specHash) => view.byIndex(contents, 'specHash', specHash)[0]?.content,
  };
}

function liveConfig(view: CacheView, ref: ConfigRef): LiveConfig | ConfigProblem {
  if (isTemplate(ref)) return fromRecord(view.get(templates, { name: ref.name }));
  if (isDeploymentConfig(ref)) return fromRecord(view.get(deploymentConfigs, { namespace: ref.namespace, name: ref.name }));
  return 'NotServed';
}

function fromRecord(
  record: { readonly specHash: string; readonly generation: number; readonly spec: object } | undefined,
): LiveConfig | ConfigProblem {
  if (!record) return 'NotFound';
  return { specHash: record.specHash, generation: record.generation, content: { spec: record.spec } as unknown as JsonObject };
}
