import { type Controller, defineController, watch } from '@outrigger/kube';
import type { OtherConfigs } from '@outrigger/rules/configuration';
import { NEWEST_RENDERER } from '@outrigger/rules/render';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import { approvals, policies } from '../../resources/rollout-policies.js';
import { rollouts } from '../../resources/rollouts.js';
import { targetRecords } from '../../resources/target-records.js';
import { templates } from '../../resources/templates.js';
import type { Metrics } from '@outrigger/core';
import { Measurements } from '../../rollout-policies/measurements.js';
import type { Notifications } from '../../rollout-policies/notifications.js';
import { NO_PREDICTIONS, type Predictions } from '../../rollout-policies/predictions.js';
import { DECLARATION_EXISTS, declarationExists } from '../declaration-guard.js';
import { RECORD_IS_CURRENT, recordIsCurrent } from './record-guard.js';
import { COUNT, countHandler, type FleetEffects, MEASURE, NOTIFY, PREDICT } from './effects.js';
import { SPACED_ACTIONS, decide } from './decide.js';
import type { FleetMemory } from './memory.js';
import { observe } from './observe.js';
import { DEFAULT_REMOVAL_POLICY, type RemovalPolicy } from './removal.js';
import type { FleetState } from './state.js';
import {
  wakeByAddOn,
  wakeByApproval,
  wakeByCluster,
  wakeByDecision,
  wakeByDeclaration,
  wakeByDeploymentConfig,
  wakeByPlacement,
  wakeByPolicy,
  wakeByRollout,
  wakeByTemplate,
} from './wake.js';

export interface FleetControllerOptions {
  readonly contentNamespace: string;
  readonly otherConfigs: OtherConfigs;
  readonly removal?: Partial<RemovalPolicy> | undefined;
  /**
   * The time, in milliseconds since the epoch, since which the API server has checked who writes RolloutApprovals; undefined if it does not
   * check. Earlier approvals are ignored. The default is 0, so that all approvals count.
   */
  readonly decisionsEnforcedSince?: (() => number | undefined) | undefined;
  /** Whether the clock of this process agrees with the API server's. If it does not, windows count as closed. The default is true. */
  readonly isClockTrusted?: (() => boolean) | undefined;
  /** The renderer for new revisions. The default is the newest renderer. */
  readonly renderer?: number | undefined;
  /** Queries metrics providers. By default there is no provider, and measurements are inconclusive. */
  readonly measurements?: Pick<Measurements, 'of' | 'measure'> | undefined;
  /** Sends notifications about rollouts to the webhooks that policies configure. By default none are sent. */
  readonly notifications?: Pick<Notifications, 'notify'> | undefined;
  /** Predicts when rollouts end. By default nothing is predicted. */
  readonly predictions?: Pick<Predictions<FleetState>, 'of' | 'predict'> | undefined;
  readonly metrics?: Metrics | undefined;
}

const ALWAYS = (): boolean => true;
const SINCE_THE_BEGINNING = (): number => 0;

/** Keyed by ClusterManagementAddOn: decides which clusters get the add-on, in what order, and at which revision. */
export function fleetController(options: FleetControllerOptions): Controller<FleetState, FleetMemory, FleetEffects> {
  const removal = { ...DEFAULT_REMOVAL_POLICY, ...options.removal };
  const { decisionsEnforcedSince = SINCE_THE_BEGINNING, isClockTrusted = ALWAYS } = options;
  const renderer = options.renderer ?? NEWEST_RENDERER;
  const measurements = options.measurements ?? new Measurements(new Map(), { now: () => 0 });
  const predictions = options.predictions ?? NO_PREDICTIONS;
  return defineController<FleetState, FleetMemory, FleetEffects>({
    name: 'fleet',
    watches: [
      watch(declarations, wakeByDeclaration),
      watch(rollouts, wakeByRollout),
      watch(addOns, wakeByAddOn),
      watch(clusters, wakeByCluster),
      watch(placements, wakeByPlacement),
      watch(decisions, wakeByDecision),
      watch(templates, wakeByTemplate),
      watch(deploymentConfigs, wakeByDeploymentConfig),
      watch(policies, wakeByPolicy),
      watch(approvals, wakeByApproval),
    ],
    reads: [storedContents, targetRecords],
    observe: (view, key, memory) =>
      observe(view, key, { ...options, decisionsEnforcedSince, isClockTrusted, renderer, removal, measurements, predictions, memory }),
    decide,
    effects: {
      [DECLARATION_EXISTS]: declarationExists,
      [RECORD_IS_CURRENT]: recordIsCurrent,
      [MEASURE]: measurements.measure,
      [PREDICT]: predictions.predict,
      [NOTIFY]: options.notifications?.notify ?? (async () => undefined),
      [COUNT]: countHandler(options.metrics),
    },
    timedActions: SPACED_ACTIONS,
    restFactor: 20,
  });
}
