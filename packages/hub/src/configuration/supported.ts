import type { ClusterManagementAddOnSpec } from '@outrigger/api';
import { type ConfigRef, groupResource, isOwnKind } from './references.js';

/**
 * Whether an add-on takes configurations of a kind. What is not declared may be used neither for one cluster nor for many; an add-on that
 * comes from templates always takes templates and deployment configs.
 */
export function supportedTest(
  { supportedConfigs = [] }: Pick<ClusterManagementAddOnSpec, 'supportedConfigs'>,
  { isFromTemplates }: { readonly isFromTemplates: boolean },
): (ref: ConfigRef) => boolean {
  const kinds = new Set(supportedConfigs.map(({ group = '', resource }) => groupResource({ group, resource })));
  return (ref) => (isFromTemplates && isOwnKind(ref)) || kinds.has(groupResource(ref));
}
