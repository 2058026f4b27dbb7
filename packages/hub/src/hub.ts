import type { Metrics, ObjectKey, Runtime } from '@outrigger/core';
import { type CacheView, type Client, type Leader, type Manager, type Resource, createManager } from '@outrigger/kube';
import { configurationsController } from './configuration/controller.js';
import { type ConfigChange, FollowedConfigs } from './configuration/followed-configs.js';
import { refKey } from '@outrigger/rules/configuration';
import { addOnController } from './controllers/addon/controller.js';
import { addOnsUsing } from './controllers/addon/wake.js';
import { clusterControllers } from './controllers/clusters/controllers.js';
import type { ClusterOptions } from './controllers/clusters/state.js';
import { fleetController } from './controllers/fleet/controller.js';
import type { RemovalPolicy } from './controllers/fleet/removal.js';
import { placementController } from './controllers/placement/controller.js';
import { type BootstrapPolicy, NO_BOOTSTRAP_USERS } from './controllers/registration/cluster-rules.js';
import { registrationController } from './controllers/registration/controller.js';
import { replicaSetController } from './controllers/replica-sets/controller.js';
import { fleetTallies } from './fleet-metrics.js';
import { labelMade } from './made-labels.js';
import { RequestProblems } from './registration/request-problems.js';
import { HUB } from './resources/base.js';
import { targetRecords } from './resources/target-records.js';
import { storedContents } from './resources/stored-contents.js';
import { rollouts } from './resources/rollouts.js';
import { declarations } from './resources/declarations.js';
import { DecisionEnforcement } from './rollout-policies/decision-enforcement.js';
import { Measurements } from './rollout-policies/measurements.js';
import type { MetricsProvider } from './rollout-policies/metrics-provider.js';
import { forecastEnds } from './planner/prediction.js';
import { Predictions } from './rollout-policies/predictions.js';
import { type NotificationTarget, Notifications } from './rollout-policies/notifications.js';
import { ServedFields } from './served-fields.js';
import { logTrouble } from './log-trouble.js';

export interface HubOptions {
  readonly runtime: Runtime;
  readonly client: Client;
  /** The namespace in which the manager stores the content of revisions. */
  readonly namespace: string;
  /** Users and groups, besides the holders of join tokens, whose requests to join the hub approves without a review by a person. */
  readonly bootstrap?: BootstrapPolicy;
  /** Maximum lifetime of certificates from a template's own signer. The default is a day. */
  readonly maxCertificateSeconds?: number;
  /** False disables the placement controller, for a hub on which upstream's placement controller runs. */
  readonly placement?: false;
  /** False disables the controller of ManifestWorkReplicaSets, for a hub on which upstream's controller of this kind runs. */
  readonly replicaSets?: false;
  /** Additional labels for the namespaces, accounts, roles and bindings that the manager creates. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Settings for clusters. False disables the controllers of clusters, for a hub on which upstream's registration controllers run. */
  readonly clusters?: ClusterOptions | false;
  /** When to remove add-ons from clusters that are no longer selected. Omitted fields have their documented defaults. */
  readonly removal?: Partial<RemovalPolicy>;
  /** The renderer for new revisions. The default is the newest renderer. Existing revisions keep their renderer. */
  readonly renderer?: number;
  /**
   * Whether the clock of this process agrees with the API server's. If it does not, windows of RolloutPolicies count as closed. The default
   * is true.
   */
  readonly isClockTrusted?: () => boolean;
  /** The metrics providers that analyses in RolloutPolicies may name. By default there are none. */
  readonly metricsProviders?: ReadonlyMap<string, MetricsProvider>;
  /** The addresses that `notify` in RolloutPolicies may name. By default there are none. */
  readonly notificationTargets?: ReadonlyMap<string, NotificationTarget>;
  readonly metrics?: Metrics;
  /** Elects the leader. If undefined, this process leads from the start, which is safe only if the hub has a single manager. */
  readonly leader?: Leader;
}

/** The annotation on AddOnRollouts that contains the term of the leader that last claimed them. */
const TERM = 'outrigger.dev/term';

/** Creates the manager of a hub, with all controllers, for one API server. */
export function createHub(options: HubOptions): Manager {
  const configs = new FollowedConfigs({ client: options.client, runtime: options.runtime });
  const problems = new RequestProblems();
  const decisions = new DecisionEnforcement();
  const measurements = new Measurements(options.metricsProviders ?? new Map(), options.runtime.clock);
  const notifications = new Notifications(options.notificationTargets ?? new Map(), options.runtime.timers, options.runtime.log);
  const predictions = new Predictions(forecastEnds, options.runtime);
  const shared = { contentNamespace: options.namespace, otherConfigs: configs };
  const controllers = [
    {
      ...fleetController({
        ...shared,
        removal: options.removal,
        renderer: options.renderer,
        decisionsEnforcedSince: decisions.enforcedSince,
        isClockTrusted: options.isClockTrusted,
        measurements,
        notifications,
        predictions,
        metrics: options.metrics,
      }),
      sources: [configs.source(declarationKeys), decisions, measurements, notifications, predictions],
    },
    {
      ...addOnController({ ...shared, requestProblems: problems, ...(options.metrics ? { metrics: options.metrics } : {}) }),
      sources: [problems, configs.source(addOnKeys)],
    },
    configurationsController(configs),
    registrationController({
      managerNamespace: options.namespace,
      problems,
      ...(options.maxCertificateSeconds === undefined ? {} : { maxCertificateSeconds: options.maxCertificateSeconds }),
      ...(options.clusters === false ? {} : { bootstrap: options.bootstrap ?? NO_BOOTSTRAP_USERS }),
    }),
    ...(options.placement === false ? [] : [placementController()]),
    ...(options.replicaSets === false ? [] : [replicaSetController()]),
    ...(options.clusters === false ? [] : clusterControllers(options.clusters)),
  ];
  const served = new ServedFields();
  return createManager({
    runtime: options.runtime,
    apis: { [HUB]: options.client },
    controllers: controllers.map((controller) => labelMade(served.guard(controller), options.labels ?? {})),
    component: 'outrigger-hub',
    onTrouble: (trouble) => logTrouble(trouble, options.runtime.log),
    beforeStart: () => served.read(options.client, options.runtime.log),
    namespaces: new Map([storedContents, targetRecords].map((resource) => [resource as unknown as Resource, options.namespace])),
    ...(options.metrics ? { metrics: options.metrics, tallies: fleetTallies } : {}),
    // Late writes of an old leader fail, because every write names the resourceVersion that it was computed from, and a new leader changes
    // the resourceVersion of every rollout before its first decision.
    ...(options.leader ? { leader: options.leader, pinRevisions: true, claim: { resources: [rollouts], annotation: TERM } } : {}),
  });
}

/** Returns the add-ons to wake for a change of a config whose kind has no cache, and therefore no cache events. */
function addOnKeys({ ref, before, after }: ConfigChange, view: CacheView): Iterable<ObjectKey> {
  const hasComeOrGone = typeof before === 'string' || typeof after === 'string';
  return addOnsUsing(view, ref, { hasComeOrGone, content: typeof after === 'string' ? undefined : after });
}

function declarationKeys({ ref }: ConfigChange, view: CacheView): Iterable<ObjectKey> {
  return view.byIndex(declarations, 'config', refKey(ref)).map(({ key }) => key);
}
