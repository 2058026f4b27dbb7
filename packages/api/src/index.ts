export { templateView } from './admission/add-on-template.js';
export { DEFAULT_CERTIFICATE_SECONDS, cappedSeconds } from './admission/certificate-lifetime.js';
export { JOIN_GROUP, JOIN_NAMESPACE, clusterIdentityExpression, isClusterIdentity } from './admission/cluster-identity.js';
export { placementsMissing } from './admission/cluster-management-add-on.js';
export { NAMESPACE_NAME_RULE, clusterNameProblem } from './admission/managed-cluster.js';
export { denyingPolicy, resourceRule } from './admission/denying-policy.js';
export { decisionPolicies, decisionPolicyProblem, decisionsEnforcedSince } from './admission/decision-policy.js';
export { keepsOwners } from './admission/owner-references.js';
export { movedAgentWarnings } from './admission/install-namespace.js';
export { mutate } from './admission/mutate.js';
export { addOnReferences, addOnView, isTemplateReference, managementReferences, referencedTemplates } from './admission/references.js';
export type { Reference } from './admission/references.js';
export { review } from './admission/review.js';
export { SUCCESS_VARIABLES, rolloutPolicyProblems } from './admission/rollout-policy.js';
export { grantedRoles } from './admission/template-author.js';
export type {
  AccessCheck,
  AddOnView,
  AdmissionLookup,
  AdmissionResult,
  AdmissionSettings,
  Refused,
  TemplateView,
} from './admission/types.js';
export { admissionReview, subjectAccessReview, withoutRights } from './admission/webhook.js';
export * from './conditions.js';
export * from './constants.js';
export { convertObject } from './conversion/convert.js';
export { asWritten } from './conversion/written-text.js';
export { addOnToV1alpha1, addOnToV1beta1 } from './conversion/managed-cluster-add-on.js';
export { parseCron, startsFrom } from './calendar/cron.js';
export type { CronSchedule } from './calendar/cron.js';
export { zoneOf } from './calendar/zone.js';
export type { Zone } from './calendar/zone.js';
export { convertReview } from './conversion/review.js';
export { KIND_DEFINITIONS, MANAGED_CLUSTER_KINDS } from './definitions.js';
export { dependencyCycles } from './dependency-cycle.js';
export type { DependencyCycles } from './dependency-cycle.js';
export { isFleetNamespace, mayReport } from './event-scope.js';
export type * from './generated/addon.js';
export type * from './generated/cluster.js';
export type * from './generated/outrigger.js';
export type * from './generated/work.js';
export * from './groups.js';
export * from './kinds.js';
export * from './kubernetes.js';
export * from './messages.js';
export * from './names.js';
export { customResourceDefinition } from './schema/crd.js';
export { rootObject, rootSchema } from './schema/kind.js';
export { patternWords } from './schema/pattern-words.js';
export type { KindDefinition, KindVersion } from './schema/kind.js';
export type { FieldDefinition, ObjectDefinition, TypeDefinition } from './schema/types.js';
export { inexactInteger } from './template/inexact-integers.js';
export { authoredNamespace } from './template/authored-namespace.js';
export { parseTemplateText } from './template/placeholders.js';
export type { TemplatePart } from './template/placeholders.js';
export { selectorMismatches } from './template/selector-mismatch.js';
export { textsInside } from './template/strings.js';
export { repeatedObjects } from './template/repeated-objects.js';
export { createValidator } from './validation.js';
export { manifestBytes } from './work/size.js';
export type { Validator } from './validation.js';
export { EXPRESSION_FUNCTIONS } from './expression-functions.js';
