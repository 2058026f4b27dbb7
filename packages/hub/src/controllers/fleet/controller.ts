import { type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { contents } from '../../resources/contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { FleetState } from './state.js';
import {
  wakeByAddOn,
  wakeByCluster,
  wakeByDecision,
  wakeByDeclaration,
  wakeByDeploymentConfig,
  wakeByPlacement,
  wakeByRollout,
  wakeByTemplate,
} from './wake.js';

/** Keyed by ClusterManagementAddOn: which clusters, in what order, at which revision. */
export function fleetController(options: { readonly contentNamespace: string }): Controller<FleetState> {
  return defineController({
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
    ],
    reads: [contents as unknown as Resource],
    observe: (view, key) => observe(view, key, options.contentNamespace),
    decide,
    restFactor: 20,
  });
}
