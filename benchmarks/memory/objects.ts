import { createHash } from 'node:crypto';

/** The state of one add-on at one point in time. */
export interface AddOnAt {
  readonly cluster: number;
  readonly addOn: number;
  /** The resourceVersion of the next write. */
  readonly version: number;
  /** The number of the revision, starting at 1. */
  readonly revision: number;
  /** The time at which the hub wrote the add-on's status and work, in seconds after the creation of the fleet. */
  readonly second: number;
  readonly isSettled: boolean;
}

const CREATED = Date.parse('2026-01-01T00:00:00Z');
const GROUP = 'addon.open-cluster-management.io';
const CONDITION_FIELDS = fields('lastTransitionTime', 'message', 'observedGeneration', 'reason', 'status', 'type');

/** Returns the JSON of a ManagedClusterAddOn as the manager of this project writes it, with all its managed fields. */
export function addOnText({ cluster, addOn, version, revision, second, isSettled }: AddOnAt): string {
  const name = `addon${addOn}`;
  const specHash = digest(`${name}@${revision}`);
  const condition = (type: string, reason: string, message: string, status = 'True', at = second): object => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: timeAt(at),
    observedGeneration: 1,
  });
  return JSON.stringify({
    kind: 'ManagedClusterAddOn',
    apiVersion: `${GROUP}/v1alpha1`,
    metadata: {
      name,
      namespace: clusterName(cluster),
      annotations: { 'outrigger.dev/installed-spec': '44136fa355b3678a' },
      ownerReferences: [owner('ClusterManagementAddOn', name, uidOf(`declaration/${name}`))],
      creationTimestamp: timeAt(second),
      uid: uidOf(`addon/${cluster}/${name}`),
      generation: 1,
      managedFields: [
        managed('outrigger-installer', second, {
          'f:metadata': { 'f:annotations': { '.': {}, 'f:outrigger.dev/installed-spec': {} }, 'f:ownerReferences': { '.': {} } },
          'f:spec': { '.': {}, 'f:installNamespace': {} },
        }),
        {
          ...managed('outrigger-hub', second, {
            'f:status': {
              '.': {},
              'f:conditions': Object.fromEntries(
                ['Available', 'Configured', 'ManifestApplied', 'Progressing', 'RegistrationApplied'].map((type) => [
                  `k:{"type":"${type}"}`,
                  CONDITION_FIELDS,
                ]),
              ),
              ...fields('configReferences', 'namespace'),
            },
          }),
          subresource: 'status',
        },
      ],
      resourceVersion: String(version),
    },
    spec: { installNamespace: 'open-cluster-management-agent-addon' },
    status: {
      healthCheck: { mode: 'Customized' },
      supportedConfigs: [
        { group: GROUP, resource: 'addondeploymentconfigs' },
        { group: GROUP, resource: 'addontemplates' },
      ],
      namespace: name,
      configReferences: [
        {
          group: GROUP,
          resource: 'addontemplates',
          name,
          lastObservedGeneration: revision,
          desiredConfig: { name, specHash },
          lastAppliedConfig: { name, specHash: isSettled ? specHash : digest(`${name}@${revision - 1}`) },
        },
      ],
      conditions: [
        condition('Configured', 'ConfigurationsConfigured', 'Configurations configured'),
        isSettled
          ? condition('Progressing', 'Succeed', 'upgrade completed with no errors.', 'False', second + 3)
          : condition('Progressing', 'Upgrading', 'upgrading... some ManifestWorks are still being applied'),
        condition('RegistrationApplied', 'NilRegistration', 'Registration of the addon agent is configured'),
        condition('Available', 'ProbeAvailable', `${name} add-on is available.`, 'True', second + 3),
        condition('ManifestApplied', 'AddonManifestApplied', 'manifests of addon are applied successfully', 'True', second + 3),
      ],
    },
  });
}

/**
 * Returns the JSON of the add-on's ManifestWork. It contains a Deployment with the cluster's name, so that the works of two clusters
 * differ.
 */
