import {
  type AddOnRollout,
  type AddOnTemplate,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManagedClusterAddOnSpec,
} from '@outrigger/api';
import { type Json, type KubeObject, type ManagedFieldsEntry, asJson, jsonPatch, mergePatch, nameOf } from '@outrigger/core';
import type { HubListing, PlannedChange } from '@outrigger/hub/planner';
import type { JsonPatchOperation } from '@outrigger/kube';
import { suggestion } from '@outrigger/rules/explanation';
import { CommandError, notFound } from '../failure.js';
import { versionOperations } from '../fleet/declared-version.js';
import { PIN_MANAGERS, type PinnedField } from '../fleet/pins.js';
import {
  failureRefusal,
  failureWarning,
  pinsFor,
  pinsWithout,
  type Restoration,
  restorations,
  type WayBackRequest,
} from '../fleet/revisions.js';
import { requireStayingAddOn, requireStayingCluster, requireStayingDeclaration } from '../fleet/staying.js';
import { templateOfVersion, templatesFor } from '../fleet/versions.js';
import { objectsOfFiles } from '../preview/input.js';
import { asStored } from '../preview/preview.js';

/**
 * Returns the change that `upgrade` makes: a new default version, or a new version for one entry. It also removes the pin of a rollback.
 */
export function versionChange(addOn: string, to: string | undefined, placement: string | undefined): PlannedChange {
  return attempt((hub) => {
    const managementAddOn = requireDeclaration(hub, addOn);
    requireStayingDeclaration(managementAddOn);
    const version = to === undefined ? undefined : { version: to, template: nameOf(requireVersion(hub, managementAddOn, to)) };
    const operations = versionOperations(managementAddOn, placement, version);
    const rollout = rolloutOf(hub, addOn);
    const isPinned = rollout?.spec?.pinnedRevision !== undefined || (rollout?.spec?.pinnedEntries ?? []).length > 0;
    const unpinned =
      rollout && isPinned && placement === undefined ? [withSpec(rollout, { pinnedRevision: null, pinnedEntries: null })] : [];
    return [patched(managementAddOn, operations), ...unpinned];
  });
}

/** Returns the change that `rollback` makes. The change is not possible if the command would refuse to restore content that failed. */
export function rollbackChange(addOn: string, request: WayBackRequest & { readonly yes?: true }): PlannedChange {
  return restoring(addOn, request, (rollout, found) => {
    const warning = request.yes ? undefined : failureWarning(rollout, found);
    if (warning !== undefined) throw failureRefusal(rollout, request, warning);
  });
}

/**
 * Returns the change that a rollback to a revision makes, even if the revision failed, so that its plan can be read before a user confirms
 * it.
 */
export function revisionChange(addOn: string, toRevision: number): PlannedChange {
  return restoring(addOn, { toRevision }, () => undefined);
}

function restoring(
  addOn: string,
  request: WayBackRequest,
  check: (rollout: AddOnRollout, found: readonly Restoration[]) => void,
): PlannedChange {
  return attempt((hub) => {
    requireDeclaration(hub, addOn);
    const rollout = rolloutOf(hub, addOn);
    if (!rollout) throw notFound(`${addOn} has no rollout yet, so there is no revision to go back to`);
    const found = restorations(rollout, request);
    check(rollout, found);
    return [withSpec(rollout, asJson(pinsFor(rollout, found)))];
  });
}

/** Returns the change that applying files makes. */
export function fileChange(files: readonly KubeObject[]): PlannedChange {
  return (hub) => {
    const stored = asStored();
    const { managementAddOns, templates, configs, clusters, installed } = objectsOfFiles(files);
    const known = new Set(['ClusterManagementAddOn', 'AddOnTemplate', 'AddOnDeploymentConfig', 'ManagedCluster', 'ManagedClusterAddOn']);
    const others = files.filter(({ kind }) => !known.has(kind));
    const objects = [...managementAddOns, ...templates, ...configs, ...clusters, ...others].map((object) => stored(object));
    return { objects: [...objects, ...installed.map((one) => overridden(hub, stored(one), one.spec))] };
  };
}

/** Returns the change that `rollback --clear` makes. */
export function pinRemoval(addOn: string, placement: string | undefined): PlannedChange {
  return attempt((hub) => {
    requireDeclaration(hub, addOn);
    const rollout = rolloutOf(hub, addOn);
    const pins = rollout && pinsWithout(rollout, placement);
    return pins ? [withSpec(rollout, asJson(pins))] : [];
  });
}

/** Returns the change that `enable` makes on clusters that do not have the add-on. */
export function newAddOns(addOn: string, clusters: readonly string[], spec: ManagedClusterAddOnSpec): PlannedChange {
  return attempt((hub) => {
    const managementAddOn = requireDeclaration(hub, addOn);
    requireStayingDeclaration(managementAddOn);
    if (spec.installVersion !== undefined) requireVersion(hub, managementAddOn, spec.installVersion);
    requireStayingClusters(hub, clusters);
    return clusters
      .filter((cluster) => !installedOn(hub, addOn, cluster))
      .map((namespace) => {
        const metadata = { name: addOn, namespace };
        const apiVersion = 'addon.open-cluster-management.io/v1alpha1';
        return overridden(hub, { apiVersion, kind: 'ManagedClusterAddOn', metadata, spec }, spec);
      });
  });
}

