import { type Client, type Manager, createManager } from '@outrigger/kube';
import { pendingKeys } from '../credentials/secrets.js';
import { CLUSTER, HUB } from '../resources/apis.js';
import { requests } from '../resources/requests.js';
import type { Bootstrap } from './bootstrap.js';
import { joinController } from './controller.js';
import type { JoiningAgentOptions } from './options.js';
import { NamedRequests } from './own-requests.js';
import type { OwnIdentity } from './own-spec.js';

export interface Joining {
  readonly bootstrap: Bootstrap;
  /** The hub, reached with the bootstrap credential. */
  readonly hub: Client;
  readonly identity: OwnIdentity;
  /** Fingerprint of a certificate that the hub refuses; empty for none. */
  readonly refused: string;
  /** Called when there is a new certificate. */
  readonly stored: () => void;
  readonly signal: AbortSignal;
}

const JOIN_CONTROLLER = 'join';

/**
 * Requests a certificate with the bootstrap credential until there is one. The caller starts it with `look`, because there may be no object
 * yet whose event would.
 */
export function joiningManager(
  { runtime, cluster, annotations = {}, labels = {}, clientConfigs = [] }: JoiningAgentOptions,
  { bootstrap, hub, identity, refused, stored, signal }: Joining,
): { readonly manager: Manager; readonly look: () => void } {
  const { clusterName, namespace } = identity;
  const { project } = requests(clusterName);
  const look = (): void => manager.enqueue(JOIN_CONTROLLER, { name: clusterName });
  const controller = joinController({
    identity,
    endpoint: bootstrap.endpoint,
    requests: new NamedRequests({ hub, runtime, project: (object) => project(object, (value) => value), changed: look, signal }),
    pendingKeys: pendingKeys(namespace),
    announcement: { clusterName, annotations, labels, clientConfigs },
    stored,
    ...(refused === '' ? {} : { refused }),
  });
  const manager: Manager = createManager({
    runtime,
    apis: { [HUB]: hub, [CLUSTER]: cluster },
    controllers: [controller],
  });
  return { manager, look };
}
