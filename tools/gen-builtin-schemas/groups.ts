/** The group versions of a real server that the embedded server serves, in the order in which discovery lists them. */
export const GROUP_VERSIONS: readonly string[] = [
  'v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'events.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v2',
  'autoscaling/v1',
  'batch/v1',
  'certificates.k8s.io/v1',
  'networking.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'storage.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'coordination.k8s.io/v1',
  'node.k8s.io/v1',
  'discovery.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'resource.k8s.io/v1',
];

/** The resources of the served groups that are left out, because they need a kubelet, a scheduler or a cloud, or are obsolete. */
export const NOT_SERVED: ReadonlySet<string> = new Set(['bindings', 'componentstatuses']);

/** The subresources that are served. The others (`exec`, `proxy`, …) need a kubelet or a scheduler. */
export const SERVED_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'scale', 'approval', 'token', 'finalize', 'eviction', 'log']);
