import { atomicList, object, optional, required, string, time } from '../../schema/builders.js';
import { AGE, type KindVersion } from '../../schema/kind.js';

const spec = object('AppliedManifestWorkSpec', 'Which work of which hub.', {
  hubHash: required('SHA-256 of the address of the hub, in hex.', string()),
  agentID: optional('Identity of the agent that applies the work.', string()),
  manifestWorkName: required('Name of the ManifestWork on the hub.', string()),
});

const appliedResource = object('AppliedResource', 'An object the agent has applied and will remove.', {
  group: optional('API group of the object.', string()),
  version: required('Version of the object.', string()),
  resource: required('Plural resource name of the object.', string()),
  name: required('Name of the object.', string()),
  namespace: optional('Namespace of the object; absent for a cluster-scoped one.', string()),
  uid: optional('UID of the object; another one means it is not ours.', string()),
});

const status = object('AppliedManifestWorkStatus', 'What stands on the cluster because of the work.', {
  appliedResources: optional('The objects, sorted by group, version, resource, namespace and name.', atomicList(appliedResource)),
  evictionStartTime: optional('Since when the work is missing on the hub; its objects are removed after a grace period.', time()),
});

export const appliedManifestWork: KindVersion = {
  version: 'v1',
  typeName: 'AppliedManifestWork',
  description: 'Lives on the managed cluster: the objects one ManifestWork has put there, and their owner.',
  spec: optional('Which work of which hub.', spec),
  status: optional('What was observed; written by the agent.', status),
  columns: [{ name: 'WORK', type: 'string', jsonPath: '.spec.manifestWorkName' }, AGE],
};
