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

/** The feedback of a Deployment without a ready pod. */
const STOPPED: Readonly<Record<string, number | string>> = {
  ...RUNNING,
  ReadyReplicas: 0,
  AvailableReplicas: 0,
  AvailableCondition: 'False',
};

/**
 * Returns the status patch of an agent that has applied a work. The patch reports that the Deployments in the work run, or that they have
 * stopped.
 */
export function reportOf(work: ManifestWork, now: string, isRunning: boolean): JsonObject {
  const observedGeneration = work.metadata.generation ?? 0;
  const status = 'True';
  const condition = (type: string, reason: string): JsonObject => ({
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: now,
    observedGeneration,
  });
  const values = Object.entries(isRunning ? RUNNING : STOPPED).map(([name, value]) => ({
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
      ...(kind === 'Deployment' ? { statusFeedback: { values } } : {}),
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
