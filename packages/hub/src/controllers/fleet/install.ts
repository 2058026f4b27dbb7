import {
  INSTALLED_SPEC_ANNOTATION,
  INSTALLER_FIELD_MANAGER,
  type InstallTemplate,
  type ManagedClusterAddOn,
  managedClusterAddOns,
} from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import type { Action } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import { installedSpec } from '../../strategy/mark.js';
import { follow } from './follow.js';
import { type EntryMembers, type Member, installBlocker } from './members.js';
import { declarationOwner } from './owner.js';
import type { FleetState } from './state.js';

/** Makes the add-ons that are missing, and lets those the installer made follow the strategy. Add-ons of people are left as they are. */
export function installActions(state: FleetState, entries: readonly EntryMembers[]): readonly Action[] {
  const installed = new Set(state.addOns.map(({ key }) => key.namespace ?? ''));
  return entries.flatMap(({ observation: { entry }, members }): Action[] => {
    if (!entry.source) return [];
    const plan = follow(entry.template);
    return [...members.values()].flatMap((member): readonly Action[] => {
      if (member.addOn) return member.isSettled ? plan(member.addOn) : [];
      return isMissing(state, member, installed) ? [createAddOn(state, member.cluster, entry.template)] : [];
    });
  });
}

/** An add-on that is still being deleted is in the way of its successor. */
function isMissing(state: FleetState, { cluster }: Member, installed: ReadonlySet<string>): boolean {
  return !installed.has(cluster) && installBlocker(state.cluster(cluster)) === undefined;
}

/** A plain create, not an apply: what somebody made in the meantime is theirs and stays as it is. */
function createAddOn({ declaration }: FleetState, cluster: string, template: InstallTemplate): Action {
  const { installNamespace, installVersion, configs } = template;
  const object: ManagedClusterAddOn = {
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: {
      name: declaration.key.name,
      namespace: cluster,
      annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(template) },
      ownerReferences: [declarationOwner(declaration, { isController: true })],
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
