import { ADDON_NAME_LABEL, type ManifestWork, manifestWorks, preDeleteWorkName } from '@outrigger/api';
import { type JsonObject, type OwnerReference, apiVersionOf } from '@outrigger/core';
import type { WorkProjection } from './work-projection.js';
import { hookIdentifier, isHookComplete, isPreDeleteHook } from '../manifests/hooks.js';
import { identifier } from './manifest-configs.js';
import { isCurrent } from './report.js';

/** Builds the work that runs an add-on's pre-delete hooks and requests feedback on them. Undefined if the add-on has none. */
export function hookWork(input: {
  readonly addOnName: string;
  readonly cluster: string;
  readonly owner: OwnerReference;
  readonly manifests: readonly JsonObject[];
}): ManifestWork | undefined {
  const hooks = input.manifests.filter(isPreDeleteHook);
  if (hooks.length === 0) return undefined;
  return {
    apiVersion: apiVersionOf(manifestWorks),
    kind: manifestWorks.kind,
    metadata: {
      name: preDeleteWorkName(input.addOnName),
      namespace: input.cluster,
      labels: { [ADDON_NAME_LABEL]: input.addOnName },
      ownerReferences: [input.owner],
    },
    spec: {
      workload: { manifests: hooks },
      manifestConfigs: hooks.map((hook) => ({
        resourceIdentifier: identifier(hookIdentifier(hook)),
        feedbackRules: [{ type: 'WellKnownStatus' }],
      })),
    },
  } as unknown as ManifestWork;
}

/** Whether the work is available at its current generation, and every Job and Pod in it reports success. */
export function isHookDone(work: WorkProjection): boolean {
  const isAvailable = work.available?.status === 'True' && isCurrent(work, work.available);
  const complete = work.workloads.filter(({ resource, values }) => isHookComplete(resource, values));
  return isAvailable && work.manifestIds.length > 0 && complete.length >= work.manifestIds.length;
}
