import type { AddOnTemplate, ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { type Condition, type Intern, type KubeObject, findCondition, isJsonObject, parseTime, toTime } from '@outrigger/core';
import { type AddOnProjection, projectAddOn } from '@outrigger/rules/observed';
import { isUserOwned } from '@outrigger/rules/strategy';
import { isUnrendered } from '@outrigger/rules/why';

/** The part of a condition that the cells show. The time is left out, so that clusters with equal reports share one object. */
export interface ReportedCondition {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** The report of an add-on on one cluster, without timestamps. */
export interface Report {
  readonly available?: ReportedCondition;
  readonly degraded?: ReportedCondition;
  readonly progressing?: ReportedCondition;
  readonly configured?: ReportedCondition;
  readonly manifestApplied?: ReportedCondition;
  readonly registrationApplied?: ReportedCondition;
  readonly certificateRotated?: ReportedCondition;
  readonly version: string;
  /** The version that a user set for this cluster; `''` if the add-on follows the fleet's settings. */
  readonly ownVersion: string;
  readonly isDeleting: boolean;
  /** Whether no manager renders the add-on. */
  readonly isUnrendered: boolean;
  /** The hub's projection of the add-on, without the fields that differ between clusters. It is an input of the hub's rules. */
  readonly observed: AddOnProjection;
  /** The configurations in use with their digests, as text. */
  readonly configs: string;
}

/**
 * One add-on on one cluster: a report that clusters share, and the times that differ between clusters. Times are in milliseconds since the
 * epoch; 0 if a time is not known.
 */
export interface ReportedAddOn {
  readonly report: Report;
  readonly createdAt: number;
  /** The time of the last transition of Progressing. */
  readonly progressingAt: number;
  /** The time of the last transition of Available. */
  readonly availableAt: number;
}

/** The time of the last transition of Progressing or Available; 0 if both are unknown. */
export function lastChange({ progressingAt, availableAt }: ReportedAddOn): number {
  return Math.max(progressingAt, availableAt);
}

/** Returns the add-on in the form that the hub's rules use: the shared projection with the fields of this cluster. */
export function observedAddOn(reported: ReportedAddOn, cluster: string, name: string): AddOnProjection {
  const { report, createdAt, progressingAt, availableAt } = reported;
  const condition = (type: string, found: ReportedCondition | undefined, at: number): readonly Condition[] =>
    found === undefined ? [] : [{ type, ...found, lastTransitionTime: toTime(at) }];
  return {
    ...report.observed,
    key: { namespace: cluster, name },
    createdAt,
    isDeleting: report.isDeleting,
    status: {
      conditions: [
        ...condition('Progressing', report.progressing, progressingAt),
        ...condition('Available', report.available, availableAt),
      ],
    },
  };
}

export function reportedAddOn(clusterAddOn: ManagedClusterAddOn, intern: Intern): ReportedAddOn {
  const { metadata, spec, status = {} } = clusterAddOn;
  const { conditions } = status;
  const reported = (name: string, type: string): object => {
    const found = findCondition(conditions, type);
    return found ? { [name]: { status: found.status, reason: found.reason, message: found.message } } : {};
  };
  const observed = projectAddOn(clusterAddOn, (value) => value);
  const report: Report = {
    ...reported('available', 'Available'),
    ...reported('degraded', 'Degraded'),
    ...reported('progressing', 'Progressing'),
    ...reported('configured', 'Configured'),
    ...reported('manifestApplied', 'ManifestApplied'),
    ...reported('registrationApplied', 'RegistrationApplied'),
    ...reported('certificateRotated', 'ClusterCertificateRotated'),
    version: status.currentVersion ?? '',
    ownVersion: isUserOwned(observed, 'installVersion') ? (spec.installVersion ?? '') : '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    isUnrendered: isUnrendered(clusterAddOn),
    observed: alike(observed),
    configs: (status.configReferences ?? [])
      .map(
        ({ group = '', resource, desiredConfig }) => `${group}/${resource}/${desiredConfig?.name ?? ''}@${desiredConfig?.specHash ?? ''}`,
      )
      .join(' '),
  };
  const changedAt = (type: string): number => parseTime(findCondition(conditions, type)?.lastTransitionTime) ?? 0;
  return {
    report: intern(report),
    createdAt: parseTime(metadata.creationTimestamp) ?? 0,
    progressingAt: changedAt('Progressing'),
    availableAt: changedAt('Available'),
  };
}

/** The projection without the fields that differ between clusters, so that many clusters share one value. */
function alike(clusterAddOn: AddOnProjection): AddOnProjection {
  return {
    ...clusterAddOn,
    key: { name: '' },
    uid: '',
    resourceVersion: '',
    generation: 0,
    createdAt: 0,
    deletedAt: undefined,
    finalizers: [],
    ownerReferences: [],
    preDeleteManifests: undefined,
    status: {},
  };
}

/** Returns the fields of the cluster that views and explanations read. */
export function reducedCluster({ apiVersion, kind, metadata, spec, status }: ManagedCluster, intern: Intern): ManagedCluster {
  const { name = '', uid, creationTimestamp, deletionTimestamp, labels = {}, annotations = {} } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      labels: intern(labels),
      annotations: intern(annotations),
      ...(uid === undefined ? {} : { uid }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      ...(spec.hubAcceptsClient === undefined ? {} : { hubAcceptsClient: spec.hubAcceptsClient }),
      ...(spec.taints === undefined ? {} : { taints: intern(spec.taints) }),
    },
    ...(status === undefined ? {} : { status: clusterStatus(status, intern) }),
  };
}

function clusterStatus(status: NonNullable<ManagedCluster['status']>, intern: Intern): NonNullable<ManagedCluster['status']> {
  const { conditions, version, clusterClaims } = status;
  return {
    ...(conditions === undefined ? {} : { conditions }),
    ...(version === undefined ? {} : { version: intern(version) }),
    ...(clusterClaims === undefined ? {} : { clusterClaims: intern(clusterClaims) }),
  };
}

/** A template without its manifests. */
export interface TemplateSummary {
  readonly name: string;
  readonly addOn: string;
  readonly version: string;
  readonly registration: NonNullable<AddOnTemplate['spec']['registration']>;
}

/** The times at which the fields that users set in a rollout's spec were last written, according to managedFields. */
export interface SteeringTimes {
  readonly paused?: string;
  /** The time at which `pinnedRevision` or `pinnedEntries` was last written. */
  readonly pinned?: string;
}

export function steeringTimes({ metadata }: KubeObject): SteeringTimes {
  const writtenAt = (...fields: readonly string[]): string | undefined =>
    metadata.managedFields?.findLast(({ fieldsV1 }) => {
      const spec = fieldsV1?.['f:spec'];
      return isJsonObject(spec) && fields.some((field) => Object.hasOwn(spec, `f:${field}`));
    })?.time;
  const [paused, pinned] = [writtenAt('paused'), writtenAt('pinnedRevision', 'pinnedEntries')];
  return { ...(paused === undefined ? {} : { paused }), ...(pinned === undefined ? {} : { pinned }) };
}
