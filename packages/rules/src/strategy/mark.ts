import type { AddOnConfig } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { toRef } from '../configuration/references.js';

/** The fields of a ManagedClusterAddOn that follow the strategy after its creation. */
export interface FollowedFields {
  readonly installVersion?: string | undefined;
  readonly configs?: readonly AddOnConfig[] | undefined;
}

/**
 * The value of the mark: a digest of the fields that the installer applied, so that a restored backup can be distinguished from an edit.
 * `installNamespace` is not included: it is written once, and an API server sets a default if the strategy gives none.
 */
export function installedSpec({ installVersion, configs }: FollowedFields): string {
  return sha256Hex(canonicalJson({ installVersion, configs: configs?.map(toRef) })).slice(0, 16);
}
