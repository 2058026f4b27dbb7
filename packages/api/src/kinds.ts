import type { Kind } from '@outrigger/core';
import type {
  AddOnDeploymentConfig,
  AddOnTemplate,
  ClusterManagementAddOn,
  ClusterManagementAddOnV1beta1,
  ManagedClusterAddOn,
  ManagedClusterAddOnV1beta1,
} from './generated/addon.js';
import type {
  AddOnPlacementScore,
  ClusterClaim,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  PlacementDecision,
} from './generated/cluster.js';
import type { AddOnRollout, RolloutApproval, RolloutPolicy } from './generated/outrigger.js';
import type { AppliedManifestWork, ManifestWork, ManifestWorkReplicaSet } from './generated/work.js';
import { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP } from './groups.js';

const addon = { group: ADDON_GROUP, version: 'v1alpha1' };

export const clusterManagementAddOns: Kind<ClusterManagementAddOn> = {
  ...addon,
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  namespaced: false,
};
export const managedClusterAddOns: Kind<ManagedClusterAddOn> = {
  ...addon,
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  namespaced: true,
};
export const addOnDeploymentConfigs: Kind<AddOnDeploymentConfig> = {
  ...addon,
  kind: 'AddOnDeploymentConfig',
  plural: 'addondeploymentconfigs',
  namespaced: true,
};
export const addOnTemplates: Kind<AddOnTemplate> = { ...addon, kind: 'AddOnTemplate', plural: 'addontemplates', namespaced: false };

export const clusterManagementAddOnsV1beta1: Kind<ClusterManagementAddOnV1beta1> = {
  group: ADDON_GROUP,
  version: 'v1beta1',
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  namespaced: false,
};
export const managedClusterAddOnsV1beta1: Kind<ManagedClusterAddOnV1beta1> = {
  group: ADDON_GROUP,
  version: 'v1beta1',
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  namespaced: true,
};

export const addOnRollouts: Kind<AddOnRollout> = {
  group: OUTRIGGER_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnRollout',
  plural: 'addonrollouts',
  namespaced: false,
};
export const rolloutPolicies: Kind<RolloutPolicy> = {
  group: OUTRIGGER_GROUP,
  version: 'v1alpha1',
  kind: 'RolloutPolicy',
  plural: 'rolloutpolicies',
  namespaced: false,
};
export const rolloutApprovals: Kind<RolloutApproval> = {
  group: OUTRIGGER_GROUP,
  version: 'v1alpha1',
  kind: 'RolloutApproval',
  plural: 'rolloutapprovals',
  namespaced: false,
};

export const manifestWorks: Kind<ManifestWork> = {
  group: WORK_GROUP,
  version: 'v1',
  kind: 'ManifestWork',
  plural: 'manifestworks',
  namespaced: true,
};
export const manifestWorkReplicaSets: Kind<ManifestWorkReplicaSet> = {
  group: WORK_GROUP,
  version: 'v1alpha1',
  kind: 'ManifestWorkReplicaSet',
  plural: 'manifestworkreplicasets',
  namespaced: true,
};
export const appliedManifestWorks: Kind<AppliedManifestWork> = {
  group: WORK_GROUP,
  version: 'v1',
  kind: 'AppliedManifestWork',
  plural: 'appliedmanifestworks',
  namespaced: false,
};

export const managedClusters: Kind<ManagedCluster> = {
  group: CLUSTER_GROUP,
  version: 'v1',
  kind: 'ManagedCluster',
  plural: 'managedclusters',
  namespaced: false,
};
export const managedClusterSets: Kind<ManagedClusterSet> = {
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSet',
  plural: 'managedclustersets',
  namespaced: false,
};
export const managedClusterSetBindings: Kind<ManagedClusterSetBinding> = {
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSetBinding',
  plural: 'managedclustersetbindings',
  namespaced: true,
};
export const placements: Kind<Placement> = {
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'Placement',
  plural: 'placements',
  namespaced: true,
};
export const placementDecisions: Kind<PlacementDecision> = {
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'PlacementDecision',
  plural: 'placementdecisions',
  namespaced: true,
};
export const addOnPlacementScores: Kind<AddOnPlacementScore> = {
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnPlacementScore',
  plural: 'addonplacementscores',
  namespaced: true,
};
export const clusterClaims: Kind<ClusterClaim> = {
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  namespaced: false,
};
