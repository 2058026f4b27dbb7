import {
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  PRE_DELETE_MANIFESTS_ANNOTATION,
  REVISION_ANNOTATION,
  type AddOnConfig,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  managedClusterAddOns,
} from '@outrigger/api';
import { type ManagedFieldsEntry, type OwnerReference, isJsonObject, parseTime } from '@outrigger/core';
import type { Intern, Projected, Resource } from '@outrigger/kube';
import { isTemplate, refKey, toRef } from '../configuration/references.js';
import { installedSpec } from '../strategy/mark.js';
import { type AddOnReport, reportOf } from './add-on-report.js';
import { HUB, base, generationOf, isDeleting } from './base.js';

/** A ManagedClusterAddOn: its namespace is the cluster, its name that of the declaration. */
export interface AddOnRecord extends Projected {
  readonly generation: number;
  readonly createdAt: number;
  readonly isDeleting: boolean;
  readonly deletedAt: number | undefined;
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
  /** The installer's mark: digest of the fields it last applied. Absent on what a person made. */
  readonly installedSpec: string | undefined;
  /** The rendered manifests that run before it is removed, as JSON. */
  readonly preDeleteManifests: string | undefined;
  /** The revision the hub has given its cluster by name; undefined where it never did. */
  readonly revision: number | undefined;
  readonly spec: AddOnSpecRecord;
  readonly owners: FieldOwners;
  readonly status: ManagedClusterAddOnStatus;
  readonly report: AddOnReport;
}

export interface AddOnSpecRecord {
  readonly installNamespace: string | undefined;
  readonly installVersion: string | undefined;
  readonly configs: readonly AddOnConfig[] | undefined;
}

/** Who owns each field the installer may write, its mark among them. */
export type FieldOwners = Readonly<Record<keyof AddOnSpecRecord | 'mark', FieldOwner>>;
export interface FieldOwner {
  readonly installer: boolean;
  /** The installer owns it from a plain write (its create), which a server-side apply neither sees as its own nor lets go of. */
  readonly byUpdate: boolean;
  /** Somebody wrote the object whole, the installer's mark included: a backup was restored, which is nobody's decision about the field. */
  readonly restorer: boolean;
  readonly others: boolean;
}

export const addOns: Resource<AddOnRecord> = {
  name: 'add-ons',
  api: HUB,
  kind: managedClusterAddOns,
  project(object, intern) {
    const addOn = object as ManagedClusterAddOn;
    const { metadata, spec } = addOn;
    const { key, uid, resourceVersion } = base(addOn, intern);
    // Listed one by one: a literal with a spread in it is laid out so that every read takes a detour, and there are many of these.
    return {
      key,
      uid,
      resourceVersion,
      generation: generationOf(addOn),
      createdAt: parseTime(metadata.creationTimestamp) ?? 0,
      isDeleting: isDeleting(addOn),
      deletedAt: parseTime(metadata.deletionTimestamp),
      finalizers: intern(metadata.finalizers ?? []),
      ownerReferences: intern(metadata.ownerReferences ?? []),
      installedSpec: intern(metadata.annotations?.[INSTALLED_SPEC_ANNOTATION]),
      preDeleteManifests: intern(metadata.annotations?.[PRE_DELETE_MANIFESTS_ANNOTATION]),
      revision: revisionOf(metadata.annotations?.[REVISION_ANNOTATION]),
      // An empty version asks for none, as clients that send every field mean it.
      spec: intern({ installNamespace: spec.installNamespace, installVersion: spec.installVersion || undefined, configs: spec.configs }),
      owners: intern(fieldOwners(metadata.managedFields ?? [])),
      status: sharedStatus(addOn.status ?? {}, intern),
      report: intern(reportOf(addOn.status ?? {})),
    };
  },
  indexes: {
    addOn: ({ key }) => [key.name],
    cluster: ({ key }) => [key.namespace ?? ''],
    /** `group/resource/namespace/name` of what its own spec refers to. */
    config: ({ spec }) => (spec.configs ?? []).map((ref) => refKey(toRef(ref))),
    /** Its name, where its own spec references a template. */
    choosesTemplate: ({ key, spec }) => ((spec.configs ?? []).some((ref) => isTemplate(toRef(ref))) ? [key.name] : []),
  },
};

function revisionOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The parts of a status repeat across a fleet; each is shared by content on its own. */
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
    const foreign = holders.filter(({ manager }) => manager !== INSTALLER_FIELD_MANAGER);
    const restorers = foreign.filter((entry) => owns(entry, ...MARK_PATH));
    return {
      installer: own.length > 0,
      byUpdate: own.some(({ operation }) => operation === 'Update'),
      restorer: restorers.length > 0,
      others: restorers.length < foreign.length,
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

/** Whether a person, not the installer, decides this field: set by somebody else, or on an add-on the installer did not make. */
export function isPersons(addOn: AddOnRecord, field: keyof AddOnSpecRecord): boolean {
  if (addOn.spec[field] === undefined) return false;
  if (addOn.installedSpec === undefined) return true;
  const { installer, others } = addOn.owners[field];
  return others || (!installer && !isRestored(addOn));
}

/**
 * Whether the installer's ownership was lost without an edit: a backup was restored, which keeps the mark and the fields but names another
 * manager. Then the fields still are what the mark says.
 */
export function isRestored({ installedSpec: mark, owners: { installVersion, configs }, spec }: AddOnRecord): boolean {
  if (mark === undefined || installVersion.installer || configs.installer || installVersion.others || configs.others) return false;
  return (installVersion.restorer || configs.restorer) && mark === installedSpec(spec);
}
