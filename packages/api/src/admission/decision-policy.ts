import { isJsonObject, type KubeObject, parseTime, objectOrEmpty } from '@outrigger/core';
import { ADDON_GROUP, OUTRIGGER_GROUP } from '../groups.js';
import { denyingPolicy, resourceRule } from './denying-policy.js';
import { addsNoOwner } from './owner-references.js';

/**
 * The ValidatingAdmissionPolicies that check who may create RolloutApprovals. RBAC cannot check this, because it does not read the content
 * of a RolloutApproval or the labels of a ClusterManagementAddOn. The embedded server enforces the same objects.
 */

const DECISIONS = 'outrigger-rollout-approvals';
const GOVERNED = 'outrigger-rollout-policies';

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'Forbidden';
}

const may = (verb: string, policy: string): string =>
  `authorizer.group('${OUTRIGGER_GROUP}').resource('rolloutpolicies').name(${policy}).check(${verb}).allowed()`;
const POLICY_OF_GATE = "object.spec.gate.split('/')[0]";
const VERB = "(object.spec.decision == 'Overridden' ? 'override' : 'approve')";

/** The validations of RolloutApprovals. Their spec is immutable, so only their creation is checked. */
const DECISION_VALIDATIONS: readonly Validation[] = [
  {
    expression: 'object.spec.by == request.userInfo.username',
    messageExpression: "'spec.by: must be the user who writes the object, ' + request.userInfo.username",
    reason: 'Forbidden',
  },
  {
    expression: may(VERB, POLICY_OF_GATE),
    messageExpression: `'spec.gate: ' + request.userInfo.username + ' may not ' + ${VERB} + ' the RolloutPolicy ' + ${POLICY_OF_GATE} + ': this needs the verb ' + ${VERB} + ' on rolloutpolicies/' + ${POLICY_OF_GATE}`,
    reason: 'Forbidden',
  },
  {
    expression:
      "!has(object.spec.expires) || (timestamp(object.spec.expires) > timestamp(object.metadata.creationTimestamp) && timestamp(object.spec.expires) - timestamp(object.metadata.creationTimestamp) <= duration('24h'))",
    message: 'spec.expires: must be in the future, at most 24 hours from now',
  },
];

/** Returns a CEL expression that is true if `params`, a RolloutPolicy, governs an object with these labels. */
const governs = (labels: string): string =>
  `has(params.spec.addOns.selector) && (!has(params.spec.addOns.selector.matchLabels) || params.spec.addOns.selector.matchLabels.all(key, key in ${labels} && ${labels}[key] == params.spec.addOns.selector.matchLabels[key])) && (!has(params.spec.addOns.selector.matchExpressions) || params.spec.addOns.selector.matchExpressions.all(one, one.operator == 'In' ? one.key in ${labels} && ${labels}[one.key] in one.values : one.operator == 'NotIn' ? !(one.key in ${labels}) || !(${labels}[one.key] in one.values) : one.operator == 'Exists' ? one.key in ${labels} : !(one.key in ${labels})))`;
/** A CEL expression that is true if `params` selects every declaration, whatever its labels. */
const governsAll =
  '(!has(params.spec.addOns.selector.matchLabels) || params.spec.addOns.selector.matchLabels.size() == 0) && (!has(params.spec.addOns.selector.matchExpressions) || params.spec.addOns.selector.matchExpressions.size() == 0)';
const labelsOf = (object: string): string => `${object} == null || !has(${object}.metadata.labels) ? {} : ${object}.metadata.labels`;

const GOVERNED_VARIABLES = [
  { name: 'before', expression: labelsOf('oldObject') },
  { name: 'after', expression: labelsOf('object') },
  { name: 'isNamed', expression: 'has(params.spec.addOns.names) && oldObject.metadata.name in params.spec.addOns.names' },
  { name: 'isDeleted', expression: "request.operation == 'DELETE'" },
  { name: 'addsOwner', expression: `request.operation == 'UPDATE' && !(${addsNoOwner()})` },
];
/**
 * The validations that keep a declaration governed by each policy that selects it by labels. Without the verb `override` on the policy, a
 * user may not change the labels so that the policy no longer selects the declaration. Such a user may also not delete the declaration,
 * because a new declaration with the same name may have other labels, and may not add an owner, because the garbage collector deletes a
 * declaration whose owners do not exist.
 */
const GOVERNED_VALIDATIONS: readonly Validation[] = [
  {
    expression: `variables.isNamed || !(${governs('variables.before')}) || (variables.isDeleted || variables.addsOwner ? ${governsAll} : ${governs('variables.after')}) || ${may("'override'", 'params.metadata.name')}`,
    messageExpression:
      "(variables.isDeleted ? 'deleting the declaration takes' : variables.addsOwner ? 'metadata.ownerReferences: the garbage collector deletes a declaration whose owners do not exist; an added or changed owner can take' : 'metadata.labels: this takes') + ' the add-on out of the RolloutPolicy ' + params.metadata.name + ', which needs the verb override on rolloutpolicies/' + params.metadata.name",
    reason: 'Forbidden',
  },
];

