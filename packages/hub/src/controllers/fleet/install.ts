import {
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  REVISION_ANNOTATION,
  type ManagedClusterAddOn,
  type RolloutEntry,
  managedClusterAddOns,
} from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { homeOf } from '@outrigger/rules/observed';
import { hasGates, hasWildcard } from '@outrigger/rules/revisions';
import { defaultEntry, type EntryMembers, installBlocker, installedSpec, type StrategyEntry } from '@outrigger/rules/strategy';
import { follow } from './follow.js';
import { declarationOwner } from './owner.js';
import type { FleetState } from './state.js';

/** The admissions of the next record. `isStored` is true if the record is written before the add-ons are created. */
export interface NextAdmissions {
  readonly entries: readonly RolloutEntry[];
  readonly isStored: boolean;
}

/**
 * Creates missing add-ons, and updates the add-ons that the installer created, so that they follow the strategy. Other add-ons are not
 * changed. If a cluster is already admitted, the request that creates its add-on contains the annotation with the admitted revision, which
 * saves a second write. In the first pass of a declaration no record can be written yet, so the next pass creates the add-ons that the
 * record would admit by name.
 */
export function installActions(state: FleetState, entries: readonly EntryMembers[], next: NextAdmissions): readonly ApiAction[] {
  let deleting: ReadonlySet<string> | undefined;
  // While an add-on is being deleted, a new one cannot be created.
  const isMissing = (cluster: string): boolean => {
    if (installBlocker(state.cluster(cluster)) !== undefined) return false;
    deleting ??= new Set(state.addOns.flatMap(({ key, isDeleting }) => (isDeleting ? [key.namespace ?? ''] : [])));
    return !deleting.has(cluster);
  };
  // Until the record lists an add-on in its new entry, leave the add-on's fields unchanged, because they show which content the add-on has
  // (`isLeavingDefault`).
  const record = state.rollout?.status ?? {};
  const hasDefault = record.entries?.some(({ name }) => name === defaultEntry.name) === true;
  const isInDefault = (cluster: string): boolean => hasDefault && homeOf(record, cluster)?.name === defaultEntry.name;
  const stored = next.isStored ? next.entries : (state.rollout?.status.entries ?? []);
  const actions: ApiAction[] = [];
  for (const { observation, groups, isSettled } of entries) {
    if (!observation.entry.source) continue;
    const { name: entryName, template } = observation.entry;
    const plan = follow(template);
    const isEntry = ({ name }: RolloutEntry): boolean => name === entryName;
    const admitted = admissionsByName(stored.find(isEntry));
    const deferred = state.rollout ? NONE : admissionsByName(next.entries.find(isEntry));
    const isUngated = isAdmittedUngated(state, entryName);
    for (const { clusters, addOns } of groups) {
      for (const [i, cluster] of clusters.entries()) {
        const clusterAddOn = addOns[i];
        if (clusterAddOn) {
          if (isSettled(cluster) && !isInDefault(cluster)) actions.push(...plan(clusterAddOn));
        } else if (isMissing(cluster) && !deferred.has(cluster) && !isUngated(cluster)) {
          actions.push(createAddOn(state, cluster, template, admitted.get(cluster)));
        }
      }
    }
  }
  return actions;
}

/**
 * Returns a function that reports whether the cached record would admit a new cluster of the entry although gates are in force. This is
 * possible until the record lists the gates, because the wildcard admission of a record without gates covers every add-on of the entry.
 * Until then the add-on of such a cluster is not created, because the addon controller reads the same cache.
 */
function isAdmittedUngated({ policies, rollout }: FleetState, entryName: string): (cluster: string) => boolean {
  const status = rollout?.status ?? {};
  const recorded = status.entries?.find(({ name }) => name === entryName);
  if (policies.length === 0 || !recorded || !hasWildcard(recorded) || hasGates(status, recorded)) return () => false;
  return (cluster) => homeOf(status, cluster) === undefined;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** The revision of each cluster that the entry admits by name. */
function admissionsByName(entry: RolloutEntry | undefined): ReadonlyMap<string, number> {
  return new Map((entry?.inFlight ?? []).map(({ cluster, revision }) => [cluster, revision]));
}

/** Uses a plain create instead of an apply, so that an add-on that was created in the meantime stays unchanged. */
function createAddOn(
  { managementAddOn, cluster: clusterOf }: FleetState,
  cluster: string,
  template: StrategyEntry['template'],
  revision: number | undefined,
): ApiAction {
  const { installNamespace, installVersion, configs } = template;
  const object: ManagedClusterAddOn = {
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: {
      name: managementAddOn.key.name,
      namespace: cluster,
      annotations: {
        ...clusterOf(cluster)?.addOnAnnotations,
        [INSTALLED_SPEC_ANNOTATION]: installedSpec(template),
        ...(revision === undefined ? {} : { [REVISION_ANNOTATION]: String(revision) }),
      },
      ownerReferences: [declarationOwner(managementAddOn, { isController: true })],
    },
    spec: {
      ...(installNamespace === undefined ? {} : { installNamespace }),
      ...(installVersion === undefined ? {} : { installVersion }),
      ...(configs === undefined ? {} : { configs }),
    },
  };
  return {
    type: 'create',
    id: `add-on/${cluster}`,
    api: HUB,
    kind: managedClusterAddOns,
    object,
    fieldManager: INSTALLER_FIELD_MANAGER,
    accept: ['AlreadyExists'],
  };
}