/** Returns the change that `upgrade --cluster` makes. It overrides the version on these clusters, or removes the override. */
export function clusterVersionChange(addOn: string, clusters: readonly string[], to: string | undefined): PlannedChange {
  return attempt((hub) => {
    const managementAddOn = requireDeclaration(hub, addOn);
    if (to !== undefined) requireVersion(hub, managementAddOn, to);
    requireStayingClusters(hub, clusters);
    return clusters.map((cluster) => {
      const existing = installedOn(hub, addOn, cluster);
      if (!existing) throw notFound(`${addOn} is not on ${cluster}`);
      requireStayingAddOn(existing);
      const { installVersion: _, ...rest } = existing.spec;
      if (to === undefined) return { ...existing, spec: rest, metadata: { ...existing.metadata, managedFields: unowned(existing) } };
      return overridden(hub, { ...existing, spec: { ...rest, installVersion: to } }, { installVersion: to });
    });
  });
}

function unowned({ metadata }: ManagedClusterAddOn): readonly ManagedFieldsEntry[] {
  return (metadata.managedFields ?? []).filter(({ manager }) => manager !== PIN_MANAGERS.installVersion);
}

function requireStayingClusters(hub: HubListing, names: readonly string[]): void {
  const clusters = listed<ManagedCluster>(hub, 'ManagedCluster');
  const known = clusters.map(nameOf);
  const missing = names.find((name) => !known.includes(name));
  if (missing !== undefined) throw notFound(`there is no cluster "${missing}"${suggestion(missing, known)}`);
  for (const cluster of clusters.filter((one) => names.includes(nameOf(one)))) requireStayingCluster(cluster);
}

/** Returns the add-on with managedFields that make these fields of the spec overrides, as after a server-side apply by a user. */
function overridden(hub: HubListing, object: ManagedClusterAddOn, spec: ManagedClusterAddOnSpec): ManagedClusterAddOn {
  const before = installedOn(hub, nameOf(object), object.metadata.namespace ?? '')?.metadata.managedFields ?? [];
  const own = Object.keys(spec).map(
    (field): ManagedFieldsEntry => ({
      manager: PIN_MANAGERS[field as PinnedField] ?? 'outrigger-cli',
      operation: 'Apply',
      fieldsV1: { 'f:spec': { [`f:${field}`]: {} } },
    }),
  );
  return { ...object, metadata: { ...object.metadata, managedFields: [...before, ...own] } };
}

/**
 * Returns a change to the objects that `objectsOf` returns. If the change is not possible, the plan lists it as an obstacle; if the add-on
 * does not exist, the command fails.
 */
function attempt(objectsOf: (hub: HubListing) => readonly KubeObject[]): PlannedChange {
  return (hub) => {
    try {
      return { objects: objectsOf(hub) };
    } catch (error) {
      if (error instanceof UndeclaredError || !(error instanceof CommandError)) throw error;
      return { problem: error.message };
    }
  };
}

class UndeclaredError extends CommandError {}

function requireDeclaration(hub: HubListing, addOn: string): ClusterManagementAddOn {
  const all = listed<ClusterManagementAddOn>(hub, 'ClusterManagementAddOn');
  const found = all.find((one) => nameOf(one) === addOn);
  if (found) return found;
  const { message, exitCode } = notFound(`there is no add-on "${addOn}"${suggestion(addOn, all.map(nameOf))}`);
  throw new UndeclaredError(message, exitCode);
}

function requireVersion(hub: HubListing, managementAddOn: ClusterManagementAddOn, version: string): AddOnTemplate {
  const addOn = nameOf(managementAddOn);
  return templateOfVersion(templatesFor(listed<AddOnTemplate>(hub, 'AddOnTemplate'), addOn, managementAddOn), addOn, version);
}

function rolloutOf(hub: HubListing, addOn: string): AddOnRollout | undefined {
  return listed<AddOnRollout>(hub, 'AddOnRollout').find((one) => nameOf(one) === addOn);
}

function installedOn(hub: HubListing, addOn: string, cluster: string): ManagedClusterAddOn | undefined {
  return listed<ManagedClusterAddOn>(hub, 'ManagedClusterAddOn').find((one) => nameOf(one) === addOn && one.metadata.namespace === cluster);
}

function listed<T extends KubeObject>({ objects }: HubListing, kind: string): readonly T[] {
  for (const [resource, found] of objects) if (resource.kind.kind === kind) return found as readonly T[];
  return [];
}

function patched<T extends KubeObject>(object: T, operations: readonly JsonPatchOperation[]): T {
  return jsonPatch(asJson(object), operations as never) as T;
}

function withSpec<T extends KubeObject>(object: T, spec: Json): T {
  return mergePatch<KubeObject>(object, { spec }) as T;
}
