import {
  INSTALLED_SPEC_ANNOTATION,
  type InstallTemplate,
  type ManagedClusterAddOn,
  clusterManagementAddOns,
  managedClusterAddOns,
} from '@outrigger/api';
import { apiVersionOf } from '@outrigger/core';
import { canonicalJson, sha256Hex } from '@outrigger/core/hash';
import type { Action } from '@outrigger/kube';
import { HUB } from '../../resources/base.js';
import type { ClusterRecord } from '../../resources/clusters.js';
import type { DeclarationRecord } from '../../resources/declarations.js';

/** The digest the installer leaves on what it makes: of the fields it applied, so that a restored backup can be told from an edit. */
export function installedSpec(template: InstallTemplate): string {
  const { installNamespace, installVersion, configs } = template;
  return sha256Hex(canonicalJson({ installNamespace, installVersion, configs })).slice(0, 16);
}

/** Why nothing is created on a selected cluster, or undefined if it is. */
export function installBlocker(cluster: ClusterRecord | undefined): string | undefined {
  if (!cluster) return 'the ManagedCluster does not exist';
  if (cluster.isDeleting) return 'the ManagedCluster is being deleted';
  return cluster.isInstallDisabled ? 'automatic installation is disabled on the ManagedCluster' : undefined;
}

export function createAddOn(declaration: DeclarationRecord, cluster: string, template: InstallTemplate): Action {
  const { installNamespace, installVersion, configs } = template;
  const object: ManagedClusterAddOn = {
    apiVersion: apiVersionOf(managedClusterAddOns),
    kind: managedClusterAddOns.kind,
    metadata: {
      name: declaration.key.name,
      namespace: cluster,
      annotations: { [INSTALLED_SPEC_ANNOTATION]: installedSpec(template) },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(clusterManagementAddOns),
          kind: clusterManagementAddOns.kind,
          name: declaration.key.name,
          uid: declaration.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...(installNamespace === undefined ? {} : { installNamespace }),
      ...(installVersion === undefined ? {} : { installVersion }),
      ...(configs === undefined ? {} : { configs }),
    },
  };
  return { type: 'create', id: `add-on/${cluster}`, api: HUB, kind: managedClusterAddOns, object, accept: ['AlreadyExists'] };
}
