import { atomicList, enumeration, object, optional, required, string, withDefault } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';
import { groupResource, SIGNER_NAME } from '../config.js';
import { addOnColumns, configs, installVersion, referenceState, sharedStatus } from '../v1alpha1/managed-cluster-add-on.js';

const spec = object('ManagedClusterAddOnV1beta1Spec', 'The desired state of the add-on on one cluster.', { installVersion, configs });

// v1alpha1 requires the name of the configuration and the name of the signer. Without these rules a v1beta1 client could store objects that
// are invalid in v1alpha1.
const configReference = object(
  'ConfigReferenceV1beta1',
  'A configuration that this add-on uses.',
  { ...groupResource, ...referenceState },
  [
    {
      rule: 'has(self.desiredConfig) || has(self.lastAppliedConfig)',
      message: 'desiredConfig is needed, because it names the configuration',
      reason: 'FieldValueRequired',
      fieldPath: '.desiredConfig',
    },
  ],
);

const user = optional('User name: the common name of the certificate.', string());
const groups = optional('Groups: the organizations of the certificate.', atomicList(string()));

const kubeClient = object('KubeClientRegistrationStatus', "A credential for the hub's API.", {
  subject: optional(
    'The subject of the credential, computed by the hub.',
    object('KubeClientSubject', 'The subject of the credential.', { user, groups }),
  ),
  driver: optional(
    "How the add-on authenticates: with a certificate or with a ServiceAccount token. Written by the cluster's agent.",
    enumeration('csr', 'token'),
  ),
});

const customSigner = object('CustomSignerRegistrationStatus', 'A certificate from a certificate authority of the add-on.', {
  signerName: required('Signer that issues the certificate.', SIGNER_NAME),
  subject: optional(
    'The subject of the certificate, computed by the hub.',
    object('CustomSignerSubject', 'The subject of the certificate.', {
      user,
      groups,
      organizationUnits: optional('Organizational units of the certificate.', atomicList(string())),
    }),
  ),
});

const registration = object(
  'RegistrationConfigV1beta1',
  "A credential that the cluster's agent requests for the add-on.",
  {
    type: required(
      "`kubeClient`: a sign-in to the hub's API. `customSigner`: a certificate from an authority of its own.",
      enumeration('kubeClient', 'customSigner'),
    ),
    kubeClient: optional('With type `kubeClient`.', kubeClient),
    customSigner: optional('With type `customSigner`.', customSigner),
  },
  [
    {
      rule: "self.type != 'customSigner' || has(self.customSigner)",
      message: 'type customSigner needs customSigner',
      reason: 'FieldValueRequired',
      fieldPath: '.customSigner',
    },
  ],
);

const status = object('ManagedClusterAddOnV1beta1Status', 'The observed state of the add-on on this cluster.', {
  ...sharedStatus,
  configReferences: optional('The configurations in use, sorted by group and resource.', atomicList(configReference)),
  registrations: optional(
    "The credentials that the cluster's agent requests for the add-on, computed by the hub.",
    atomicList(registration),
  ),
});

export const managedClusterAddOnV1beta1: KindVersion = {
  version: 'v1beta1',
  typeName: 'ManagedClusterAddOnV1beta1',
  description: 'An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn.',
  spec: required('The desired state.', withDefault(spec, {})),
  status: optional('The observed state. Written by the add-on manager and the agent of the cluster.', status),
  columns: addOnColumns,
};
