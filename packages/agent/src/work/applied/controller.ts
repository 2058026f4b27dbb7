import { type AppliedResource, appliedManifestWorkName } from '@outrigger/api';
import { type ObjectKey, parseTime } from '@outrigger/core';
import { type CacheView, type Controller, type Resource, type SeenTime, ageOf, defineController, seeTime, watch } from '@outrigger/kube';
import { appliedWorks } from '../../resources/applied-works.js';
import type { WorkProjection } from '../../resources/works.js';
import type { AppliedWorkEffects } from '../actions.js';
import { appliedWorkEffects } from '../effects.js';
import { appliedWorkOf, appliedWorkOwner, refOfResource } from '../refs.js';
import type { Leftover } from '../state.js';
import type { WorkAgent } from '../work-agent.js';
import { type AppliedWorkState, decide } from './decide.js';

/**
 * Cleans up the objects of deleted applied works, and evicts applied works whose work was deleted. Ignores the applied works of other
 * agents. The controller's keys are AppliedManifestWorks.
 */
export function appliedWorkController(
  hubWorks: Resource<WorkProjection>,
  agent: WorkAgent,
): Controller<ObservedAppliedWork, SeenTime, AppliedWorkEffects> {
  return defineController<ObservedAppliedWork, SeenTime, AppliedWorkEffects>({
    name: 'applied-work',
    watches: [
      watch(appliedWorks, ({ before, after }) => [after ?? before].flatMap((appliedWork) => (appliedWork ? [appliedWork.key] : []))),
      watch(hubWorks, ({ before, after }) => {
        // Only the creation and deletion of a work are relevant, not edits.
        const work = before && after ? undefined : (before ?? after);
        return work ? [{ name: appliedManifestWorkName(agent.hubServer, work.key.name) }] : [];
      }),
    ],
    sources: [
      agent.live.source((owner) => {
        const name = appliedWorkOf(owner);
        return name === undefined ? undefined : { name };
      }),
    ],
    observe: (view, key, { remembered }) => observe(view, key, hubWorks, agent, remembered),
    decide({ lastSeen, ...state }, now) {
      const seen = state.appliedWork && seeTime(lastSeen, state.appliedWork.uid, parseTime(state.appliedWork.evictionStartTime), now);
      return { ...decide({ ...state, missingForMs: seen && ageOf(seen, now) }, now), ...(seen ? { remember: seen } : {}) };
    },
    effects: appliedWorkEffects(agent),
  });
}

interface ObservedAppliedWork extends Omit<AppliedWorkState, 'missingForMs'> {
  /** The last `evictionStartTime` that this process observed, with the age from which its current age is computed. */
  readonly lastSeen: SeenTime | undefined;
}

function observe(
  view: CacheView,
  key: ObjectKey,
  hubWorks: Resource<WorkProjection>,
  agent: WorkAgent,
  lastSeen: SeenTime | undefined,
): ObservedAppliedWork | undefined {
  const appliedWork = view.get(appliedWorks, key);
  const owner = appliedWorkOwner(key.name);
  const base = { name: key.name, appliedWork, graceMs: agent.evictionGraceMs, lastSeen };
  if (!appliedWork) return agent.live.isOwner(owner) ? { ...base, isManaged: false, leftovers: [] } : undefined;
  if (appliedWork.agentId !== agent.agentId) return undefined;
  const isOurs = key.name === appliedManifestWorkName(agent.hubServer, appliedWork.workName);
  const work = view.get(hubWorks, { namespace: agent.clusterName, name: appliedWork.workName });
  return {
    ...base,
    isManaged: isOurs && work !== undefined,
    leftovers: appliedWork.isDeleting ? leftoversOf(owner, appliedWork.resources, agent) : [],
  };
}

function leftoversOf(owner: string, resources: readonly AppliedResource[], { live, kinds }: WorkAgent): readonly Leftover[] {
  return resources.map((resource) => {
    const ref = refOfResource(resource, kinds);
    return { ref, uid: resource.uid ?? '', live: live.get(ref), isTracked: live.isTracking(owner, ref), isOrphan: false };
  });
}
