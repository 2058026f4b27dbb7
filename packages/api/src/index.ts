export { KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS } from './definitions.js';
export type * from './generated/addon.js';
export type * from './generated/cluster.js';
export type * from './generated/outrigger.js';
export type * from './generated/work.js';
export { ADDON_GROUP, CLUSTER_GROUP, OUTRIGGER_GROUP, REGISTER_GROUP, WORK_GROUP } from './groups.js';
export {
  addOnDeploymentConfigs,
  addOnPlacementScores,
  addOnRollouts,
  addOnTemplates,
  appliedManifestWorks,
  clusterClaims,
  clusterManagementAddOns,
  clusterManagementAddOnsV1beta1,
  managedClusterAddOns,
  managedClusterAddOnsV1beta1,
  managedClusters,
  managedClusterSetBindings,
  managedClusterSets,
  manifestWorks,
  placementDecisions,
  placements,
} from './kinds.js';
export type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Container,
  ControllerRevision,
  DaemonSet,
  Deployment,
  Event,
  Job,
  Lease,
  Namespace,
  Node,
  ObjectReference,
  Pod,
  PodSpec,
  PodTemplate,
  PolicyRule,
  RbacSubject,
  ResourceAttributes,
  Role,
  RoleBinding,
  RoleRef,
  Secret,
  ServiceAccount,
  StatefulSet,
  SubjectAccessReview,
  WorkloadCondition,
} from './kubernetes.js';
export {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  controllerRevisions,
  daemonSets,
  deployments,
  events,
  jobs,
  leases,
  namespaces,
  nodes,
  pods,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  statefulSets,
  subjectAccessReviews,
} from './kubernetes.js';
export { customResourceDefinition } from './schema/crd.js';
export type { Conversion, CrdVersion, CustomResourceDefinition, WebhookClientConfig } from './schema/crd.js';
export { rootObject, rootSchema } from './schema/kind.js';
export type { KindDefinition, KindVersion, PrinterColumn } from './schema/kind.js';
export type { FieldDefinition, ObjectDefinition, TypeDefinition } from './schema/types.js';
