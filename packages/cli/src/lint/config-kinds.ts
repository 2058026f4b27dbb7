import { type ClusterManagementAddOn, KIND_DEFINITIONS } from '@outrigger/api';
import { nearest } from '@outrigger/rules/explanation';

type Kind = { readonly group?: string; readonly resource: string };

/**
 * Returns warnings about supported configs whose kind seems to be a typo: a resource that a known group does not have, or a known resource
 * without its group. Kinds of other groups cannot be checked here.
 */
export function configKindProblems(spec: ClusterManagementAddOn['spec']): readonly string[] {
  return (spec.supportedConfigs ?? []).flatMap((kind, index) => {
    const problem = kindProblem(kind);
    return problem === undefined ? [] : [`spec.supportedConfigs[${index}].${problem}`];
  });
}

function kindProblem({ group = '', resource }: Kind): string | undefined {
  const inGroup = KIND_DEFINITIONS.filter((one) => one.group === group).map(({ plural }) => plural);
  if (inGroup.includes(resource)) return undefined;
  if (inGroup.length > 0) {
    const near = nearest(resource, inGroup) ?? KIND_DEFINITIONS.find(({ kind }) => kind.toLowerCase() === resource.toLowerCase())?.plural;
    return `resource: there is no ${resource} in ${group}: ${near === undefined ? `use ${[...inGroup].sort().join(', ')}` : `did you mean ${near}?`}`;
  }
  const groups = [...new Set(KIND_DEFINITIONS.map((one) => one.group))];
  const meant = group === '' ? KIND_DEFINITIONS.find(({ plural }) => plural === resource)?.group : nearest(group, groups);
  if (meant === undefined) return undefined;
  return `group: ${group === '' ? `${resource} without a group do not exist` : `there is no group ${group}`}: did you mean ${meant}?`;
}
