import type { AddOnTemplate, ManagedCluster, ManagedClusterAddOn } from '@outrigger/api';
import { type Condition, type KubeObject, findCondition, parseTime } from '@outrigger/core';
import { type AddOnRecord as ObservedAddOn, projectAddOn } from '@outrigger/rules/observed';
import { isPersons } from '@outrigger/rules/strategy';

/** Returns the one stored instance of an equal value, so that the many equal reports of a fleet take the memory of one. */
export type Share = <T>(value: T) => T;

/** The part of a condition that the cells show; the time is left out so that equal reports are shared. */
export interface ReportedCondition {
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** The report of an add-on on one cluster, without times. */
export interface Report {
  readonly available?: ReportedCondition;
  readonly degraded?: ReportedCondition;
  readonly progressing?: ReportedCondition;
  readonly configured?: ReportedCondition;
  readonly manifestApplied?: ReportedCondition;
  readonly registrationApplied?: ReportedCondition;
  readonly certificateRotated?: ReportedCondition;
  readonly version: string;
  /** The version that a person chose for this cluster; `''` if it follows the fleet. */
  readonly ownVersion: string;
  readonly isDeleting: boolean;
  /** The hub's projection, for the hub's rules; without the fields that differ from cluster to cluster. */
  readonly observed: ObservedAddOn;
  /** The configurations in use with their digests, as text. */
  readonly configs: string;
}

/** One add-on on one cluster: a shared report and the time of its last change. Two words and two numbers per cell. */
export interface AddOnRecord {
  readonly report: Report;
  /** Wall time of the last transition of Progressing or Available. */
  readonly since: number;
}

export function addOnRecord(addOn: ManagedClusterAddOn, share: Share): AddOnRecord {
  const { metadata, spec, status = {} } = addOn;
  const { conditions } = status;
  const reported = (name: string, type: string): object => {
    const found = findCondition(conditions, type);
    return found ? { [name]: { status: found.status, reason: found.reason, message: found.message } } : {};
  };
  const observed = projectAddOn(addOn, (value) => value);
  const report: Report = {
    ...reported('available', 'Available'),
    ...reported('degraded', 'Degraded'),
    ...reported('progressing', 'Progressing'),
    ...reported('configured', 'Configured'),
    ...reported('manifestApplied', 'ManifestApplied'),
    ...reported('registrationApplied', 'RegistrationApplied'),
    ...reported('certificateRotated', 'ClusterCertificateRotated'),
    version: status.currentVersion ?? '',
    ownVersion: isPersons(observed, 'installVersion') ? (spec.installVersion ?? '') : '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    observed: alike(observed),
    configs: (status.configReferences ?? [])
      .map(
        ({ group = '', resource, desiredConfig }) => `${group}/${resource}/${desiredConfig?.name ?? ''}@${desiredConfig?.specHash ?? ''}`,
      )
      .join(' '),
  };
  const times = ['Progressing', 'Available'].map((type) => parseTime(findCondition(conditions, type)?.lastTransitionTime) ?? 0);
  return { report: share(report), since: Math.max(...times) };
}

/** The projection without what makes it another one on each cluster, so that a fleet shares a few of them. */
function alike(addOn: ObservedAddOn): ObservedAddOn {
  return {
    ...addOn,
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

/** The cluster with the fields that views and explanations read. */
export function clusterRecord({ apiVersion, kind, metadata, spec, status }: ManagedCluster, share: Share): ManagedCluster {
  const { name = '', uid, creationTimestamp, deletionTimestamp, labels = {}, annotations = {} } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      labels: share(labels),
      annotations: share(annotations),
      ...(uid === undefined ? {} : { uid }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      ...(spec.hubAcceptsClient === undefined ? {} : { hubAcceptsClient: spec.hubAcceptsClient }),
      ...(spec.taints === undefined ? {} : { taints: share(spec.taints) }),
    },
    ...(status === undefined ? {} : { status: clusterStatus(status, share) }),
  };
}

function clusterStatus(status: NonNullable<ManagedCluster['status']>, share: Share): NonNullable<ManagedCluster['status']> {
  const { conditions, version, clusterClaims } = status;
  return {
    ...(conditions === undefined ? {} : { conditions }),
    ...(version === undefined ? {} : { version: share(version) }),
    ...(clusterClaims === undefined ? {} : { clusterClaims: share(clusterClaims) }),
  };
}

/** A template without its manifests. */
export interface TemplateRecord {
  readonly name: string;
  readonly addOn: string;
  readonly version: string;
  readonly registration: NonNullable<AddOnTemplate['spec']['registration']>;
}

/** The object without the record of field managers, which no view shows. */
export function withoutManagers<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
