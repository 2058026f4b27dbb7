import type { ManifestWork } from '@outrigger/api';
import { type JsonObject, guessPlural, parseApiVersion } from '@outrigger/core';

/** The feedback of a Deployment that is running. */
const RUNNING: Readonly<Record<string, number | string>> = {
  Generation: 1,
  ObservedGeneration: 1,
  DesiredReplicas: 1,
  Replicas: 1,
  ReadyReplicas: 1,
  AvailableReplicas: 1,
  UpdatedReplicas: 1,
  AvailableCondition: 'True',
};

/** Returns the status patch of an agent that has applied a work, or has failed to. */
export function reportOf(work: ManifestWork, now: string, isApplied: boolean): JsonObject {
  const observedGeneration = work.metadata.generation ?? 0;
  const status = isApplied ? 'True' : 'False';
  const condition = (type: string, reason: string): JsonObject => ({
    type,
    status,
    reason: isApplied ? reason : 'AppliedManifestWorkFailed',
    message: isApplied ? '' : 'Failed to apply manifest work',
    lastTransitionTime: now,
    observedGeneration,
  });
  const values = Object.entries(RUNNING).map(([name, value]) => ({
    name,
    fieldValue: typeof value === 'number' ? { type: 'Integer', integer: value } : { type: 'String', string: value },
  }));
  const manifests = (work.spec.workload?.manifests ?? []).map((manifest, ordinal): JsonObject => {
    const { apiVersion, kind, metadata } = manifest as unknown as {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly namespace?: string };
    };
    const { group, version } = parseApiVersion(apiVersion);
    return {
      resourceMeta: {
        ordinal,
        group,
        version,
        kind,
        resource: guessPlural(kind),
        name: metadata.name,
        namespace: metadata.namespace ?? '',
      },
      ...(isApplied && kind === 'Deployment' ? { statusFeedback: { values } } : {}),
      conditions: [{ type: 'Applied', status, reason: 'AppliedManifestComplete', message: '', lastTransitionTime: now }],
    };
  });
  return {
    status: {
      conditions: [condition('Applied', 'AppliedManifestWorkComplete'), condition('Available', 'ResourcesAvailable')],
      resourceStatus: { manifests },
    },
  };
}
