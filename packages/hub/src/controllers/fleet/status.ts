import {
  type ClusterManagementAddOnStatus,
  DEPENDENCIES_VALID_MESSAGES,
  LABEL_SELECTOR_ENTRY,
  type ManagementCondition,
  type RolloutEntry,
  TARGETS_RESOLVED_MESSAGES,
  progressionMessage,
} from '@outrigger/api';
import { type Condition, type JsonObject, createMergePatch, setCondition } from '@outrigger/core';
import type { Now } from '@outrigger/kube';
import type { FleetState } from './state.js';

/** The status of a ClusterManagementAddOn: versions, how far each Placement has got, and whether its clusters are known. */
export function declarationStatus(
  state: FleetState,
  entries: readonly RolloutEntry[],
  conditions: readonly ManagementCondition[],
  now: Now,
): JsonObject | undefined {
  const { declaration, catalog } = state;
  const { status } = declaration;
  const at = { generation: declaration.generation, now: now.time };
  let list: readonly Condition[] = status.conditions ?? [];
  for (const condition of conditions) list = setCondition(list, condition, at);
  const byLabels = entries.find(({ name }) => name === LABEL_SELECTOR_ENTRY);
  if (byLabels) list = setCondition(list, progression(byLabels), at);

  const next: ClusterManagementAddOnStatus = {
    ...status,
    ...(catalog.supported.length > 0 || status.supportedVersions
      ? { supportedVersions: catalog.supported, defaultVersion: catalog.defaultVersion }
      : {}),
    ...(state.entries.some(({ entry }) => entry.source && 'placement' in entry.source) || status.installProgressions
      ? { installProgressions: progressions(state, entries, at) }
      : {}),
    conditions: list,
  };
  const patch = createMergePatch(status as unknown as JsonObject, next as unknown as JsonObject) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function progressions(
  state: FleetState,
  entries: readonly RolloutEntry[],
  at: { readonly generation: number; readonly now: string },
): NonNullable<ClusterManagementAddOnStatus['installProgressions']> {
  const before = new Map((state.declaration.status.installProgressions ?? []).map((entry) => [`${entry.namespace}/${entry.name}`, entry]));
  return state.entries.flatMap(({ entry }) => {
    if (!entry.source || !('placement' in entry.source)) return [];
    const [namespace = '', name = ''] = entry.source.placement.split('/');
    const step = entries.find((candidate) => candidate.name === entry.name);
    const old = before.get(entry.name);
    const conditions = step ? setCondition(old?.conditions ?? [], progression(step), at) : (old?.conditions ?? []);
    return [{ namespace, name, ...(old?.configReferences ? { configReferences: old.configReferences } : {}), conditions }];
  });
}

function progression(entry: RolloutEntry): Extract<ManagementCondition, { type: 'Progressing' }> {
  const { selected = 0, done = 0, progressing = 0, failed = 0, skipped = 0 } = entry;
  const message = progressionMessage({ selected, done, progressing, failed, skipped });
  if (entry.state === 'Halted') return { type: 'Progressing', status: 'False', reason: 'Failed', message };
  if (entry.state === 'Completed') return { type: 'Progressing', status: 'False', reason: 'Completed', message };
  return { type: 'Progressing', status: 'True', reason: 'Progressing', message };
}

export function targetsResolved(state: FleetState): ManagementCondition {
  const unknown = state.entries.map((entry) => entry.unknown).find((problem) => problem !== undefined);
  if (unknown) return { type: 'TargetsResolved', status: 'False', reason: unknown.reason, message: unknown.message };
  return { type: 'TargetsResolved', status: 'True', reason: 'AllResolved', message: TARGETS_RESOLVED_MESSAGES.allResolved };
}

export function dependenciesValid(cycle: readonly string[] | undefined): ManagementCondition {
  if (cycle) {
    return { type: 'DependenciesValid', status: 'False', reason: 'CircularDependency', message: DEPENDENCIES_VALID_MESSAGES.cycle(cycle) };
  }
  return { type: 'DependenciesValid', status: 'True', reason: 'NoCycle', message: DEPENDENCIES_VALID_MESSAGES.noCycle };
}
