import { appliedManifestWorkName } from '@outrigger/api';
import { type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { appliedWorks } from '../resources/applied-works.js';
import type { WorkRecord } from '../resources/works.js';
import { decide } from './decide.js';
import { workEffects } from './effects.js';
import { observeWork } from './observe.js';
import type { GoneWork, WorkState } from './state.js';
import type { WorkTools } from './tools.js';

export const WORK_CONTROLLER = 'work';

/** Keyed by ManifestWork: what it asks for stands on the cluster, and what stands there is reported. */
export function workController(hubWorks: Resource<WorkRecord>, tools: WorkTools): Controller<WorkState | GoneWork> {
  return defineController({
    name: WORK_CONTROLLER,
    watches: [
      watch(hubWorks, ({ before, after }) => ((after ?? before) ? [(after ?? (before as WorkRecord)).key] : [])),
      watch(appliedWorks, ({ before, after }) => {
        const { key, workName } = after ?? before ?? { key: { name: '' }, workName: '' };
        return key.name === appliedManifestWorkName(tools.hubServer, workName) ? [{ namespace: tools.clusterName, name: workName }] : [];
      }),
    ],
    observe: (view, key) => observeWork(view, key, hubWorks, tools),
    decide,
    effects: workEffects(tools),
  });
}
