import { atomicList, enumeration, object, optional, required, string } from '../../schema/builders.js';
import { NAMESPACE_PATTERN, subdomain } from '../../schema/common.js';
import { AGE, type KindVersion } from '../../schema/kind.js';
import { templateWorkSpec } from '../../work/v1/work-spec.js';
import { SIGNER_NAME } from '../config.js';

const namespaceName = string({ minLength: 1, maxLength: 63, pattern: NAMESPACE_PATTERN });

const roleRef = object('RoleReference', 'A role on the hub.', {
  apiGroup: optional('API group of the role; always `rbac.authorization.k8s.io`.', enumeration('rbac.authorization.k8s.io', '')),
  kind: required('Whether it is a Role or a ClusterRole.', enumeration('Role', 'ClusterRole')),
  name: required('Name of the role.', string({ minLength: 1 })),
});

const currentCluster = object('CurrentClusterBinding', "A binding in the cluster's own namespace.", {
  clusterRoleName: required('ClusterRole that is bound.', string({ minLength: 1 })),
});

const singleNamespace = object('SingleNamespaceBinding', 'A binding in one namespace.', {
  namespace: required('Namespace on the hub.', namespaceName),
  roleRef: optional('The role to bind. Set it here or next to `type`.', roleRef),
});

const hubPermission = object(
  'HubPermission',
  'A permission of the agent on the hub. A RoleBinding grants it to the group of the agent.',
  {
    type: required(
      "Where the role is bound: `CurrentCluster` in the cluster's namespace, `SingleNamespace` in a namespace named here.",
      enumeration('CurrentCluster', 'SingleNamespace'),
    ),
    roleRef: optional('The role to bind. Set it here or in the field that belongs to `type`.', roleRef),
    currentCluster: optional('With type `CurrentCluster`: the ClusterRole, if `roleRef` does not name it.', currentCluster),
    singleNamespace: optional('With type `SingleNamespace`: the namespace, and the role if it is not set next to `type`.', singleNamespace),
  },
  [
    {
      rule: "self.type != 'CurrentCluster' || has(self.roleRef) != has(self.currentCluster)",
      message: 'type CurrentCluster needs exactly one of roleRef and currentCluster',
      fieldPath: '.currentCluster',
    },
    {
      rule: "self.type == 'CurrentCluster' || !has(self.currentCluster)",
      message: 'currentCluster belongs to type CurrentCluster',
      reason: 'FieldValueForbidden',
      fieldPath: '.currentCluster',
    },
    {
      rule: "self.type == 'SingleNamespace' ? has(self.singleNamespace) : !has(self.singleNamespace)",
      message: 'singleNamespace is needed with type SingleNamespace, and belongs to no other',
      fieldPath: '.singleNamespace',
    },
    {
      rule: "self.type != 'SingleNamespace' || !has(self.singleNamespace) || has(self.roleRef) != has(self.singleNamespace.roleRef)",
      message: 'type SingleNamespace needs exactly one of roleRef and singleNamespace.roleRef',
      fieldPath: '.singleNamespace.roleRef',
    },
  ],
);

const kubeClient = object('KubeClientRegistration', "What the agent may do with the hub's API.", {
  hubPermissions: optional('Permissions of the agent on the hub.', atomicList(hubPermission, { maxItems: 64 })),
});

const subject = object('TemplateSubject', 'The subject of the certificate, instead of the default.', {
  user: required('User name: the common name of the certificate.', string()),
  groups: optional('Groups: the organizations of the certificate.', atomicList(string())),
  organizationUnit: optional('Organizational units of the certificate.', atomicList(string())),
});

const signingCA = object('SigningCAReference', 'A Secret with the certificate and key of a certificate authority.', {
  namespace: optional('Namespace of the Secret. Defaults to the namespace of the hub manager.', namespaceName),
  name: required('Name of the Secret. It contains `ca.crt` and `ca.key`, or `tls.crt` and `tls.key`.', subdomain()),
});

const customSigner = object('CustomSignerRegistration', 'A certificate from your own certificate authority.', {
  signerName: required('Name of the signer in the certificate requests.', SIGNER_NAME),
  subject: optional('The subject of the certificate. Defaults to the default user and groups of the add-on.', subject),
  signingCA: required('The certificate authority that signs.', signingCA),
});

const registration = object(
  'TemplateRegistration',
  'One credential of the agent.',
  {
    type: required(
      "`KubeClient`: a kubeconfig for the hub's API. `CustomSigner`: a certificate from an authority of your own.",
      enumeration('KubeClient', 'CustomSigner'),
    ),
    kubeClient: optional(
      'With type `KubeClient`: the permissions of the agent. If absent, the agent can authenticate but has no permissions.',
      kubeClient,
    ),
    customSigner: optional('With type `CustomSigner`: signer, subject and authority.', customSigner),
  },
  [
    {
      rule: "self.type != 'CustomSigner' || has(self.customSigner)",
      message: 'type CustomSigner needs customSigner',
      reason: 'FieldValueRequired',
      fieldPath: '.customSigner',
    },
  ],
);

const registrations = atomicList(registration, {
  maxItems: 16,
  'x-kubernetes-validations': [
    { rule: "self.filter(r, r.type == 'KubeClient').size() <= 1", message: 'at most one registration may be of type KubeClient' },
  ],
});

const spec = object('AddOnTemplateSpec', 'The agent of an add-on and its credentials.', {
  addonName: required('The add-on to which this template belongs (the name of its ClusterManagementAddOn).', string({ minLength: 1 })),
  agentSpec: required(
    'The manifests that are applied on each managed cluster. `{{NAME}}` is replaced by the value of a variable.',
    templateWorkSpec,
  ),
  registration: optional('Credentials of the agent on the hub.', registrations),
});

export const addOnTemplate: KindVersion = {
  version: 'v1alpha1',
  typeName: 'AddOnTemplate',
  description:
    'An add-on as data: the manifests of its agent and its credentials. The label `open-cluster-management.io/addon-version` makes it one version of the add-on.',
  spec: required('The desired state.', spec),
  columns: [
    { name: 'ADDON NAME', type: 'string', jsonPath: '.spec.addonName' },
    { name: 'VERSION', type: 'string', jsonPath: '.metadata.labels.open-cluster-management\\.io/addon-version' },
    AGE,
  ],
};
