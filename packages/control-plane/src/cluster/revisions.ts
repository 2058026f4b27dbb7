import { type KubeObject, compareText } from '@outrigger/core';
import { comparableTemplate } from './template.js';
import type { Workload } from './workload-status.js';

/** The annotation with a Deployment's revision number, which `kubectl rollout history` and `kubectl rollout undo` read. */
export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';
/** The annotation that lists the earlier revision numbers of a ReplicaSet. */
const REVISION_HISTORY_ANNOTATION = 'deployment.kubernetes.io/revision-history';

/** The annotations of a Deployment that its controller does not copy to the ReplicaSet. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
]);

export function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION_ANNOTATION] ?? 0);
}

/** Returns the ReplicaSet for the Deployment's current template. If several ReplicaSets have this template, returns the oldest one. */
export function replicaSetFor(deployment: Workload, replicaSets: readonly Workload[]): Workload | undefined {
  const wanted = comparableTemplate(deployment.spec?.template);
  const created = ({ metadata }: Workload): string => metadata.creationTimestamp ?? '';
  return replicaSets
    .filter(({ spec }) => comparableTemplate(spec?.template) === wanted)
    .sort((a, b) => compareText(created(a), created(b)))[0];
}

/**
 * Returns the annotations that the ReplicaSet of the current template must have: those of the Deployment, such as
 * `kubernetes.io/change-cause`, and the number of the newest revision. `kubectl rollout undo` copies the annotations of a ReplicaSet back
 * to the Deployment.
 */
export function replicaSetAnnotations(
  deployment: Workload,
  current: Workload | undefined,
  others: readonly Workload[],
): Readonly<Record<string, string>> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name));
  const annotations = { ...current?.metadata.annotations, ...Object.fromEntries(copied) };
  const newest = Math.max(0, ...others.map(revisionOf));
  const revision = current ? revisionOf(current) : 0;
  if (revision > newest) return annotations;
  const history = [annotations[REVISION_HISTORY_ANNOTATION], revision === 0 ? undefined : String(revision)].filter((part) => part);
  return {
    ...annotations,
    [REVISION_ANNOTATION]: String(newest + 1),
    ...(history.length === 0 ? {} : { [REVISION_HISTORY_ANNOTATION]: history.join(',') }),
  };
}
