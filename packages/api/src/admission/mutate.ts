import { isJsonObject } from '@outrigger/core';
import { CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET } from '../constants.js';
import { CLUSTER_GROUP } from '../groups.js';
import { ALLOWED, badRequest } from './result.js';
import type { AdmissionRequest, AdmissionResult, JsonPatchOperation, Refused } from './types.js';

/** A taint as it came: nobody has checked its shape yet. */
interface RawTaint {
  readonly key?: unknown;
  readonly value?: unknown;
  readonly effect?: unknown;
  readonly timeAdded?: unknown;
}

/**
 * What the hub fills in before schemas are checked: since when a ManagedCluster has a taint, and the default cluster set.
 * Objects come as they were sent; what is malformed is left for the schema to name.
 */
export function mutate(request: AdmissionRequest, now: string): AdmissionResult {
  const { kind, object, oldObject, operation, subResource } = request;
  if (!object || subResource || operation === 'DELETE' || kind.group !== CLUSTER_GROUP || kind.kind !== 'ManagedCluster') return ALLOWED;
  const taints = taintsOf(object);
  const before = taintsOf(oldObject);
  const refused = foreignTime(taints, before);
  if (refused) return refused;
  const patch = [...stampTaints(taints, before, now), ...defaultSet(object.metadata.labels)];
  return patch.length > 0 ? { allowed: true, patch } : ALLOWED;
}

function taintsOf(object: unknown): readonly RawTaint[] {
  const spec = isJsonObject(object) ? object['spec'] : undefined;
  const taints = isJsonObject(spec) ? spec['taints'] : undefined;
  return Array.isArray(taints) && taints.every(isJsonObject) ? taints : [];
}

/**
 * The hub alone says since when a taint is there: tolerations for a time are counted from it. A writer may send back what it read,
 * also with a value or effect it has changed.
 */
function foreignTime(taints: readonly RawTaint[], before: readonly RawTaint[]): Refused | undefined {
  const index = taints.findIndex(
    ({ key, timeAdded }) => timeAdded !== undefined && !before.some((taint) => taint.key === key && taint.timeAdded === timeAdded),
  );
  return index < 0 ? undefined : badRequest(`spec.taints[${index}].timeAdded: is set by the hub, leave it out`);
}

function stampTaints(taints: readonly RawTaint[], before: readonly RawTaint[], now: string): readonly JsonPatchOperation[] {
  return taints.flatMap((taint, index): readonly JsonPatchOperation[] => {
    const same = before.find((other) => isSameTaint(other, taint));
    const value = same ? same.timeAdded : now;
    if (typeof value !== 'string' || value === taint.timeAdded) return [];
    return [{ op: taint.timeAdded === undefined ? 'add' : 'replace', path: `/spec/taints/${index}/timeAdded`, value }];
  });
}

function isSameTaint(a: RawTaint, b: RawTaint): boolean {
  return a.key === b.key && (a.value ?? '') === (b.value ?? '') && a.effect === b.effect;
}

function defaultSet(labels: Readonly<Record<string, string>> | undefined): readonly JsonPatchOperation[] {
  if (labels?.[CLUSTER_SET_LABEL]) return [];
  if (!labels) return [{ op: 'add', path: '/metadata/labels', value: { [CLUSTER_SET_LABEL]: DEFAULT_CLUSTER_SET } }];
  return [{ op: 'add', path: `/metadata/labels/${CLUSTER_SET_LABEL.replaceAll('/', '~1')}`, value: DEFAULT_CLUSTER_SET }];
}
