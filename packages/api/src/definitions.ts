import { addOnDeploymentConfig } from './addon/v1alpha1/add-on-deployment-config.js';
import { addOnTemplate } from './addon/v1alpha1/add-on-template.js';
import { clusterManagementAddOn } from './addon/v1alpha1/cluster-management-add-on.js';
import { managedClusterAddOn } from './addon/v1alpha1/managed-cluster-add-on.js';
import { clusterManagementAddOnV1beta1 } from './addon/v1beta1/cluster-management-add-on.js';
import { addOnDeploymentConfigV1beta1, addOnTemplateV1beta1 } from './addon/v1beta1/identical.js';
import { managedClusterAddOnV1beta1 } from './addon/v1beta1/managed-cluster-add-on.js';
import { managedCluster } from './cluster/v1/managed-cluster.js';
import { addOnPlacementScore } from './cluster/v1alpha1/add-on-placement-score.js';
import { clusterClaim } from './cluster/v1alpha1/cluster-claim.js';
import { placement } from './cluster/v1beta1/placement.js';
import { placementDecision } from './cluster/v1beta1/placement-decision.js';
import { managedClusterSet } from './cluster/v1beta2/managed-cluster-set.js';
import { managedClusterSetBinding } from './cluster/v1beta2/managed-cluster-set-binding.js';
import { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, WORK_GROUP } from './groups.js';
import { addOnRollout } from './outrigger/v1alpha1/add-on-rollout.js';
import { rolloutApproval } from './outrigger/v1alpha1/rollout-approval.js';
import { rolloutPolicy } from './outrigger/v1alpha1/rollout-policy.js';
import type { KindDefinition } from './schema/kind.js';
import { appliedManifestWork } from './work/v1/applied-manifest-work.js';
import { manifestWork } from './work/v1/manifest-work.js';
import { manifestWorkReplicaSet } from './work/v1alpha1/manifest-work-replica-set.js';

/** Every kind that this package defines. */
export const KIND_DEFINITIONS: readonly KindDefinition[] = [
  {
    group: ADDON_GROUP,
    kind: 'ClusterManagementAddOn',
    plural: 'clustermanagementaddons',
    shortNames: ['cma', 'cmas'],
    namespaced: false,
    versions: [clusterManagementAddOn, clusterManagementAddOnV1beta1],
    converted: true,
  },
  {
    group: ADDON_GROUP,
    kind: 'ManagedClusterAddOn',
    plural: 'managedclusteraddons',
    shortNames: ['mca', 'mcas'],
    namespaced: true,
    versions: [managedClusterAddOn, managedClusterAddOnV1beta1],
    converted: true,
  },
  {
    group: ADDON_GROUP,
    kind: 'AddOnDeploymentConfig',
    plural: 'addondeploymentconfigs',
    namespaced: true,
    versions: [addOnDeploymentConfig, addOnDeploymentConfigV1beta1],
  },
  {
    group: ADDON_GROUP,
    kind: 'AddOnTemplate',
    plural: 'addontemplates',
    namespaced: false,
    versions: [addOnTemplate, addOnTemplateV1beta1],
  },
  {
    group: OUTRIGGER_GROUP,
    kind: 'AddOnRollout',
    plural: 'addonrollouts',
    shortNames: ['aro'],
    namespaced: false,
    versions: [addOnRollout],
  },
  {
    group: OUTRIGGER_GROUP,
    kind: 'RolloutPolicy',
    plural: 'rolloutpolicies',
    shortNames: ['rp'],
    namespaced: false,
    versions: [rolloutPolicy],
  },
  {
    group: OUTRIGGER_GROUP,
    kind: 'RolloutApproval',
    plural: 'rolloutapprovals',
    shortNames: ['ra'],
    namespaced: false,
    versions: [rolloutApproval],
  },
  { group: WORK_GROUP, kind: 'ManifestWork', plural: 'manifestworks', namespaced: true, versions: [manifestWork] },
  {
    group: WORK_GROUP,
    kind: 'ManifestWorkReplicaSet',
    plural: 'manifestworkreplicasets',
    shortNames: ['mwrs'],
    namespaced: true,
    versions: [manifestWorkReplicaSet],
  },
  { group: WORK_GROUP, kind: 'AppliedManifestWork', plural: 'appliedmanifestworks', namespaced: false, versions: [appliedManifestWork] },
  {
    group: CLUSTER_GROUP,
    kind: 'ManagedCluster',
    plural: 'managedclusters',
    shortNames: ['mcl', 'mcls'],
    namespaced: false,
    versions: [managedCluster],
  },
  {
    group: CLUSTER_GROUP,
    kind: 'ManagedClusterSet',
    plural: 'managedclustersets',
    shortNames: ['mclset', 'mclsets'],
    namespaced: false,
    versions: [managedClusterSet],
  },
  {
    group: CLUSTER_GROUP,
    kind: 'ManagedClusterSetBinding',
    plural: 'managedclustersetbindings',
    shortNames: ['mclsetbinding', 'mclsetbindings'],
    namespaced: true,
    versions: [managedClusterSetBinding],
  },
  { group: CLUSTER_GROUP, kind: 'Placement', plural: 'placements', namespaced: true, versions: [placement] },
  { group: CLUSTER_GROUP, kind: 'PlacementDecision', plural: 'placementdecisions', namespaced: true, versions: [placementDecision] },
  { group: CLUSTER_GROUP, kind: 'AddOnPlacementScore', plural: 'addonplacementscores', namespaced: true, versions: [addOnPlacementScore] },
  { group: CLUSTER_GROUP, kind: 'ClusterClaim', plural: 'clusterclaims', namespaced: false, versions: [clusterClaim] },
];

/** The kinds that an agent needs on its managed cluster. All others are installed on the hub. */
export const MANAGED_CLUSTER_KINDS: readonly string[] = ['AppliedManifestWork', 'ClusterClaim'];
