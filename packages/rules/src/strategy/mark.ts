import type { AddOnConfig } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { toRef } from '../configuration/references.js';

/** The fields of a ManagedClusterAddOn that keep following the strategy after the add-on was created. */
export interface FollowedFields {
  readonly installVersion?: string | undefined;
  readonly configs?: readonly AddOnConfig[] | undefined;
}

/**
 * Returns the value of the mark: a digest of the fields that the installer applied, which distinguishes a restored backup from an edit.
 * `installNamespace` is not included, because it is written only once and an API server sets a default if the strategy gives none.
 */
export function installedSpec({ installVersion, configs }: FollowedFields): string {
  return sha256Hex(canonicalJson({ installVersion, configs: configs?.map(toRef) })).slice(0, 16);
}
