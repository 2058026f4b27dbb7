import { type AppliedResource, appliedManifestWorks } from '@outrigger/api';
import { deepEqual } from '@outrigger/core';
import { type ApiAction, objectId } from '@outrigger/kube';
import { patchObservedStatus } from '../../observed-actions.js';
import { CLUSTER } from '../../resources/apis.js';
import type { AppliedWorkProjection } from '../../resources/applied-works.js';
import type { Verdict } from '../verdict.js';
import { resourceOf } from '../refs.js';
import type { ManifestState, WritableWork } from '../state.js';
import { releaseOf } from './release.js';

/**
 * Returns the list of objects that the work has created, or is about to create, on the cluster. An object is listed before it is created,
 * so that a crash cannot leave an unlisted object; its uid is added once it exists.
 */
export function appliedResources(state: WritableWork, verdicts: readonly Verdict[]): readonly AppliedResource[] {
  const { appliedWork, leftovers } = state;
  const listed = new Map(appliedWork.resources.map((resource) => [idOfResource(resource), resource]));
  const wanted = state.manifests.flatMap((manifest, index) => wantedResource(manifest, verdicts[index], listed));
  const leaving = leftovers.flatMap((leftover) => {
    if (releaseOf(leftover, appliedWork.uid).type === 'forget') return [];
    return [listed.get(objectId(leftover.ref)) ?? resourceOf(leftover.ref, leftover.uid)];
  });
  const unserved = state.manifests.filter(({ ref }) => !ref);
  const claimed = appliedWork.resources.filter((resource) => unserved.some((manifest) => isClaimed(resource, manifest)));
  return sorted([...wanted, ...leaving, ...claimed]);
}

function wantedResource(
  manifest: ManifestState,
  verdict: Verdict | undefined,
  listed: ReadonlyMap<string, AppliedResource>,
): AppliedResource[] {
  const { ref, live, treatment, duplicateOf, reading } = manifest;
  if (!ref || duplicateOf !== undefined || treatment.strategy.type === 'ReadOnly') return [];
  // The applied work must not reveal whether an object exists that the executor may not read. An object that was listed before stays
  // listed.
  if (reading !== 'allowed') return [listed.get(objectId(ref))].filter((resource) => resource !== undefined);
  if (live.state === 'present') return [resourceOf(ref, live.object.metadata.uid ?? '')];
  const before = listed.get(objectId(ref));
  if (live.state !== 'absent') return before ? [before] : [];
  return before || verdict?.type === 'write' ? [resourceOf(ref, '')] : [];
}

/**
 * Whether a listed resource may be the object of a manifest whose kind is not served now. If so, it is not a leftover, because objects must
 * not be deleted while an API is temporarily unavailable.
 */
export function isClaimed(resource: AppliedResource, { manifest }: Pick<ManifestState, 'manifest'>): boolean {
  const { apiVersion, metadata } = manifest.object;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return (resource.group ?? '') === group && resource.name === metadata.name && (resource.namespace ?? '') === (metadata.namespace ?? '');
}

export const APPLIED_RESOURCES_ACTION = 'applied-resources';

/** Returns the patch that sets the list of the applied work to `next`, or undefined if the list is unchanged. */
export function patchAppliedResources(appliedWork: AppliedWorkProjection, next: readonly AppliedResource[]): ApiAction | undefined {
  if (deepEqual(next, appliedWork.resources)) return undefined;
  return patchObservedStatus(appliedWork, CLUSTER, appliedManifestWorks, APPLIED_RESOURCES_ACTION, { appliedResources: next });
}

export function sorted(resources: readonly AppliedResource[]): readonly AppliedResource[] {
  return [...resources].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey({ group = '', version, resource, namespace = '', name }: AppliedResource): string {
  return [group, version, resource, namespace, name].join('\u0000');
}

export function idOfResource({ group = '', resource, namespace = '', name }: AppliedResource): string {
  return objectId({ kind: { group, version: '', kind: '', plural: resource, namespaced: namespace !== '' }, namespace, name });
}
