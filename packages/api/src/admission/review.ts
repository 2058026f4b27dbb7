import { type AdmissionRequest, type KubeObject, deepEqual } from '@outrigger/core';
import { convertObject } from '../conversion/convert.js';
import { V1ALPHA1 } from '../conversion/versions.js';
import { asWritten } from '../conversion/written-text.js';
import type { AddOnDeploymentConfig, AddOnTemplate, ClusterManagementAddOn, ManagedClusterAddOn } from '../generated/addon.js';
import type { ManagedCluster, ManagedClusterSetBinding } from '../generated/cluster.js';
import type { ManifestWork, ManifestWorkReplicaSet } from '../generated/work.js';
import type { RolloutPolicy } from '../generated/outrigger.js';
import { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP } from '../groups.js';
import { tooDeep } from '../template/strings.js';
import { reviewTemplate } from './add-on-template.js';
import { isClusterIdentity } from './cluster-identity.js';
import { reviewManagementAddOn, reviewManagementAddOnDeletion } from './cluster-management-add-on.js';
import { refusedChange } from './cluster-own-changes.js';
import { reviewDeploymentConfig } from './install-namespace.js';
import { reviewCluster, reviewClusterSetBinding } from './managed-cluster.js';
import { reviewAddOn, reviewAddOnDeletion } from './managed-cluster-add-on.js';
import { reviewReplicaSet, reviewWork } from './manifest-work.js';
import { ALLOWED, invalid } from './result.js';
import { reviewRolloutPolicy } from './rollout-policy.js';
import type { AdmissionLookup, AdmissionResult, AdmissionSettings } from './types.js';

const MAX_NESTING = 200;

/**
 * Applies the rules that schemas cannot express, because they depend on other objects or on the writer. It runs after the schema check, on
 * well-formed objects. Only the changes of an update are checked, so a violation that existed before never causes a rejection. Status is
 * not checked.
 */
export function review(request: AdmissionRequest, lookup: AdmissionLookup, settings: AdmissionSettings): AdmissionResult {
  if (request.subResource) return ALLOWED;
  if (request.operation === 'DELETE') return reviewDeletion(request, lookup);
  const result = reviewNesting(request) ?? written(reviewWrite(request, lookup, settings), request.object);
  if (!result.allowed || !settings.trustedUsers.includes(request.userInfo.username)) return result;
  const { requires: _, ...trusted } = result;
  return trusted;
}

/**
 * Rejects a spec that is nested deeper than `MAX_NESTING` levels, because such a spec could overflow the stack of recursive code. An update
 * that leaves such a spec unchanged is allowed without further rules, because the rules for kinds whose specs can be this deep check only
 * changes of the spec. No other part of an object can be as deep, except `metadata.managedFields`, which no rule reads.
 */
function reviewNesting({ object, oldObject }: AdmissionRequest): AdmissionResult | undefined {
  const spec = specOf(object);
  const path = tooDeep({ spec }, MAX_NESTING);
  if (path === undefined) return undefined;
  return deepEqual(spec, specOf(oldObject)) ? ALLOWED : invalid(path, `nested deeper than ${MAX_NESTING} levels`);
}

function specOf(object: KubeObject | null | undefined): unknown {
  return (object as { readonly spec?: unknown } | null | undefined)?.spec;
}

function reviewWrite(request: AdmissionRequest, lookup: AdmissionLookup, settings: AdmissionSettings): AdmissionResult {
  const { object, oldObject, userInfo } = request;
  if (!object) return ALLOWED;
  const { managerNamespace, checkMissingExecutor } = settings;
  const context = { user: userInfo, managerNamespace, checkMissingExecutor };
  switch (`${request.kind.group}/${request.kind.kind}`) {
    case `${ADDON_GROUP}/ClusterManagementAddOn`:
      return reviewManagementAddOn(stored(object), oldObject && stored<ClusterManagementAddOn>(oldObject), lookup, context);
    case `${ADDON_GROUP}/ManagedClusterAddOn`:
      return reviewAddOn(stored(object), oldObject && stored<ManagedClusterAddOn>(oldObject), lookup, context);
    case `${ADDON_GROUP}/AddOnTemplate`:
      return reviewTemplate(object as AddOnTemplate, oldObject as AddOnTemplate | undefined, lookup, context);
    case `${ADDON_GROUP}/AddOnDeploymentConfig`:
      return reviewDeploymentConfig(object as AddOnDeploymentConfig, oldObject as AddOnDeploymentConfig | undefined, lookup);
    case `${WORK_GROUP}/ManifestWork`:
      return reviewWork(object as ManifestWork, oldObject as ManifestWork | undefined, userInfo, settings);
    case `${WORK_GROUP}/ManifestWorkReplicaSet`:
      return reviewReplicaSet(object as ManifestWorkReplicaSet, oldObject as ManifestWorkReplicaSet | undefined, userInfo, settings);
    case `${CLUSTER_GROUP}/ManagedCluster`:
      return reviewOwnChange(request, settings) ?? reviewCluster(object as ManagedCluster, oldObject as ManagedCluster | undefined, lookup);
    case `${CLUSTER_GROUP}/ManagedClusterSetBinding`:
      return reviewClusterSetBinding(object as ManagedClusterSetBinding, oldObject as ManagedClusterSetBinding | undefined);
    case `${OUTRIGGER_GROUP}/RolloutPolicy`:
      return reviewRolloutPolicy(object as RolloutPolicy, oldObject as RolloutPolicy | undefined, settings);
    default:
      return ALLOWED;
  }
}

/** Returns the result with messages that use the field names of the version that the writer used. */
function written(result: AdmissionResult, object: KubeObject | undefined): AdmissionResult {
  const text = (message: string): string => asWritten(message, object?.apiVersion);
  if (!result.allowed) return { ...result, message: text(result.message) };
  const { warnings, requires } = result;
  return {
    ...result,
    ...(warnings ? { warnings: warnings.map(text) } : {}),
    ...(requires ? { requires: requires.map((check) => ({ ...check, denied: text(check.denied) })) } : {}),
  };
}

/** Reviews a write to a ManagedCluster by the cluster itself, which may change only some of the fields. */
function reviewOwnChange({ object, oldObject, userInfo }: AdmissionRequest, settings: AdmissionSettings): AdmissionResult | undefined {
  return isClusterIdentity(userInfo, settings) ? refusedChange(object, oldObject, settings) : undefined;
}

/** Converts an object to the stored version, because the rules read only that version. */
function stored<T extends KubeObject>(object: KubeObject): T {
  return convertObject(object, V1ALPHA1) as T;
}

function reviewDeletion(request: AdmissionRequest, lookup: AdmissionLookup): AdmissionResult {
  const { kind, name = '', namespace = '' } = request;
  if (kind.group !== ADDON_GROUP) return ALLOWED;
  if (kind.kind === 'ClusterManagementAddOn') return reviewManagementAddOnDeletion(name, lookup);
  if (kind.kind === 'ManagedClusterAddOn') return reviewAddOnDeletion(namespace, name, lookup);
  return ALLOWED;
}
