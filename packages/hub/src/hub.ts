import type { Runtime } from '@outrigger/core';
import { type Client, type Controller, type Leader, type Manager, type Metrics, createManager } from '@outrigger/kube';
import { addOnController } from './controllers/addon/controller.js';
import { fleetController } from './controllers/fleet/controller.js';
import type { BootstrapPolicy } from './controllers/registration/cluster-rules.js';
import { registrationController } from './controllers/registration/controller.js';
import { HUB } from './resources/base.js';

export interface HubOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  /** Where the manager keeps the content of revisions. */
  readonly namespace: string;
  /** Who may have a cluster join without a person approving its request; absent leaves those requests to another manager. */
  readonly bootstrap?: BootstrapPolicy;
  readonly metrics?: Metrics;
  /** Without one this process leads from the start: only for a hub with a single manager. */
  readonly leader?: Leader;
}

/** The add-on manager: all controllers of the hub over one API server. */
export function createHub(options: HubOptions): Manager {
  const controllers = [
    fleetController({ contentNamespace: options.namespace }),
    addOnController(),
    registrationController({ managerNamespace: options.namespace, ...(options.bootstrap ? { bootstrap: options.bootstrap } : {}) }),
  ] as readonly Controller<unknown>[];
  return createManager({
    runtime: options.runtime,
    apis: { [HUB]: options.client },
    controllers,
    component: 'outrigger-hub',
    ...(options.metrics ? { metrics: options.metrics } : {}),
    ...(options.leader ? { leader: options.leader } : {}),
  });
}
