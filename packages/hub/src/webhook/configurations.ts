import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  CLUSTER_NAME_LABEL,
  CLUSTER_SET_LABEL,
  DEFAULT_CLUSTER_SET,
  OUTRIGGER_GROUP,
  WORK_GROUP,
  clusterIdentityExpression,
} from '@outrigger/api';
import type { Kind, KubeObject } from '@outrigger/core';

/** The endpoint at which API servers reach the webhook. */
export type WebhookEndpoint =
  | { readonly url: string; readonly caBundle: string }
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number }; readonly caBundle: string };

const API_VERSION = 'admissionregistration.k8s.io/v1';
const admissionKind = (kind: string, plural: string): Kind => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});
export const validatingWebhookConfigurations: Kind = admissionKind('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
export const mutatingWebhookConfigurations: Kind = admissionKind('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations');

export const WEBHOOK_CONFIGURATION = 'outrigger';

/** The part of a webhook's configuration that contains its endpoint. */
export function clientConfig(endpoint: WebhookEndpoint, path: string): object {
  const caBundle = btoa(endpoint.caBundle);
  return 'url' in endpoint ? { url: `${endpoint.url}${path}`, caBundle } : { service: { port: 443, ...endpoint.service, path }, caBundle };
}

/** The admission settings that determine which writes the API server rejects while the webhook does not respond. */
export interface WebhookSettings {
  readonly trustedUsers?: readonly string[];
  readonly checkMissingExecutor?: boolean;
  /** Additional users and groups with whose credentials clusters join. */
  readonly bootstrapUsers?: readonly string[];
  readonly bootstrapGroups?: readonly string[];
}

/**
 * The writes that the API server sends to the webhook. While no webhook responds, the API server skips rules that only catch mistakes,
 * because the controllers check again. Rules about the permissions of the writer are checked nowhere else, so the API server then rejects
 * the writes to which they apply. These rules are about the permissions that a template grants, the objects and templates that a
 * declaration or an add-on newly references, the executor of a work or of a ManifestWorkReplicaSet, the acceptance of a cluster, the
 * cluster set of a cluster or of a binding, and the fields that a managed cluster writes to its own ManagedCluster.
 */
export function validatingConfiguration(
  endpoint: WebhookEndpoint,
  settings: WebhookSettings = {},
): KubeObject & { readonly webhooks: readonly object[] } {
  const needsRights = rightsExpression(settings);
  return {
    apiVersion: API_VERSION,
    kind: validatingWebhookConfigurations.kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
    webhooks: [
      {
        ...webhook('add-ons', endpoint, '/validate', 'Ignore', [
          rule(ADDON_GROUP, ['v1alpha1', 'v1beta1'], ['clustermanagementaddons', 'managedclusteraddons'], ['CREATE', 'UPDATE', 'DELETE']),
          rule(ADDON_GROUP, ['v1alpha1', 'v1beta1'], ['addondeploymentconfigs'], ['CREATE', 'UPDATE']),
          rule(WORK_GROUP, ['v1'], ['manifestworks'], ['CREATE', 'UPDATE']),
          rule(OUTRIGGER_GROUP, ['v1alpha1'], ['rolloutpolicies'], ['CREATE', 'UPDATE']),
          rule(CLUSTER_GROUP, ['v1', 'v1beta2'], ['managedclusters', 'managedclustersetbindings'], ['CREATE', 'UPDATE']),
        ]),
        matchConditions: [{ name: 'needs-no-right-of-its-writer', expression: `!(${needsRights})` }],
      },
      {
        ...webhook('rights', endpoint, '/validate', 'Fail', [
          rule(ADDON_GROUP, ['v1alpha1', 'v1beta1'], ['clustermanagementaddons', 'managedclusteraddons'], ['CREATE', 'UPDATE']),
          rule(WORK_GROUP, ['v1'], ['manifestworks'], ['CREATE', 'UPDATE']),
          rule(CLUSTER_GROUP, ['v1', 'v1beta2'], ['managedclusters', 'managedclustersetbindings'], ['CREATE', 'UPDATE']),
        ]),
        matchConditions: [{ name: 'needs-a-right-of-its-writer', expression: needsRights }],
      },
      webhook('templates', endpoint, '/validate', 'Fail', [
        rule(ADDON_GROUP, ['v1alpha1', 'v1beta1'], ['addontemplates'], ['CREATE', 'UPDATE']),
        rule(WORK_GROUP, ['v1alpha1'], ['manifestworkreplicasets'], ['CREATE', 'UPDATE']),
      ]),
      {
        ...webhook('agents', endpoint, '/validate', 'Fail', [rule(CLUSTER_GROUP, ['v1'], ['managedclusters'], ['CREATE', 'UPDATE'])]),
        matchConditions: [{ name: 'writer-is-a-managed-cluster', expression: clusterIdentityExpression(settings) }],
      },
    ],
  };
}

/**
 * A CEL expression that is true if a write may require a permission of its writer. It may also be true for writes that require none, but it
 * is never false for a write that requires one. The manager's own writes require none.
 */
export function rightsExpression({ trustedUsers = [], checkMissingExecutor = false }: WebhookSettings): string {
  const ofResource: Readonly<Record<string, string>> = {
    manifestworks: checkMissingExecutor ? 'true' : EXECUTES,
    clustermanagementaddons: REFERENCES,
    managedclusteraddons: REFERENCES,
    managedclusters: ACCEPTS_OR_MOVES,
    managedclustersetbindings: BINDS_ANOTHER_SET,
  };
  return [
    'request.operation in ["CREATE", "UPDATE"]',
    ...(trustedUsers.length === 0 ? [] : [`!(request.userInfo.username in ${JSON.stringify(trustedUsers)})`]),
    'has(object.spec)',
    Object.entries(ofResource)
      .map(([resource, expression]) => `(request.resource.resource == "${resource}" && (${expression}))`)
      .join(' || '),
  ]
    .map((part) => `(${part})`)
    .join(' && ');
}

const HAS_OLD_SPEC = '(oldObject != null && has(oldObject.spec))';

/** A CEL expression that is true if the work has or had an executor. */
const EXECUTES = `has(object.spec.executor) || (${HAS_OLD_SPEC} && has(oldObject.spec.executor))`;

/** A CEL expression that is true if the spec changed and references objects, in any version of the API. */
const REFERENCES = `(!${HAS_OLD_SPEC} || object.spec != oldObject.spec) && (${[
  'configs',
  'supportedConfigs',
  'defaultConfigs',
  'installStrategy',
]
  .map((field) => `has(object.spec.${field})`)
  .join(' || ')})`;

const setOf = (object: string): string => {
  const labels = `${object}.metadata.labels`;
  const isSet = `has(${labels}) && "${CLUSTER_SET_LABEL}" in ${labels} && ${labels}["${CLUSTER_SET_LABEL}"] != ""`;
  return `(${isSet} ? ${labels}["${CLUSTER_SET_LABEL}"] : "${DEFAULT_CLUSTER_SET}")`;
};
const accepts = (object: string): string => `(has(${object}.spec.hubAcceptsClient) && ${object}.spec.hubAcceptsClient)`;

/** A CEL expression that is true if the write accepts the cluster or changes its cluster set. */
const ACCEPTS_OR_MOVES = [
  `(${accepts('object')} && !(${HAS_OLD_SPEC} && ${accepts('oldObject')}))`,
  `${setOf('object')} != (oldObject == null ? "${DEFAULT_CLUSTER_SET}" : ${setOf('oldObject')})`,
].join(' || ');

const BINDS_ANOTHER_SET = `!(${HAS_OLD_SPEC} && oldObject.spec.clusterSet == object.spec.clusterSet)`;

export function mutatingConfiguration(endpoint: WebhookEndpoint): KubeObject & { readonly webhooks: readonly object[] } {
  return {
    apiVersion: API_VERSION,
    kind: mutatingWebhookConfigurations.kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
    webhooks: [
      webhook('clusters', endpoint, '/mutate', 'Ignore', [rule(CLUSTER_GROUP, ['v1'], ['managedclusters'], ['CREATE', 'UPDATE'])]),
      webhook('rollouts', endpoint, '/mutate', 'Ignore', [rule(OUTRIGGER_GROUP, ['v1alpha1'], ['addonrollouts'], ['CREATE', 'UPDATE'])]),
      {
        // While no webhook responds, the API server rejects certificate requests, because they would keep a lifetime above the maximum.
        ...webhook('certificates', endpoint, '/mutate', 'Fail', [
          rule('certificates.k8s.io', ['v1'], ['certificatesigningrequests'], ['CREATE']),
        ]),
        objectSelector: { matchExpressions: [{ key: CLUSTER_NAME_LABEL, operator: 'Exists' }] },
      },
    ],
  };
}

function webhook(
  name: string,
  endpoint: WebhookEndpoint,
  path: string,
  failurePolicy: 'Ignore' | 'Fail',
  rules: readonly object[],
): object {
  return {
    name: `${name}.admission.outrigger.dev`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    failurePolicy,
    clientConfig: clientConfig(endpoint, path),
    rules,
  };
}

/** Builds a rule. It never matches the status, which many clients write often. */
function rule(group: string, apiVersions: readonly string[], resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [group], apiVersions, resources, operations, scope: '*' };
}
