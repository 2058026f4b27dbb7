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

const toleration = object('PodToleration', 'A node taint that the pods tolerate.', {
  key: optional('Key of the taint. Empty with operator `Exists` means every taint.', string()),
  operator: optional(
    '`Equal` (the default) compares the value, `Exists` only the key, `Lt` and `Gt` compare numbers.',
    enumeration('Exists', 'Equal', 'Lt', 'Gt', ''),
  ),
  value: optional('Value of the taint, with operator `Equal`.', string()),
  effect: optional('Effect of the taint. Empty means every effect.', enumeration('NoSchedule', 'PreferNoSchedule', 'NoExecute', '')),
  tolerationSeconds: optional('With effect `NoExecute`: how long the taint is tolerated.', integer()),
});

const nodePlacement = object('NodePlacement', 'The nodes on which the pods of the add-on run. Each part can be used without the other.', {
  nodeSelector: optional('Labels that a node must have.', mapOf(string())),
  tolerations: optional('Taints that the pods tolerate.', atomicList(toleration)),
});

const registry = object('ImageMirror', 'Another registry to pull images from.', {
  mirror: required('Registry, optionally with a path, to pull from.', string()),
  source: optional('Registry or prefix that is replaced; empty replaces the registry of every image.', string()),
});

const proxyConfig = object('ProxyConfig', 'How the add-on reaches the hub through a proxy.', {
  httpProxy: optional('Proxy for http addresses.', string()),
  httpsProxy: optional('Proxy for https addresses.', string()),
  noProxy: optional('Hosts, domains and networks reached directly, separated by commas.', string()),
  caBundle: optional('The CA certificates of the proxy, in PEM, base64-encoded.', string({ format: 'byte' })),
});

const resources = object('ContainerResources', 'Compute resources of a container.', {
  limits: optional('The maximum that the container may use.', mapOf(quantity)),
  requests: optional('The amount that is reserved for the container.', mapOf(quantity)),
  claims: optional(
    'Resource claims of the pod that the container uses.',
    mapList(
      object('ContainerResourceClaim', 'A resource claim of the pod.', {
        name: required('Name of the claim in the pod.', string()),
        request: optional('The request of the claim. If absent, all requests.', string()),
      }),
      ['name'],
    ),
  ),
});

const resourceRequirement = object('ContainerResourceRequirements', 'Compute resources of the containers that a pattern matches.', {
  containerID: required(
    'The containers, as `<workload resource>:<workload name>:<container name>`. Each part may be `*`.',
    string({ pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$' }),
  ),
  resources: required('The resources they get.', resources),
});

const spec = object('AddOnDeploymentConfigSpec', 'How the agent of an add-on is deployed.', {
  customizedVariables: optional('Variables for the templates of the add-on.', mapList(customizedVariable, ['name'])),
  nodePlacement: optional('The nodes on which the pods run. If absent, the template decides.', nodePlacement),
  registries: optional('Other registries to pull images from. The last entry that matches an image is used.', atomicList(registry)),
  proxyConfig: optional('How the add-on reaches the hub through a proxy.', proxyConfig),
  agentInstallNamespace: optional(
    'Namespace on the managed cluster. If empty, the namespaces of the template are used.',
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
  description: 'A configuration that several add-ons can share: variables, nodes, images, proxy, namespace and resources of the agent.',
  spec: required('The desired state.', spec),
};
