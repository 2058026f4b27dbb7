import { isJsonObject, type AdmissionRequest, parseTime } from '@outrigger/core';
import { CLUSTER_SET_LABEL, DEFAULT_CLUSTER_SET } from '../constants.js';
import { CLUSTER_GROUP } from '../groups.js';
import { capLifetime } from './certificate-lifetime.js';
import { isClusterIdentity } from './cluster-identity.js';
import { type KeptMetadata, keepHubMetadata } from './cluster-own-changes.js';
import { ALLOWED, badRequest } from './result.js';
import { stampSpecChange } from './spec-changes.js';
import type { AdmissionResult, AdmissionSettings, JsonPatchOperation, Refused } from './types.js';

/** A taint whose schema has not been checked yet. */
interface RawTaint {
  readonly key?: unknown;
  readonly value?: unknown;
  readonly effect?: unknown;
  readonly timeAdded?: unknown;
}

export type MutationSettings = Pick<
  AdmissionSettings,
  'agentLabelPrefixes' | 'bootstrapUsers' | 'bootstrapGroups' | 'maxCertificateSeconds' | 'followsOtherWebhooks'
>;

/**
 * Changes objects before their schemas are checked. Sets the time of a ManagedCluster's taints, the default cluster set, the lifetime of a
 * certificate, and the user who changed the spec of an AddOnRollout. Restores labels and annotations that a cluster may not write on its
 * own ManagedCluster. Malformed objects are passed on, because the schema check rejects them.
 */
export function mutate(request: AdmissionRequest, now: string, settings: MutationSettings = {}): AdmissionResult {
  const lifetime = capLifetime(request, settings);
  const patch = [...lifetime, ...stampSpecChange(request)];
  return patch.length > 0 ? { allowed: true, patch } : mutateCluster(request, now, settings);
}

function mutateCluster(request: AdmissionRequest, now: string, settings: MutationSettings): AdmissionResult {
  const { kind, object, oldObject, operation, subResource, userInfo } = request;
  if (!object || subResource || operation === 'DELETE' || kind.group !== CLUSTER_GROUP || kind.kind !== 'ManagedCluster') return ALLOWED;
  const taints = taintsOf(object);
  const before = taintsOf(oldObject);
  const refused = refusedTime(taints, before, settings.followsOtherWebhooks === true ? now : undefined);
  if (refused) return refused;
  const kept = isClusterIdentity(userInfo, settings) ? keepHubMetadata(object, oldObject, settings) : NOTHING_KEPT;
  const labels = kept.patch.some(({ path }) => path === '/metadata/labels') ? kept.labels : object.metadata.labels;
  const patch = [...kept.patch, ...stampTaints(taints, before, now), ...defaultSet(labels)];
  if (patch.length === 0) return ALLOWED;
  return { allowed: true, patch, ...(kept.warnings.length > 0 ? { warnings: kept.warnings } : {}) };
}

const NOTHING_KEPT: KeptMetadata = { labels: {}, patch: [], warnings: [] };

function taintsOf(object: unknown): readonly RawTaint[] {
  const spec = isJsonObject(object) ? object['spec'] : undefined;
  const taints = isJsonObject(spec) ? spec['taints'] : undefined;
  if (!Array.isArray(taints) || !taints.every(isJsonObject)) return [];
  // Clients that are written in Go send null for a time that is not set.
  return taints.map((taint: RawTaint) => (taint.timeAdded === null ? { ...taint, timeAdded: undefined } : taint));
}

/**
 * Rejects a taint whose time the hub did not set, because timed tolerations count from this time. A writer may send back the time that the
 * hub set, even if the value or effect of the taint changes. `stampedAt` is set if a webhook of another program may have set the time of a
 * new taint just before; such a time is accepted, and `stampTaints` replaces it with the same instant on our clock.
 */
function refusedTime(taints: readonly RawTaint[], before: readonly RawTaint[], stampedAt: string | undefined): Refused | undefined {
  const index = taints.findIndex(
    ({ key, timeAdded }) =>
      timeAdded !== undefined &&
      !before.some((taint) => taint.key === key && taint.timeAdded === timeAdded) &&
      !(stampedAt !== undefined && isCloseTo(timeAdded, stampedAt)),
  );
  return index < 0 ? undefined : badRequest(`spec.taints[${index}].timeAdded: is set by the hub, leave it out`);
}

/** The maximum difference between the clocks of two webhooks, and the maximum time between their calls, together. */
const STAMP_TOLERANCE_MS = 30_000;

function isCloseTo(time: unknown, now: string): boolean {
  const at = typeof time === 'string' ? parseTime(time) : undefined;
  return at !== undefined && Math.abs(at - (parseTime(now) ?? Number.NaN)) <= STAMP_TOLERANCE_MS;
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
