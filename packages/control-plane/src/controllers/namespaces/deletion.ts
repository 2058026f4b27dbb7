import { type Condition, type ConditionInput, type Kind, type KubeObject, setCondition } from '@outrigger/core';

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

/** The remaining objects of one resource in a namespace that is being deleted. */
export interface Remains {
  readonly kind: Kind;
  readonly objects: readonly KubeObject[];
}

/** The finalizer that a namespace keeps until its content is deleted. */
export const CONTENT_FINALIZER = 'kubernetes';

/** Returns the conditions that kubectl shows while a namespace cannot be removed: which objects remain, and which finalizers block them. */
export function deletionConditions(old: readonly Condition[], remains: readonly Remains[], now: string): readonly Condition[] {
  return [
    { type: 'NamespaceDeletionDiscoveryFailure', ...fine('ResourcesDiscovered', 'All resources successfully discovered') },
    { type: 'NamespaceDeletionGroupVersionParsingFailure', ...fine('ParsedGroupVersions', 'All legacy kube types successfully parsed') },
    {
      type: 'NamespaceDeletionContentFailure',
      ...fine('ContentDeleted', 'All content successfully deleted, may be waiting on finalization'),
    },
    { type: 'NamespaceContentRemaining', ...content(remains) },
    { type: 'NamespaceFinalizersRemaining', ...finalizers(remains) },
  ].reduce<readonly Condition[]>((list, next) => withCondition(list, next, now), old);
}

type Outcome = Omit<ConditionInput, 'type'>;

function fine(reason: string, message: string): Outcome {
  return { status: 'False', reason, message };
}

function content(remains: readonly Remains[]): Outcome {
  if (remains.length === 0) return fine('ContentRemoved', 'All content successfully removed');
  const list = remains.map(({ kind, objects }) => `${kind.plural}.${kind.group} has ${objects.length} resource instances`).sort();
  return { status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list.join(', ')}` };
}

function finalizers(remains: readonly Remains[]): Outcome {
  const counts = new Map<string, number>();
  for (const { metadata } of remains.flatMap(({ objects }) => objects)) {
    for (const name of metadata.finalizers ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  if (counts.size === 0) return fine('ContentHasNoFinalizers', 'All content-preserving finalizers finished');
  const list = [...counts].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  return {
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message: `Some content in the namespace has finalizers remaining: ${list.join(', ')}`,
  };
}

/** Sets a condition without observedGeneration, which Namespace conditions do not have. */
function withCondition(list: readonly Condition[], next: ConditionInput, now: string): readonly Condition[] {
  const old = list.find(({ type }) => type === next.type);
  if (old?.status === next.status && old.reason === next.reason && old.message === next.message) return list;
  return setCondition(list, next, { generation: 0, now }).map(({ observedGeneration: _, ...condition }) => condition);
}
