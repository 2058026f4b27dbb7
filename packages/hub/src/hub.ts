import type { Runtime } from '@outrigger/core';
import { type Client, type Controller, type Leader, type Manager, type Metrics, type Resource, createManager } from '@outrigger/kube';
import { configurationsController } from './configuration/controller.js';
import { type ConfigDigest, FollowedConfigs } from './configuration/followed-configs.js';
import type { ConfigProblem } from './configuration/lookup.js';
import { type ConfigRef, refKey } from './configuration/references.js';
import { ADDON_CONTROLLER, addOnController } from './controllers/addon/controller.js';
import { addOnsUsing } from './controllers/addon/wake.js';
import { type ClusterOptions, clusterControllers } from './controllers/clusters/index.js';
import { FLEET_CONTROLLER, fleetController } from './controllers/fleet/controller.js';
import type { RemovalPolicy } from './controllers/fleet/removal.js';
import { placementController } from './controllers/placement/controller.js';
import { type BootstrapPolicy, NOBODY_ELSE } from './controllers/registration/cluster-rules.js';
import { registrationController } from './controllers/registration/controller.js';
import { fleetTallies } from './fleet-metrics.js';
import { labelMade } from './made-labels.js';
import { RequestProblems } from './registration/request-problems.js';
import { HUB } from './resources/base.js';
import { contents } from './resources/contents.js';
import { rollouts } from './resources/rollouts.js';
import { declarations } from './resources/declarations.js';
import { ServedFields } from './served-fields.js';

export interface HubOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  /** Where the manager keeps the content of revisions. */
  readonly namespace: string;
  /** Who may have a cluster join without a person approving its request, besides the holders of join tokens. */
  readonly bootstrap?: BootstrapPolicy;
  /** Longest life of a certificate that the signer of a template issues. Default: a day. */
  readonly maxCertificateSeconds?: number;
  /** False where upstream's placement controller runs. */
  readonly placement?: false;
  /** Labels of the namespaces, accounts, roles and bindings the manager makes. */
  readonly labels?: Readonly<Record<string, string>>;
  /** How clusters are treated; false where upstream's registration controllers run. */
  readonly clusters?: ClusterOptions | false;
  /** When add-ons go from clusters that are not selected any more; what is left out is as documented. */
  readonly removal?: Partial<RemovalPolicy>;
  /** The renderer of revisions made from now on; the newest if left out. Existing revisions keep the renderer they were made with. */
  readonly renderer?: number;
  readonly metrics?: Metrics;
  /** Without one this process leads from the start: only for a hub with a single manager. */
  readonly leader?: Leader;
}

/** On AddOnRollouts: the term of the leader that last took them over. */
const TERM = 'outrigger.dev/term';

/** The add-on manager: all controllers of the hub over one API server. */
export function createHub(options: HubOptions): Manager {
  const configs = new FollowedConfigs({
    client: options.client,
    runtime: options.runtime,
    changed: (...change) => wake(manager, ...change),
  });
  const problems = new RequestProblems((addOn) => manager.enqueue(ADDON_CONTROLLER, addOn));
  const shared = { contentNamespace: options.namespace, foreignConfigs: configs };
  const controllers = [
    fleetController({ ...shared, removal: options.removal, renderer: options.renderer }),
    addOnController({ ...shared, requestProblems: problems, ...(options.metrics ? { metrics: options.metrics } : {}) }),
    configurationsController(configs),
    registrationController({
      managerNamespace: options.namespace,
      problems,
      ...(options.maxCertificateSeconds === undefined ? {} : { maxCertificateSeconds: options.maxCertificateSeconds }),
      ...(options.clusters === false ? {} : { bootstrap: options.bootstrap ?? NOBODY_ELSE }),
    }),
    ...(options.placement === false ? [] : [placementController()]),
    ...(options.clusters === false ? [] : clusterControllers(options.clusters)),
  ] as readonly Controller<unknown>[];
  const served = new ServedFields();
  const manager = createManager({
    runtime: options.runtime,
    apis: { [HUB]: options.client },
    controllers: controllers.map((controller) => labelMade(served.guard(controller), options.labels ?? {})),
    component: 'outrigger-hub',
    namespaces: new Map([[contents as unknown as Resource, options.namespace]]),
    ...(options.metrics ? { metrics: options.metrics, tallies: fleetTallies } : {}),
    // A late write of an old leader loses to any later one: every write names the revision it was computed from, and a new leader
    // moves the revision of every record before it decides anything.
    ...(options.leader ? { leader: options.leader, pinRevisions: true, claim: { resources: [rollouts], annotation: TERM } } : {}),
  });
  return afterReading(manager, () => served.read(options.client, options.runtime.log));
}

/** The same manager, started once something was read. */
function afterReading(manager: Manager, read: () => Promise<void>): Manager {
  return {
    ...manager,
    get isSynced() {
      return manager.isSynced;
    },
    get isActive() {
      return manager.isActive;
    },
    get isSettled() {
      return manager.isSettled;
    },
    get nextPassInMs() {
      return manager.nextPassInMs;
    },
    async start() {
      await read();
      await manager.start();
    },
  };
}

/** A configuration of another kind than our own changed: the caches do not tell. */
function wake(manager: Manager, ref: ConfigRef, before: ConfigDigest | ConfigProblem, after: ConfigDigest | ConfigProblem): void {
  const hasComeOrGone = typeof before === 'string' || typeof after === 'string';
  for (const key of addOnsUsing(manager.view, ref, hasComeOrGone)) manager.enqueue(ADDON_CONTROLLER, key);
  for (const { key } of manager.view.byIndex(declarations, 'config', refKey(ref))) manager.enqueue(FLEET_CONTROLLER, key);
}