/** Returns the objects that `install hub` applies: two policies with their bindings. */
export function decisionPolicies(): readonly KubeObject[] {
  return [
    ...denyingPolicy(DECISIONS, {
      matchConstraints: { resourceRules: [resourceRule(OUTRIGGER_GROUP, ['rolloutapprovals'], ['CREATE'])] },
      validations: DECISION_VALIDATIONS,
    }),
    ...denyingPolicy(
      GOVERNED,
      {
        paramKind: { apiVersion: `${OUTRIGGER_GROUP}/v1alpha1`, kind: 'RolloutPolicy' },
        matchConstraints: { resourceRules: [resourceRule(ADDON_GROUP, ['clustermanagementaddons'], ['UPDATE', 'DELETE'])] },
        variables: GOVERNED_VARIABLES,
        validations: GOVERNED_VALIDATIONS,
      },
      { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
    ),
  ];
}

/**
 * Returns the reason why RolloutApprovals are ignored, or undefined if the API server checks who creates them. The reason is that the
 * policy or its binding is missing, was changed, or does not deny.
 */
export function decisionPolicyProblem(policies: readonly KubeObject[], bindings: readonly KubeObject[]): string | undefined {
  const installed = policies.find(({ metadata }) => metadata.name === DECISIONS);
  const bound = bindings.find(({ metadata }) => metadata.name === DECISIONS);
  if (!installed) return `the ValidatingAdmissionPolicy ${DECISIONS} does not exist`;
  if (!bound) return `the ValidatingAdmissionPolicyBinding ${DECISIONS} does not exist`;
  const spec = specOf(installed);
  const expressions = itemsOf(spec['validations']).map((one) => one['expression']);
  const rules = itemsOf(isJsonObject(spec['matchConstraints']) ? spec['matchConstraints']['resourceRules'] : undefined);
  const isWhole =
    DECISION_VALIDATIONS.every(({ expression }) => expressions.includes(expression)) &&
    itemsOf(spec['matchConditions']).length === 0 &&
    spec['failurePolicy'] !== 'Ignore' &&
    rules.some(coversDecisions) &&
    !isNarrowed(spec['matchConstraints']);
  if (!isWhole) return `the ValidatingAdmissionPolicy ${DECISIONS} was changed`;
  const { policyName, validationActions, matchResources } = specOf(bound);
  const isLimited = isNarrowed(matchResources) || (isJsonObject(matchResources) && itemsOf(matchResources['resourceRules']).length > 0);
  if (policyName !== DECISIONS || !listOf(validationActions).includes('Deny') || isLimited) {
    return `the ValidatingAdmissionPolicyBinding ${DECISIONS} does not deny`;
  }
  return undefined;
}

/**
 * Returns the time since which the API server has checked who creates RolloutApprovals, in milliseconds since the epoch. Returns undefined
 * if the API server does not check this. Older RolloutApprovals may name any user, so they are ignored.
 */
export function decisionsEnforcedSince(policies: readonly KubeObject[], bindings: readonly KubeObject[]): number | undefined {
  if (decisionPolicyProblem(policies, bindings) !== undefined) return undefined;
  const created = [...policies, ...bindings].filter(({ metadata }) => metadata.name === DECISIONS);
  return Math.max(...created.map(({ metadata }) => parseTime(metadata.creationTimestamp) ?? 0));
}

/** Whether a rule covers the creation of every RolloutApproval. */
function coversDecisions({
  apiGroups,
  apiVersions,
  resources,
  resourceNames,
  operations,
  scope,
}: Readonly<Record<string, unknown>>): boolean {
  const has = (list: unknown, value: string): boolean => listOf(list).some((one) => one === value || one === '*');
  return (
    has(apiGroups, OUTRIGGER_GROUP) &&
    has(apiVersions, '*') &&
    has(resources, 'rolloutapprovals') &&
    has(operations, 'CREATE') &&
    listOf(resourceNames).length === 0 &&
    scope !== 'Namespaced'
  );
}

/** Whether match constraints exclude objects, by selectors or by exclude rules. */
function isNarrowed(match: unknown): boolean {
  if (!isJsonObject(match)) return false;
  const isEmpty = (value: unknown): boolean => value === undefined || (isJsonObject(value) && Object.keys(value).length === 0);
  return !isEmpty(match['objectSelector']) || !isEmpty(match['namespaceSelector']) || itemsOf(match['excludeResourceRules']).length > 0;
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  return objectOrEmpty(spec);
}

function itemsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listOf(value).filter((item): item is Record<string, never> => isJsonObject(item));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
