import { appliedManifestWorkName } from '@outrigger/api';
import type { ObjectKey } from '@outrigger/core';
import { type Controller, type Now, type Resource, defineController, watch } from '@outrigger/kube';
import { type AppliedWorkProjection, appliedWorks } from '../resources/applied-works.js';
import type { WorkProjection } from '../resources/works.js';
import { APPLIED_WORK_ACTION, type WorkEffects } from './actions.js';
import { decide } from './decide.js';
import { workEffects } from './effects.js';
import { currentInspections } from './inspection/inspection.js';
import { type ObservedWork, observeWork } from './observe.js';
import { APPLIED_RESOURCES_ACTION } from './ownership/applied-resources.js';
import { workOf } from './refs.js';
import type { GoneWork, WorkMemory } from './state.js';
import type { WorkAgent } from './work-agent.js';

/** Applies the manifests of works on the cluster and reports the state of the objects. The controller's keys are ManifestWorks. */
export function workController(
  hubWorks: Resource<WorkProjection>,
  agent: WorkAgent,
): Controller<ObservedWork | GoneWork, WorkMemory, WorkEffects> {
  return defineController<ObservedWork | GoneWork, WorkMemory, WorkEffects>({
    name: 'work',
    watches: [
      watch(hubWorks, ({ before, after }) => [after ?? before].flatMap((work) => (work ? [work.key] : []))),
      watch(appliedWorks, ({ before, after }) =>
        [after ?? before].flatMap((appliedWork) => (appliedWork ? workOfAppliedWork(appliedWork, agent) : [])),
      ),
    ],
    sources: [agent.live.source((owner) => workKey(workOf(owner), agent)), agent.releaseProblems],
    observe: (view, key, memory) => observeWork(view, key, hubWorks, agent, memory),
    decide: (state, now) => ({ ...decide(state, now), ...(state.work ? { remember: memoryAfter(state, now) } : {}) }),
    timedActions: [APPLIED_WORK_ACTION, APPLIED_RESOURCES_ACTION],
    effects: workEffects(agent),
  });
}

/** Returns the in-memory state for the next pass. For workloads that just became unready, starts the delay that precedes an inspection. */
function memoryAfter({ memory, work, manifests }: ObservedWork, { monotonic }: Now): WorkMemory {
  return work.isRendered ? { ...memory, inspections: currentInspections(memory.inspections, manifests, monotonic) } : memory;
}

function workKey(name: string | undefined, { clusterName }: WorkAgent): ObjectKey | undefined {
  return name === undefined ? undefined : { namespace: clusterName, name };
}

/** Returns the key of the work of an applied work; none if the applied work belongs to another hub. */
function workOfAppliedWork({ key, workName }: AppliedWorkProjection, { hubServer, clusterName }: WorkAgent): readonly ObjectKey[] {
  return key.name === appliedManifestWorkName(hubServer, workName) ? [{ namespace: clusterName, name: workName }] : [];
}
