import {
  atomicList,
  enumeration,
  integer,
  mapList,
  mapOf,
  object,
  optional,
  required,
  string,
  withDefault,
} from '../../schema/builders.js';
import { quantity } from '../../schema/common.js';
import type { KindVersion } from '../../schema/kind.js';

const customizedVariable = object('CustomizedVariable', 'A variable for the templates of the add-on.', {
  name: required('Name of the variable, as in `{{NAME}}`.', string({ maxLength: 255, pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$' })),
  value: optional('Text it stands for.', string({ maxLength: 1024 })),
});

const toleration = object('PodToleration', 'A taint of nodes the pods put up with.', {
  key: optional('Key of the taint; empty with operator `Exists` is every taint.', string()),
  operator: optional(
    '`Equal` (the default) compares the value, `Exists` only the key, `Lt` and `Gt` compare numbers.',
    enumeration('Exists', 'Equal', 'Lt', 'Gt', ''),
  ),
  value: optional('Value of the taint, with operator `Equal`.', string()),
  effect: optional('Effect of the taint; empty is every effect.', enumeration('NoSchedule', 'PreferNoSchedule', 'NoExecute', '')),
  tolerationSeconds: optional('With effect `NoExecute`: how long the taint is put up with.', integer()),
});

const nodePlacement = object('NodePlacement', 'On which nodes the pods of the add-on run. Either part is used on its own.', {
  nodeSelector: optional('Labels a node must carry.', mapOf(string())),
  tolerations: optional('Taints the pods put up with.', atomicList(toleration)),
});

const registry = object('ImageMirror', 'Where images are pulled from instead.', {
  mirror: required('Registry, optionally with a path, to pull from.', string()),
  source: optional('Registry or prefix that is replaced; empty replaces the registry of every image.', string()),
});

const proxyConfig = object('ProxyConfig', 'How the add-on reaches the hub through a proxy.', {
  httpProxy: optional('Proxy for http addresses.', string()),
  httpsProxy: optional('Proxy for https addresses.', string()),
  noProxy: optional('Hosts, domains and networks reached directly, separated by commas.', string()),
  caBundle: optional('Base64 of the PEM certificates the proxy is trusted by.', string({ format: 'byte' })),
});

const resources = object('ContainerResources', 'Compute resources of a container.', {
  limits: optional('The most the container may use.', mapOf(quantity)),
  requests: optional('What is set aside for the container.', mapOf(quantity)),
  claims: optional(
    'Resource claims of the pod the container uses.',
    mapList(
      object('ContainerResourceClaim', 'A resource claim of the pod.', {
        name: required('Name of the claim in the pod.', string()),
        request: optional('The request of the claim that is meant; absent is all of them.', string()),
      }),
      ['name'],
    ),
  ),
});

const resourceRequirement = object('ContainerResourceRequirements', 'Compute resources for the containers a pattern names.', {
  containerID: required(
    'Which containers: `<workload resource>:<workload name>:<container name>`, each part may be `*`.',
    string({ pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$' }),
  ),
  resources: required('The resources they get.', resources),
});

const spec = object('AddOnDeploymentConfigSpec', 'How the agent of an add-on is deployed.', {
  customizedVariables: optional('Variables for the templates of the add-on.', mapList(customizedVariable, ['name'])),
  nodePlacement: optional('On which nodes the pods run; absent leaves the template as it is.', nodePlacement),
  registries: optional('Where images are pulled from instead; the last entry that matches an image is used.', atomicList(registry)),
  proxyConfig: optional('How the add-on reaches the hub through a proxy.', proxyConfig),
  agentInstallNamespace: optional(
    'Namespace on the managed cluster; empty leaves the namespaces of the template as they are.',
    withDefault(string({ maxLength: 63, pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$' }), 'open-cluster-management-agent-addon'),
  ),
  resourceRequirements: optional(
    'Compute resources of containers; the last entry that matches a container is used.',
    mapList(resourceRequirement, ['containerID']),
  ),
});

export const addOnDeploymentConfig: KindVersion = {
  version: 'v1alpha1',
  typeName: 'AddOnDeploymentConfig',
  description: 'A configuration many add-ons share: variables, nodes, images, proxy, namespace and resources of the agent.',
  spec: required('The desired state.', spec),
};
