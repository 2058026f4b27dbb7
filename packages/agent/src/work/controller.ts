import { appliedManifestWorkName } from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import { type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { type AppliedWorkRecord, appliedWorks } from '../resources/applied-works.js';
import type { WorkRecord } from '../resources/works.js';
import { RECORD_ACTION } from './actions.js';
import { decide } from './decide.js';
import { workEffects } from './effects.js';
import { observeWork } from './observe.js';
import { APPLIED_RESOURCES_ACTION } from './ownership/applied-resources.js';
import type { GoneWork, WorkState } from './state.js';
import type { WorkTools } from './tools.js';

export const WORK_CONTROLLER = 'work';

/** Keyed by ManifestWork: applies its manifests on the cluster and reports the state of the objects. */
export function workController(hubWorks: Resource<WorkRecord>, tools: WorkTools): Controller<WorkState | GoneWork> {
  return defineController({
    name: WORK_CONTROLLER,
    watches: [
      watch(hubWorks, ({ before, after }) => [after ?? before].flatMap((work) => (work ? [work.key] : []))),
      watch(appliedWorks, ({ before, after }) => [after ?? before].flatMap((record) => (record ? workOf(record, tools) : []))),
    ],
    observe: (view, key, outcomes) => observeWork(view, key, hubWorks, tools, outcomes),
    decide,
    timedActions: [RECORD_ACTION, APPLIED_RESOURCES_ACTION],
    effects: workEffects(tools),
  });
}

/** The work of an applied work; none if it belongs to another hub. */
function workOf({ key, workName }: AppliedWorkRecord, { hubServer, clusterName }: WorkTools): readonly ObjectKey[] {
  return key.name === appliedManifestWorkName(hubServer, workName) ? [{ namespace: clusterName, name: workName }] : [];
}
