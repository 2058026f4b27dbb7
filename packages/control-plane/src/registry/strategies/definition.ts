import { deepEqual, type KubeObject } from '@outrigger/core';
import { CLEANUP_FINALIZER, type Definition, type DefinitionCondition, type DefinitionNames } from '../crd/definition.js';
import { ensureFields, type Draft } from '../draft.js';
import type { Strategy } from '../resource.js';

/** A definition is accepted and established by the write that stores it: its resources are served when the answer arrives. */
export const definitionStrategy: Strategy = {
  hasGeneration: true,
  setDefaults(draft) {
    const names = ensureFields(ensureFields(draft, 'spec'), 'names');
    const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
    names['singular'] ??= kind.toLowerCase();
    names['listKind'] ??= `${kind}List`;
    ensureFields(draft, 'spec')['conversion'] ??= { strategy: 'None' };
  },
  prepareForCreate(draft, { now }) {
    draft['status'] = statusOf(asDefinition(draft), undefined, now);
  },
  prepareForUpdate(draft, old, subresource, { now }) {
    if (subresource === '') draft['status'] = statusOf(asDefinition(draft), (old as Definition).status, now);
  },
  markDeleting(draft, { now }) {
    const finalizers = draft.metadata.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) draft.metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
    const status = ensureFields(draft, 'status');
    const pending: DefinitionCondition = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      lastTransitionTime: now,
    };
    status['conditions'] = [...((status['conditions'] as DefinitionCondition[] | undefined) ?? []), pending];
  },
};

function asDefinition(draft: Draft): Definition {
  return draft as unknown as KubeObject as Definition;
}

function statusOf({ spec }: Definition, old: Definition['status'], now: string): object {
  const { plural, kind, ...optional } = spec.names;
  const acceptedNames: DefinitionNames = { plural, kind, ...optional };
  const storage = spec.versions.find((version) => version.storage)?.name;
  const stored = old?.storedVersions ?? [];
  const conditions = [
    condition(old, { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }, now),
    condition(old, { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }, now),
    ...(old?.conditions ?? []).filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
  ];
  return { conditions, acceptedNames, storedVersions: storage === undefined || stored.includes(storage) ? stored : [...stored, storage] };
}

function condition(old: Definition['status'], next: Omit<DefinitionCondition, 'lastTransitionTime'>, now: string): DefinitionCondition {
  const before = old?.conditions?.find(({ type }) => type === next.type);
  const { lastTransitionTime, ...rest } = before ?? { lastTransitionTime: now };
  return deepEqual(rest, next) || before?.status === next.status ? { ...next, lastTransitionTime } : { ...next, lastTransitionTime: now };
}
