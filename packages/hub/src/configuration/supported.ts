import type { ClusterManagementAddOnSpec, ConfigGroupResource } from '@outrigger/api';
import { type ConfigRef, groupResource, isOwnKind } from './references.js';

/**
 * Whether an add-on takes configurations of a kind: one the declaration lists; where another manager renders the add-on, also one that this
 * manager publishes in the status of the ManagedClusterAddOn (`published`). An add-on that comes from templates always takes templates and
 * deployment configs, and what its status lists is this hub's own writing, which is not read back.
 */
export function supportedTest(
  { supportedConfigs = [] }: Pick<ClusterManagementAddOnSpec, 'supportedConfigs'>,
  { isFromTemplates }: { readonly isFromTemplates: boolean },
  published: readonly ConfigGroupResource[] = [],
): (ref: ConfigRef) => boolean {
  const listed = isFromTemplates ? supportedConfigs : [...supportedConfigs, ...published];
  const kinds = new Set(listed.map(({ group = '', resource }) => groupResource({ group, resource })));
  return (ref) => (isFromTemplates && isOwnKind(ref)) || kinds.has(groupResource(ref));
}
