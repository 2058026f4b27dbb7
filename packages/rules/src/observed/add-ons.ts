import {
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  PRE_DELETE_MANIFESTS_ANNOTATION,
  REVISION_ANNOTATION,
  type AddOnConfig,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
} from '@outrigger/api';
import type { Intern, KubeObject, ManagedFieldsEntry, OwnerReference, Projected } from '@outrigger/core';
import { isJsonObject, parseTime } from '@outrigger/core';
import { type AddOnReport, reportOf } from './add-on-report.js';
import { base, generationOf, isDeleting } from './base.js';

/** A ManagedClusterAddOn: its namespace is the cluster, its name is that of the declaration. */
export interface AddOnProjection extends Projected {
  readonly generation: number;
  readonly createdAt: number;
  readonly isDeleting: boolean;
  readonly deletedAt: number | undefined;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
  /** The installer's mark: the digest of the fields it last applied. Undefined on an add-on that a user created. */
  readonly installedSpec: string | undefined;
  /** The rendered pre-delete hooks, as JSON. */
  readonly preDeleteManifests: string | undefined;
  /** The revision that the hub assigned to the cluster by name; undefined if the hub never assigned a revision. */
  readonly revision: number | undefined;
  readonly spec: AddOnSpecProjection;
  readonly owners: FieldOwners;
  readonly status: ManagedClusterAddOnStatus;
  readonly report: AddOnReport;
}

export interface AddOnSpecProjection {
  readonly installNamespace: string | undefined;
  readonly installVersion: string | undefined;
  readonly configs: readonly AddOnConfig[] | undefined;
}

/** The field managers of each field that the installer may write, including its mark. */
export type FieldOwners = Readonly<Record<keyof AddOnSpecProjection | 'mark', FieldOwner>>;
export interface FieldOwner {
  readonly installer: boolean;
  /**
   * Whether the installer owns the field with the operation Update, which the API server records for a create request. A later server-side
   * apply neither takes over nor removes that ownership.
   */
  readonly byUpdate: boolean;
  /**
   * Whether another writer wrote the field together with the whole object, including the installer's mark. This happens when a backup is
   * restored, and does not make the field an override.
   */
  readonly restorer: boolean;
  readonly others: boolean;
}

export function projectAddOn(object: KubeObject, intern: Intern): AddOnProjection {
  const clusterAddOn = object as ManagedClusterAddOn;
  const { metadata, spec } = clusterAddOn;
  const status = sharedStatus(clusterAddOn.status ?? {}, intern);
  return {
    generation: generationOf(clusterAddOn),
    createdAt: parseTime(metadata.creationTimestamp) ?? 0,
    isDeleting: isDeleting(clusterAddOn),
    deletedAt: parseTime(metadata.deletionTimestamp),
    finalizers: intern(metadata.finalizers ?? []),
    ownerReferences: intern(metadata.ownerReferences ?? []),
    installedSpec: intern(metadata.annotations?.[INSTALLED_SPEC_ANNOTATION]),
    preDeleteManifests: intern(metadata.annotations?.[PRE_DELETE_MANIFESTS_ANNOTATION]),
    revision: revisionOf(metadata.annotations?.[REVISION_ANNOTATION]),
    // Treat an empty version as absent, because some clients send every field.
    spec: intern({ installNamespace: spec.installNamespace, installVersion: spec.installVersion || undefined, configs: spec.configs }),
    owners: intern(fieldOwners(metadata.managedFields ?? [])),
    status,
    report: intern(reportOf(status)),
    ...base(clusterAddOn, intern),
  };
}

function revisionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Interns each part of a status separately, because many add-ons share parts of their status. */
function sharedStatus(status: ManagedClusterAddOnStatus, intern: Intern): ManagedClusterAddOnStatus {
  return {
    ...status,
    ...(status.conditions ? { conditions: status.conditions.map(intern) } : {}),
    ...(status.configReferences ? { configReferences: intern(status.configReferences) } : {}),
    ...(status.registrations ? { registrations: intern(status.registrations) } : {}),
    ...(status.supportedConfigs ? { supportedConfigs: intern(status.supportedConfigs) } : {}),
    ...(status.healthCheck ? { healthCheck: intern(status.healthCheck) } : {}),
  };
}

function fieldOwners(entries: readonly ManagedFieldsEntry[]): FieldOwners {
  const owner = (...path: readonly string[]): FieldOwner => {
    const holders = entries.filter((entry) => !entry.subresource && owns(entry, ...path));
    const own = holders.filter(({ manager }) => manager === INSTALLER_FIELD_MANAGER);
    const others = holders.filter(({ manager }) => manager !== INSTALLER_FIELD_MANAGER);
    const restorers = others.filter((entry) => owns(entry, ...MARK_PATH));
    return {
      installer: own.length > 0,
      byUpdate: own.some(({ operation }) => operation === 'Update'),
      restorer: restorers.length > 0,
      others: restorers.length < others.length,
    };
  };
  return {
    installNamespace: owner('f:spec', 'f:installNamespace'),
    installVersion: owner('f:spec', 'f:installVersion'),
    configs: owner('f:spec', 'f:configs'),
    mark: owner(...MARK_PATH),
  };
}

const MARK_PATH = ['f:metadata', 'f:annotations', `f:${INSTALLED_SPEC_ANNOTATION}`] as const;

function owns({ fieldsV1 }: ManagedFieldsEntry, ...path: readonly string[]): boolean {
  let at: unknown = fieldsV1;
  for (const step of path) at = isJsonObject(at) ? at[step] : undefined;
  return at !== undefined;
}
