import { NOT_READY_REASON } from '@outrigger/api';
import { type JsonObject, objectOrEmpty } from '@outrigger/core';
import { groupKind, groupOf, type ResourceIdentifier } from '../manifests/workloads.js';
import type { WorkloadFeedback } from './work-projection.js';
import { WORKLOAD_KINDS, type WorkloadKind } from './workload-kinds.js';

/** The key of a workload: `resource/namespace/name`. */
export function workloadKey({ resource, namespace, name }: Omit<ResourceIdentifier, 'group'>): string {
  return `${resource}/${namespace}/${name}`;
}

/** A manifest that describes a workload whose health the hub can evaluate. */
export interface Probe {
  readonly id: ResourceIdentifier;
  readonly kind: WorkloadKind;
  /** Whether the manifest scales the workload to zero. Such a workload runs no pods, so it is not probed. */
  readonly isIdle: boolean;
}

export function probesOf(manifests: readonly JsonObject[]): readonly Probe[] {
  return manifests.flatMap((manifest) => {
    const kind = rowOf(groupKind(manifest));
    if (!kind) return [];
    const spec = objectOrEmpty(manifest['spec']);
    const metadata = objectOrEmpty(manifest['metadata']);
    const id = {
      group: groupOf(manifest),
      resource: kind.resource,
      namespace: String(metadata['namespace'] ?? ''),
      name: String(metadata['name'] ?? ''),
    };
    return [{ id, kind, isIdle: spec['replicas'] === 0 }];
  });
}

/** The feedback rules that request the values for `isRolledOut` and `isHealthy`. */
export function feedbackRules({ kind }: Pick<Probe, 'kind'>): readonly JsonObject[] {
  const paths: JsonObject = { type: 'JSONPaths', jsonPaths: kind.paths.map(({ name, path }) => ({ name, path })) };
  return kind.hasWellKnownStatus ? [{ type: 'WellKnownStatus' }, paths] : [paths];
}

export interface WorkloadVerdict {
  readonly id: ResourceIdentifier;
  readonly isRolledOut: boolean;
  readonly isHealthy: boolean | undefined;
  readonly hasMissedDeadline: boolean;
  /** The reason that the agent reports for a workload that is not ready; empty if it reports none. */
  readonly notReadyReason: string;
}

/** Reads the feedback of a workload; undefined for a resource that is not in the table. */
export function verdictOf(feedback: WorkloadFeedback): WorkloadVerdict | undefined {
  const kind = kindOfResource(feedback);
  if (!kind) return undefined;
  const { values, ...id } = feedback;
  return {
    id,
    isRolledOut: kind.isRolledOut(values),
    isHealthy: kind.isHealthy(values),
    hasMissedDeadline: kind.hasMissedDeadline(values),
    notReadyReason: String(values[NOT_READY_REASON] ?? ''),
  };
}

function kindOfResource({ group, resource }: Pick<ResourceIdentifier, 'group' | 'resource'>): WorkloadKind | undefined {
  for (const [name, kind] of Object.entries(WORKLOAD_KINDS)) if (kind.resource === resource && name.startsWith(`${group}/`)) return kind;
  return undefined;
}

function rowOf(name: string): WorkloadKind | undefined {
  return Object.hasOwn(WORKLOAD_KINDS, name) ? WORKLOAD_KINDS[name] : undefined;
}
