import { type Metrics, noMetrics } from '@outrigger/core';
import { type Controller, defineController, watch } from '@outrigger/kube';
import { templateCompiler } from '@outrigger/rules/render';
import { addOns } from '../../resources/add-ons.js';
import { permissionBindings } from '../../resources/bindings.js';
import { clusters } from '../../resources/clusters.js';
import { storedContents } from '../../resources/stored-contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { tokenAccounts, tokenBindings, tokenRoles } from '../../resources/token-objects.js';
import { works } from '../../resources/works.js';
import { writeKeeping } from './kept-work.js';
import { DECLARATION_EXISTS, declarationExists } from '../declaration-guard.js';
import { requests } from '../registration/request.js';
import type { AddOnEffects } from './actions.js';
import { decide } from './decide.js';
import { dependencyMetrics } from './metrics.js';
import { type ObserveOptions, observe } from './observe.js';
import type { AddOnMemory, AddOnState, Leftovers } from './state.js';
import {
  wakeByAddOn,
  wakeByBinding,
  wakeByCluster,
  wakeByDecision,
  wakeByDeclaration,
  wakeByDeploymentConfig,
  wakeByRollout,
  wakeByTemplate,
  wakeByTokenObject,
  wakeByWork,
} from './wake.js';

export interface AddOnControllerOptions extends ObserveOptions {
  readonly metrics?: Metrics;
}

/** Keyed by ManagedClusterAddOn: writes the works that the add-on needs on its cluster, and its status. */
export function addOnController(options: AddOnControllerOptions): Controller<AddOnState | Leftovers, AddOnMemory, AddOnEffects> {
  const compile = templateCompiler();
  const dependencies = dependencyMetrics(options.metrics ?? noMetrics);
  return defineController<AddOnState | Leftovers, AddOnMemory, AddOnEffects>({
    name: 'addon',
    awaitsGrants: true,
    watches: [
      watch(addOns, wakeByAddOn),
      watch(declarations, wakeByDeclaration),
      watch(rollouts, wakeByRollout),
      watch(clusters, wakeByCluster),
      watch(works, wakeByWork),
      watch(templates, wakeByTemplate),
      watch(deploymentConfigs, wakeByDeploymentConfig),
      watch(decisions, wakeByDecision),
      watch(permissionBindings, wakeByBinding),
      watch(tokenAccounts, wakeByTokenObject),
      watch(tokenRoles, wakeByTokenObject),
      watch(tokenBindings, wakeByTokenObject),
    ],
    reads: [storedContents, placements, requests],
    observe(view, key, outcomes) {
      const state = observe(view, key, outcomes, options);
      dependencies.seen(key, state?.clusterAddOn ? state : undefined);
      return state;
    },
    decide: (state, now) => decide(state, now, compile),
    effects: { [DECLARATION_EXISTS]: declarationExists, 'keep-manifests': writeKeeping },
  });
}
