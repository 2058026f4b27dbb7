import {
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  REVISION_ANNOTATION,
  type ManagedClusterAddOn,
  managedClusterAddOns,
} from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import type { ApiAction } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { namedRevision } from '@outrigger/rules/revisions';
import { type EntryMembers, installBlocker, installedSpec, type StrategyEntry } from '@outrigger/rules/strategy';
import { follow } from './follow.js';
import { declarationOwner } from './owner.js';
import type { FleetState } from './state.js';

/**
 * Creates missing add-ons, and updates the add-ons that the installer created, so that they follow the strategy. Other add-ons are not
 * changed.
 */
export function installActions(state: FleetState, entries: readonly EntryMembers[]): readonly ApiAction[] {
  let deleting: ReadonlySet<string> | undefined;
  // While an add-on is being deleted, a new one cannot be created.
  const isMissing = (cluster: string): boolean => {
    if (installBlocker(state.cluster(cluster)) !== undefined) return false;
    deleting ??= new Set(state.addOns.flatMap(({ key, isDeleting }) => (isDeleting ? [key.namespace ?? ''] : [])));
    return !deleting.has(cluster);
  };
  const actions: ApiAction[] = [];
  for (const { observation, groups, isSettled } of entries) {
    if (!observation.entry.source) continue;
    const { template } = observation.entry;
    const plan = follow(template);
    for (const { clusters, addOns } of groups) {
      for (const [i, cluster] of clusters.entries()) {
        const clusterAddOn = addOns[i];
        if (clusterAddOn) {
          if (isSettled(cluster)) actions.push(...plan(clusterAddOn));
        } else if (isMissing(cluster)) {
          actions.push(createAddOn(state, cluster, observation.entry));
        }
      }
    }
  }
  return actions;
}

/** Uses a plain create instead of an apply, so that an add-on that was created in the meantime stays unchanged. */
function createAddOn(state: FleetState, cluster: string, { name: entryName, template }: StrategyEntry): ApiAction {
  const { managementAddOn, cluster: clusterOf, rollout } = state;
  const revision = namedRevision(
    rollout?.status.entries?.find(({ name }) => name === entryName),
    cluster,
  );
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
