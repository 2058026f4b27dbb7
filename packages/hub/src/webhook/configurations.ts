import { ADDON_GROUP, CLUSTER_GROUP, CLUSTER_NAME_LABEL, OUTRIGGER_GROUP, WORK_GROUP, clusterIdentityExpression } from '@outrigger/api';
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

/** The part of a webhook's entry that contains its endpoint. */
export function clientConfig(endpoint: WebhookEndpoint, path: string): object {
  const caBundle = btoa(endpoint.caBundle);
  return 'url' in endpoint ? { url: `${endpoint.url}${path}`, caBundle } : { service: { port: 443, ...endpoint.service, path }, caBundle };
}

/** The settings of the hub's admission that decide which writes must wait for it. */
export interface WebhookSettings {
  readonly trustedUsers?: readonly string[];
  readonly checkMissingExecutor?: boolean;
}

/**
 * The writes that the API server sends to the webhook. Rules that only catch mistakes are skipped while no webhook responds, since the
 * controllers check again. Rules about the permissions of the writer are checked nowhere else, so these writes are rejected while no
 * webhook responds: the permissions that a template grants, the objects and templates that a declaration or an add-on newly references, the
 * executor of a work or of a ManifestWorkReplicaSet, and the fields of its ManagedCluster that a managed cluster writes.
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
        ]),
        matchConditions: [{ name: 'needs-a-right-of-its-writer', expression: needsRights }],
      },
      webhook('templates', endpoint, '/validate', 'Fail', [
        rule(ADDON_GROUP, ['v1alpha1', 'v1beta1'], ['addontemplates'], ['CREATE', 'UPDATE']),
        rule(WORK_GROUP, ['v1alpha1'], ['manifestworkreplicasets'], ['CREATE', 'UPDATE']),
      ]),
      {
        ...webhook('agents', endpoint, '/validate', 'Fail', [rule(CLUSTER_GROUP, ['v1'], ['managedclusters'], ['CREATE', 'UPDATE'])]),
        matchConditions: [{ name: 'writer-is-a-managed-cluster', expression: clusterIdentityExpression({}) }],
      },
    ],
  };
}

/**
 * A CEL expression over a write of a declaration, an add-on or a work: true if the write may require a permission of its writer: a changed
 * spec of a declaration or add-on that references objects, or a work that has or had an executor. The manager's own writes require none.
 */
function rightsExpression({ trustedUsers = [], checkMissingExecutor = false }: WebhookSettings): string {
  const references = ['configs', 'supportedConfigs', 'defaultConfigs', 'installStrategy'].map((field) => `has(object.spec.${field})`);
  const isChanged = '(oldObject == null || !has(oldObject.spec) || object.spec != oldObject.spec)';
  const executor = '(has(object.spec.executor) || (oldObject != null && has(oldObject.spec) && has(oldObject.spec.executor)))';
  const work = checkMissingExecutor ? 'true' : executor;
  return [
    'request.operation in ["CREATE", "UPDATE"]',
    ...(trustedUsers.length === 0 ? [] : [`!(request.userInfo.username in ${JSON.stringify(trustedUsers)})`]),
    'has(object.spec)',
    [
      `(request.resource.resource == "manifestworks" && ${work})`,
      `(request.resource.resource in ["clustermanagementaddons", "managedclusteraddons"] && ${isChanged} && (${references.join(' || ')}))`,
    ].join(' || '),
  ]
    .map((part) => `(${part})`)
    .join(' && ');
}

export function mutatingConfiguration(endpoint: WebhookEndpoint): KubeObject & { readonly webhooks: readonly object[] } {
  return {
    apiVersion: API_VERSION,
    kind: mutatingWebhookConfigurations.kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
    webhooks: [
      webhook('clusters', endpoint, '/mutate', 'Ignore', [rule(CLUSTER_GROUP, ['v1'], ['managedclusters'], ['CREATE', 'UPDATE'])]),
      {
        ...webhook('certificates', endpoint, '/mutate', 'Ignore', [
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

/** Never matches status: it is written often, by many writers. */
function rule(group: string, apiVersions: readonly string[], resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [group], apiVersions, resources, operations, scope: '*' };
}
