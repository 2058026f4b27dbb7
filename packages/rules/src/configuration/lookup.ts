import { type JsonObject, asJson } from '@outrigger/core';
import type { ContentProjection } from '../observed/contents.js';
import type { ConfigRef } from './references.js';

/** A config object in its current, cached state. */
export interface LiveConfig {
  readonly specHash: string;
  readonly generation: number;
  /**
   * The object without apiVersion, kind, metadata and status: the input of the digest. Undefined for kinds other than AddOnTemplate and
   * AddOnDeploymentConfig.
   */
  readonly content: JsonObject | undefined;
}

/**
 * The reason why a referenced object cannot be used. `NoNamespace`: its kind is namespaced and the reference has no namespace. `Unread`:
 * the manager has not read the object yet, so whether it exists is unknown. `Failing`: all attempts to read the object have failed for some
 * time, so that nothing waits for it any longer.
 */
export type ConfigProblem = 'NotFound' | 'NoNamespace' | 'Forbidden' | 'NotServed' | 'Failing' | 'Unread';

export interface ConfigLookup {
  live(ref: ConfigRef): LiveConfig | ConfigProblem;
  /** Returns stored content by its digest, even if the object it came from has since changed or been deleted. */
  stored(specHash: string): JsonObject | undefined;
  /** Returns the projection of the object that stores the content with this digest. */
  kept(specHash: string): ContentProjection | undefined;
  /** The digest of the content that was last stored for a config that an add-on references in its own spec. */
  lastKept(ref: ConfigRef): string | undefined;
  /** The name of the template that provided a version, according to stored content; undefined if no such template is stored. */
  keptTemplate(addOnName: string, version: string): string | undefined;
}

/** Looks up the digest and generation of a config of a kind other than AddOnTemplate and AddOnDeploymentConfig. */
export interface OtherConfigs {
  get(ref: ConfigRef): { readonly specHash: string; readonly generation: number } | ConfigProblem;
}

/** Returns an AddOnTemplate or AddOnDeploymentConfig in the form of `ConfigLookup.live`. */
export function liveConfigOf(
  projection: { readonly specHash: string; readonly generation: number; readonly spec: object } | undefined,
): LiveConfig | ConfigProblem {
  if (!projection) return 'NotFound';
  return { specHash: projection.specHash, generation: projection.generation, content: asJson({ spec: projection.spec }) };
}
