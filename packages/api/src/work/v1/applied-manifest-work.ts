import { atomicList, object, optional, required, string, time } from '../../schema/builders.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const spec = object('AppliedManifestWorkSpec', 'Which work of which hub.', {
  hubHash: required('SHA-256 of the address of the hub, in hex.', string()),
  agentID: optional('Identity of the agent that applies the work.', string()),
  manifestWorkName: required('Name of the ManifestWork on the hub.', string()),
});

const appliedResource = object('AppliedResource', 'An object that the agent has applied and will remove.', {
  group: optional('API group of the object.', string()),
  version: required('Version of the object.', string()),
  resource: required('Plural resource name of the object.', string()),
  name: required('Name of the object.', string()),
  namespace: optional('Namespace of the object; absent for a cluster-scoped one.', string()),
  uid: optional('UID of the object. An object with another UID does not belong to the work.', string()),
});

const status = object('AppliedManifestWorkStatus', 'The objects on the cluster that belong to the work.', {
  appliedResources: optional('The objects, sorted by group, version, resource, namespace and name.', atomicList(appliedResource)),
  evictionStartTime: optional('The time since which the work is missing on the hub. Its objects are removed after a grace period.', time()),
});

export const appliedManifestWork: KindVersion = {
  version: 'v1',
  typeName: 'AppliedManifestWork',
  description: 'An object on the managed cluster: lists the objects that one ManifestWork created there, and owns them.',
  spec: optional('Which work of which hub.', spec),
  status: optional('The observed state. Written by the agent.', status),
  columns: [{ name: 'WORK', type: 'string', jsonPath: '.spec.manifestWorkName' }, AGE],
};
