import type { ClusterManagementAddOnStatus, InstallConfigReference, InstallProgression } from '@outrigger/api';
import type { Condition } from '@outrigger/core';
import { type PinnedRef, refKey, toRef } from '@outrigger/rules/configuration';
import { type TargetHistory, targetRefs } from '@outrigger/rules/revisions';
import type { EntryStep } from '@outrigger/rules/rollout';
import { reportedPlacement } from '@outrigger/rules/strategy';
import type { FleetState } from './state.js';

/** The progress of each Placement, in the order of the strategy. */
export function progressions(
  { managementAddOn, entries }: FleetState,
  steps: readonly EntryStep[],
  history: TargetHistory,
  withProgress: (step: EntryStep, conditions: readonly Condition[]) => readonly Condition[],
): NonNullable<ClusterManagementAddOnStatus['installProgressions']> {
  const before = new Map((managementAddOn.status.installProgressions ?? []).map((entry) => [`${entry.namespace}/${entry.name}`, entry]));
  return entries.flatMap(({ entry }): InstallProgression[] => {
    const placement = reportedPlacement(entry);
    if (!placement) return [];
    const old = before.get(entry.name);
    const step = steps.find((candidate) => candidate.entry.name === entry.name);
    if (!step) return old ? [old] : [placement];
    const configReferences = progressionReferences(step, history, old);
    return [
      {
        ...placement,
        ...(configReferences.length > 0 ? { configReferences } : {}),
        conditions: withProgress(step, old?.conditions ?? []),
      },
    ];
  });
}

/**
 * Lists the configs that the entry references, each with the config that was last applied and last known good on all clusters. As in
 * upstream, if one reference names another object than before, all references lose the last applied and last known good configs until the
 * rollout has succeeded.
 */
export function progressionReferences(
  { entry }: Pick<EntryStep, 'entry'>,
  history: TargetHistory,
  old: InstallProgression | undefined,
): readonly InstallConfigReference[] {
  const target = history.find(entry.targetRevision);
  const refs = target ? targetRefs(target) : [];
  const isComplete = entry.completedRevision === entry.targetRevision && (entry.selected ?? 0) > 0;
  const before = new Map(
    (old?.configReferences ?? []).flatMap((ref) =>
      ref.desiredConfig ? [[refKey(toRef({ ...ref, ...ref.desiredConfig })), ref] as const] : [],
    ),
  );
  const isContinued = refs.every((ref) => before.has(refKey(ref)));
  return refs.map((ref) => {
    const { group, resource } = ref;
    const earlier = isContinued ? before.get(refKey(ref)) : undefined;
    const desiredConfig = withReportedDigest(configOf(ref), before.get(refKey(ref))?.desiredConfig);
    const lastAppliedConfig = isComplete ? desiredConfig : earlier?.lastAppliedConfig;
    const lastKnownGoodConfig = isComplete ? desiredConfig : earlier?.lastKnownGoodConfig;
    return {
      group,
      resource,
      desiredConfig,
      ...(lastAppliedConfig ? { lastAppliedConfig } : {}),
      ...(lastKnownGoodConfig ? { lastKnownGoodConfig } : {}),
    };
  });
}

type ConfigSpecHash = NonNullable<InstallConfigReference['desiredConfig']>;

function configOf({ namespace, name, specHash }: PinnedRef): ConfigSpecHash {
  return { ...(namespace === '' ? {} : { namespace }), name, specHash };
}

/** If this manager has no digest for the config, keeps the digest in the status, because another manager may have written it. */
function withReportedDigest(config: ConfigSpecHash, reported: InstallConfigReference['desiredConfig']): ConfigSpecHash {
  const isSame = config.specHash === '' && reported?.name === config.name && reported.namespace === config.namespace;
  return isSame ? { ...config, specHash: reported.specHash ?? '' } : config;
}
