import { type Client, type Manager, createManager } from '@outrigger/kube';
import { pendingKeys } from '../credentials/secrets.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import { requests } from '../resources/requests.js';
import { type Bootstrap, joinerOf } from './bootstrap.js';
import { joinController } from './controller.js';
import type { JoiningAgentOptions } from './options.js';
import { NamedRequests } from './own-requests.js';
import type { OwnIdentity } from './own-spec.js';

export interface Joining {
  readonly bootstrap: Bootstrap;
  /** The client for the hub, with the bootstrap credential. */
  readonly hub: Client;
  readonly identity: OwnIdentity;
  /** The fingerprint of a certificate that the hub rejects; empty if there is none. */
  readonly refused: string;
  /** Called when the agent has a valid certificate. */
  readonly joined: () => void;
}

/** Creates the runtime (`Manager`) of an agent that is joining. It requests a certificate with the bootstrap credential. */
export function joiningManager(
  { runtime, cluster, annotations = {}, labels = {}, clientConfigs = [] }: JoiningAgentOptions,
  { bootstrap, hub, identity, refused, joined }: Joining,
): Manager {
  const { clusterName, namespace } = identity;
  const { project } = requests(clusterName);
  const controller = joinController({
    identity,
    endpoint: bootstrap.endpoint,
    requests: new NamedRequests({ hub, runtime, project: (object) => project(object, (value) => value), key: { name: clusterName } }),
    pendingKeys: pendingKeys(namespace),
    joining: { announcement: { clusterName, annotations, labels, clientConfigs }, joiner: joinerOf(bootstrap) },
    use: { current: () => '', renewed: joined },
    ...(refused === '' ? {} : { refused }),
  });
  return createManager({ runtime, apis: { [HUB]: hub, [CLUSTER]: cluster }, controllers: [controller] });
}
