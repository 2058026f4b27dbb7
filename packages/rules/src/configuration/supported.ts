import type { ClusterManagementAddOnSpec, ConfigGroupResource } from '@outrigger/api';
import { type ConfigRef, groupResource, isOwnKind } from './references.js';

/**
 * Whether an add-on supports configs of a kind. It does if the declaration lists the kind, or if another manager renders the add-on and
 * lists the kind in the status of the ManagedClusterAddOn (`published`). An add-on that the hub renders from templates always supports
 * templates and deployment configs. `published` is ignored for such an add-on, because the hub itself writes that list.
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
