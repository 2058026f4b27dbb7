import { type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { templateCompiler } from '../../render/compiled-templates.js';
import { addOns } from '../../resources/add-ons.js';
import { clusters } from '../../resources/clusters.js';
import { contents } from '../../resources/contents.js';
import { declarations } from '../../resources/declarations.js';
import { deploymentConfigs } from '../../resources/deployment-configs.js';
import { decisions, placements } from '../../resources/placements.js';
import { rollouts } from '../../resources/rollouts.js';
import { templates } from '../../resources/templates.js';
import { works } from '../../resources/works.js';
import { decide } from './decide.js';
import { observe } from './observe.js';
import type { AddOnState } from './state.js';
import {
  wakeByAddOn,
  wakeByCluster,
  wakeByDecision,
  wakeByDeclaration,
  wakeByDeploymentConfig,
  wakeByRollout,
  wakeByTemplate,
  wakeByWork,
} from './wake.js';

/** Keyed by ManagedClusterAddOn: what must stand on this cluster, and how is it. */
export function addOnController(): Controller<AddOnState> {
  const compile = templateCompiler();
  return defineController({
    name: 'addon',
    watches: [
      watch(addOns, wakeByAddOn),
      watch(declarations, wakeByDeclaration),
      watch(rollouts, wakeByRollout),
      watch(clusters, wakeByCluster),
      watch(works, wakeByWork),
      watch(templates, wakeByTemplate),
      watch(deploymentConfigs, wakeByDeploymentConfig),
      watch(decisions, wakeByDecision),
    ],
    reads: [contents as unknown as Resource, placements as unknown as Resource],
    observe,
    decide: (state, now) => decide(state, now, compile),
  });
}
