import type { AddOnConfig } from '@outrigger/api';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import { toRef } from '../configuration/references.js';

/** The fields of a ManagedClusterAddOn that follow the strategy after its creation. */
export interface FollowedFields {
  readonly installVersion?: string | undefined;
  readonly configs?: readonly AddOnConfig[] | undefined;
}

/**
 * The digest the installer leaves on what it makes: of the fields it applied, so that a restored backup can be told from an edit.
 * `installNamespace` is not among them: it is written once, and a server fills it in where the strategy says nothing.
 */
export function installedSpec({ installVersion, configs }: FollowedFields): string {
  return sha256Hex(canonicalJson({ installVersion, configs: configs?.map(toRef) })).slice(0, 16);
}
