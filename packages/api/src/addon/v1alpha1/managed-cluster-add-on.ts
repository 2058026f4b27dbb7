import { atomicList, enumeration, integer, mapList, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { chosenVersion, conditions, NAMESPACE_PATTERN } from '../../schema/common.js';
import { AGE, type KindVersion, type PrinterColumn } from '../../schema/kind.js';
import type { FieldDefinition } from '../../schema/types.js';
import {
  addOnConfig,
  addOnMeta,
  configCoordinates,
  configGroupResource,
  configSpecHash,
  groupResource,
  referent,
  SIGNER_NAME,
} from '../config.js';

export const configs: FieldDefinition = optional(
  'Configurations for this cluster. They replace those of the fleet of the same kind.',
  atomicList(addOnConfig),
);

export const installVersion: FieldDefinition = optional(
  'Version to install on this cluster, one of the supported versions of the ClusterManagementAddOn. If absent, its default version is installed.',
  chosenVersion(),
);

const spec = object('ManagedClusterAddOnSpec', 'The desired state of the add-on on one cluster.', {
  installNamespace: optional(
    'Namespace on the managed cluster where the agent runs.',
    withDefault(string({ maxLength: 63, pattern: NAMESPACE_PATTERN }), 'open-cluster-management-agent-addon'),
  ),
  installVersion,
  configs,
});

const objectReference = object('RelatedObject', 'An object that is related to the add-on.', {
  group: required('API group of the object.', string()),
  resource: required('Plural resource name of the object.', string()),
  namespace: optional('Namespace of the object; absent for a cluster-scoped one.', string()),
  name: required('Name of the object.', string()),
});

/** The fields of a config reference other than its identity. */
export const referenceState: Readonly<Record<string, FieldDefinition>> = {
  lastObservedGeneration: optional('The last observed generation of the referenced object.', integer()),
  desiredConfig: optional('The object that should be in use, with the digest of its content.', configSpecHash),
  lastAppliedConfig: optional('The object in use: the last one whose rollout completed on this cluster.', configSpecHash),
};

const configReference = object('ConfigReference', 'A configuration that this add-on uses.', {
  ...groupResource,
  ...referent,
  ...referenceState,
});

const subject = object('RegistrationSubject', 'The subject of the certificate.', {
  user: optional('User name: the common name of the certificate.', string()),
  groups: optional('Groups: the organizations of the certificate.', atomicList(string())),
  organizationUnit: optional('Organizational units of the certificate.', atomicList(string())),
});

const registration = object('RegistrationConfig', "One client certificate the cluster's agent requests for the add-on.", {
  signerName: required('Signer that issues the certificate.', SIGNER_NAME),
  subject: optional('The subject of the certificate, computed by the hub.', subject),
});

const healthCheck = object('HealthCheck', 'How the health of the add-on is determined.', {
  mode: optional(
    "`Lease`: the cluster's agent watches a Lease the add-on renews. `Customized`: the hub probes the add-on's workloads, or the add-on reports itself.",
    withDefault(enumeration('Lease', 'Customized'), 'Lease'),
  ),
});

/** The status fields that v1alpha1 and v1beta1 have in common. */
export const sharedStatus: Readonly<Record<string, FieldDefinition>> = {
  conditions: optional(
    '`Available`, `Degraded`, `Progressing`, `Configured`, `ManifestApplied`, `RegistrationApplied`, and those of other writers.',
    conditions,
  ),
  currentVersion: optional('The version that is completely installed; `unknown` while the add-on moves.', string()),
  lastVersion: optional('The version before the current one; empty after a fresh install, `unknown` if it was never installed.', string()),
  installVersion: optional('The last version that the manager processed.', string()),
  relatedObjects: optional('Objects that are related to the add-on.', atomicList(objectReference)),
  addOnMeta: optional('Name and description for users.', addOnMeta),
  supportedConfigs: optional('Kinds of configuration that this add-on supports.', mapList(configGroupResource, ['group', 'resource'])),
  namespace: optional(
    'Namespace on the managed cluster in which the agent runs and which contains its Secrets and its Lease. The hub sets it.',
    string(),
  ),
  healthCheck: optional('How the health of the add-on is determined.', healthCheck),
};

const status = object('ManagedClusterAddOnStatus', 'The observed state of the add-on on this cluster.', {
  ...sharedStatus,
  addOnConfiguration: optional('Deprecated and ignored: see configReferences.', configCoordinates),
  configReferences: optional('The configurations in use, sorted by group and resource.', atomicList(configReference)),
  registrations: optional(
    "The certificates that the cluster's agent requests for the add-on, computed by the hub.",
    atomicList(registration),
  ),
  kubeClientDriver: optional(
    "How the add-on authenticates to the hub: with a certificate or with a ServiceAccount token. Written by the cluster's agent.",
    enumeration('csr', 'token'),
  ),
});

export const addOnColumns: readonly PrinterColumn[] = [
  { name: 'VERSION', type: 'string', jsonPath: '.status.currentVersion' },
  { name: 'AVAILABLE', type: 'string', jsonPath: '.status.conditions[?(@.type=="Available")].status' },
  { name: 'DEGRADED', type: 'string', jsonPath: '.status.conditions[?(@.type=="Degraded")].status' },
  { name: 'PROGRESSING', type: 'string', jsonPath: '.status.conditions[?(@.type=="Progressing")].status' },
  { name: 'REASON', type: 'string', jsonPath: '.status.conditions[?(@.type=="Progressing")].reason' },
  AGE,
];

export const managedClusterAddOn: KindVersion = {
  version: 'v1alpha1',
  typeName: 'ManagedClusterAddOn',
  description: 'An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn.',
  // The spec may be empty, because an add-on without a spec follows the fleet's settings.
  spec: required('The desired state.', withDefault(spec, {})),
  status: optional('The observed state. Written by the add-on manager and the agent of the cluster.', status),
  columns: addOnColumns,
};