export function workText({ cluster, addOn, version, revision, second, isSettled }: AddOnAt): string {
  const addOnName = `addon${addOn}`;
  const name = `${addOnName}-agent`;
  const labels = { app: addOnName };
  const env = [{ name: 'CLUSTER_NAME', value: clusterName(cluster) }];
  const container = { name: 'agent', image: `example.com/agent:${revision}`, env };
  const value = (of: string, integer: number): object => ({ name: of, fieldValue: { type: 'Integer', integer } });
  const condition = (type: string, reason: string): object => ({
    type,
    status: 'True',
    reason,
    message: '',
    lastTransitionTime: timeAt(second),
    observedGeneration: isSettled ? revision : revision - 1,
  });
  return JSON.stringify({
    kind: 'ManifestWork',
    apiVersion: 'work.open-cluster-management.io/v1',
    metadata: {
      name: `addon-${addOnName}-deploy-0`,
      namespace: clusterName(cluster),
      labels: { 'open-cluster-management.io/addon-name': addOnName },
      annotations: {
        'open-cluster-management.io/config-spec-hash': `{"addontemplates.${GROUP}//${addOnName}":"${digest(`${addOnName}@${revision}`)}"}`,
        'outrigger.dev/render-inputs': digest(`inputs/${cluster}/${addOn}/${revision}`).slice(0, 16),
        'outrigger.dev/install-namespace': addOnName,
        'outrigger.dev/written': `${digest(`written/${cluster}/${addOn}/${revision}`).slice(0, 16)}/${revision}@1`,
      },
      ownerReferences: [owner('ManagedClusterAddOn', addOnName, uidOf(`addon/${cluster}/${addOnName}`))],
      creationTimestamp: timeAt(second),
      uid: uidOf(`work/${cluster}/${addOn}`),
      generation: revision,
      managedFields: [
        managed('outrigger-hub', second, {
          'f:metadata': { 'f:annotations': fields('outrigger.dev/render-inputs', 'outrigger.dev/written') },
          'f:spec': { '.': {}, 'f:manifestConfigs': {}, 'f:workload': { '.': {}, 'f:manifests': {} } },
        }),
      ],
      resourceVersion: String(version),
    },
    spec: {
      workload: {
        manifests: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name, namespace: addOnName, labels },
            spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
          },
        ],
      },
      manifestConfigs: [
        {
          resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: addOnName, name },
          feedbackRules: [{ type: 'WellKnownStatus' }],
        },
      ],
    },
    status: {
      conditions: [condition('Applied', 'AppliedManifestWorkComplete'), condition('Available', 'ResourcesAvailable')],
      resourceStatus: {
        manifests: [
          {
            resourceMeta: {
              ordinal: 0,
              group: 'apps',
              version: 'v1',
              kind: 'Deployment',
              resource: 'deployments',
              name,
              namespace: addOnName,
            },
            statusFeedback: { values: [value('Generation', revision), value('ReadyReplicas', 1), value('AvailableReplicas', 1)] },
            conditions: [condition('Applied', 'AppliedManifestComplete')],
          },
        ],
      },
    },
  });
}

export function clusterName(cluster: number): string {
  return `cluster-${String(cluster).padStart(5, '0')}`;
}

function owner(kind: string, name: string, uid: string): object {
  return { apiVersion: `${GROUP}/v1alpha1`, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function managed(manager: string, second: number, fieldsV1: object): object {
  return { manager, operation: 'Update', apiVersion: `${GROUP}/v1alpha1`, time: timeAt(second), fieldsType: 'FieldsV1', fieldsV1 };
}

function fields(...names: readonly string[]): object {
  return Object.fromEntries(['.', ...names.map((name) => `f:${name}`)].map((name) => [name, {}]));
}

function timeAt(second: number): string {
  return new Date(CREATED + second * 1000).toISOString().replace('.000', '');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function uidOf(text: string): string {
  const hex = digest(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
