import type { ClusterManagementAddOnStatus, InstallConfigReference, InstallProgression } from '@outrigger/api';
import type { Condition } from '@outrigger/core';
import { type PinnedRef, groupResource, toRef } from '../../configuration/references.js';
import { targetRefs } from '../../revisions/revision.js';
import type { TargetHistory } from '../../revisions/target-history.js';
import type { EntryStep } from './entries.js';
import type { FleetState } from './state.js';

/** How far each Placement has got, in the order of the strategy. */
export function progressions(
  { declaration, entries }: FleetState,
  steps: readonly EntryStep[],
  history: TargetHistory,
  withProgress: (step: EntryStep, conditions: readonly Condition[]) => readonly Condition[],
): NonNullable<ClusterManagementAddOnStatus['installProgressions']> {
  const before = new Map((declaration.status.installProgressions ?? []).map((entry) => [`${entry.namespace}/${entry.name}`, entry]));
  return entries.flatMap(({ entry }): InstallProgression[] => {
    if (!entry.source || !('placement' in entry.source)) return [];
    const [namespace = '', name = ''] = entry.source.placement.split('/');
    const old = before.get(entry.name);
    const step = steps.find((candidate) => candidate.entry.name === entry.name);
    if (!step) return old ? [old] : [{ namespace, name }];
    const configReferences = references(step, history, old);
    return [
      {
        namespace,
        name,
        ...(configReferences.length > 0 ? { configReferences } : {}),
        conditions: withProgress(step, old?.conditions ?? []),
      },
    ];
  });
}

/**
 * What the entry asks for, and what it last had everywhere. Unlike upstream, a configuration that is replaced by one of another name keeps
 * what was good before: that is the way back.
 */
function references({ entry }: EntryStep, history: TargetHistory, old: InstallProgression | undefined): readonly InstallConfigReference[] {
  const target = history.find(entry.targetRevision);
  const isComplete = entry.completedRevision === entry.targetRevision && (entry.selected ?? 0) > 0;
  const before = new Map((old?.configReferences ?? []).map((ref) => [groupResource(toRef({ ...ref, name: '' })), ref]));
  return (target ? targetRefs(target) : []).map((ref) => {
    const { group, resource } = ref;
    const earlier = before.get(groupResource(ref));
    const desiredConfig = asTold(configOf(ref), earlier?.desiredConfig);
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

/** Of what this manager never read another one may have told the digest. */
function asTold(config: ConfigSpecHash, told: InstallConfigReference['desiredConfig']): ConfigSpecHash {
  const isSame = config.specHash === '' && told?.name === config.name && told.namespace === config.namespace;
  return isSame ? { ...config, specHash: told.specHash ?? '' } : config;
}
