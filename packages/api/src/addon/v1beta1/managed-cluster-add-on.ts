import { atomicList, enumeration, object, optional, required, string, withDefault } from '../../schema/builders.js';
import type { KindVersion } from '../../schema/kind.js';
import { groupResource, SIGNER_NAME } from '../config.js';
import { addOnColumns, configs, installVersion, referenceState, sharedStatus } from '../v1alpha1/managed-cluster-add-on.js';

const spec = object('ManagedClusterAddOnV1beta1Spec', 'The desired state of the add-on on one cluster.', { installVersion, configs });

const configReference = object('ConfigReferenceV1beta1', 'A configuration this add-on uses.', { ...groupResource, ...referenceState });

const user = optional('User name: the common name of the certificate.', string());
const groups = optional('Groups: the organizations of the certificate.', atomicList(string()));

const kubeClient = object('KubeClientRegistrationStatus', "A sign-in to the hub's API.", {
  subject: optional(
    'Whom the credential names, computed by the hub.',
    object('KubeClientSubject', 'Whom the credential names.', { user, groups }),
  ),
  driver: optional(
    "How the add-on signs in: with a certificate or with a ServiceAccount token. Written by the cluster's agent.",
    enumeration('csr', 'token'),
  ),
});

const customSigner = object('CustomSignerRegistrationStatus', 'A certificate from an authority of its own.', {
  signerName: required('Signer that issues the certificate.', SIGNER_NAME),
  subject: optional(
    'Whom the certificate names, computed by the hub.',
    object('CustomSignerSubject', 'Whom the certificate names.', {
      user,
      groups,
      organizationUnits: optional('Organizational units of the certificate.', atomicList(string())),
    }),
  ),
});

const registration = object('RegistrationConfigV1beta1', "One credential the cluster's agent requests for the add-on.", {
  type: required(
    "`kubeClient`: a sign-in to the hub's API. `customSigner`: a certificate from an authority of its own.",
    enumeration('kubeClient', 'customSigner'),
  ),
  kubeClient: optional('With type `kubeClient`.', kubeClient),
  customSigner: optional('With type `customSigner`.', customSigner),
});

const status = object('ManagedClusterAddOnV1beta1Status', 'What is known about the add-on on this cluster.', {
  ...sharedStatus,
  configReferences: optional('The configurations in use, sorted by group and resource.', atomicList(configReference)),
  registrations: optional("The credentials the cluster's agent requests for the add-on, computed by the hub.", atomicList(registration)),
});

export const managedClusterAddOnV1beta1: KindVersion = {
  version: 'v1beta1',
  typeName: 'ManagedClusterAddOnV1beta1',
  description: 'An add-on on one managed cluster; its namespace is the name of the cluster, its name that of the ClusterManagementAddOn.',
  spec: required('The desired state.', withDefault(spec, {})),
  status: optional('What was observed; written by the add-on manager and the agent of the cluster.', status),
  columns: addOnColumns,
};
