import { type AddOnRollout, type ClusterManagementAddOn, LABEL_SELECTOR_ENTRY, type RolloutTarget } from '@outrigger/api';
import { isHalted } from '@outrigger/rules/rollout';
import { declaredEntries } from '@outrigger/rules/strategy';

/**
 * The annotation of an AddOnRollout that lists the revisions from which a user rolled back while their rollout was halted, separated by
 * commas.
 */
export const FAILED_REVISIONS_ANNOTATION = 'outrigger.dev/failed-revisions';

/** The maximum number of failed revisions to keep, which is the length of the timeline. */
const KEPT = 10;

/** Returns the value of the annotation after a rollback: the existing revisions plus the targets that are halted now. */
export function failedRevisions({ metadata, status }: AddOnRollout): string | undefined {
  const halted = (status?.entries ?? []).filter(isHalted).flatMap(({ targetRevision }) => targetRevision ?? []);
  if (halted.length === 0) return undefined;
  return [...new Set([...recorded(metadata), ...halted])].slice(-KEPT).join(',');
}

function recorded({ annotations }: AddOnRollout['metadata']): readonly number[] {
  return (annotations?.[FAILED_REVISIONS_ANNOTATION] ?? '').split(',').filter(Boolean).map(Number);
}

/**
 * Returns the versions that clusters move to when the pin is removed: the default version, and the version of each entry that sets its own.
 */
export function declaredVersions({
  spec,
  status,
}: ClusterManagementAddOn): readonly { readonly where: string; readonly version: string }[] {
  const entries = declaredEntries(spec).flatMap(({ name, settings: { addonTemplate } }) =>
    addonTemplate?.installVersion === undefined
      ? []
      : [{ where: name === LABEL_SELECTOR_ENTRY ? '' : name, version: addonTemplate.installVersion }],
  );
  const isAll = entries.some(({ where }) => where === '');
  return isAll ? entries : [{ where: '', version: status?.defaultVersion ?? '' }, ...entries];
}

/** Returns the content that the declaration specifies and that failed before. Removing the pin would roll out this content again. */
export function failsAgain(managementAddOn: ClusterManagementAddOn, rollout: AddOnRollout): readonly RolloutTarget[] {
  const failed = recorded(rollout.metadata);
  const versions = declaredVersions(managementAddOn).map(({ version }) => version);
  return (rollout.status?.history ?? []).filter(
    (target) => failed.includes(target.revision) && versions.includes(target.version ?? '') && !isChangedSince(managementAddOn, target),
  );
}

/** Whether a default config of the target, such as its template, has changed since the target was recorded. */
function isChangedSince({ status }: ClusterManagementAddOn, { configs = [] }: RolloutTarget): boolean {
  return (status?.defaultconfigReferences ?? []).some(({ resource, desiredConfig }) => {
    const before = configs.find((config) => config.resource === resource && config.name === desiredConfig?.name);
    return before !== undefined && before.specHash !== desiredConfig?.specHash;
  });
}
