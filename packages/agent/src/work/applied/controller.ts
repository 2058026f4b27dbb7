import { type AppliedResource, appliedManifestWorkName } from '@outrigger/api';
import type { Clock, ObjectKey } from '@outrigger/core';
import { type CacheView, type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { appliedWorks } from '../../resources/applied-works.js';
import type { WorkRecord } from '../../resources/works.js';
import { workEffects } from '../effects.js';
import { recordOwner, refOfResource } from '../refs.js';
import type { Leftover } from '../state.js';
import { WitnessedAges } from '../../witnessed-ages.js';
import type { WorkTools } from '../tools.js';
import { type AppliedState, decide } from './decide.js';

export const APPLIED_WORK_CONTROLLER = 'applied-work';

/** Keyed by AppliedManifestWork: cleans up after deleted ones, and evicts those whose work is gone. Leaves those of other agents alone. */
export function appliedWorkController(hubWorks: Resource<WorkRecord>, tools: WorkTools, clock: Clock): Controller<AppliedState> {
  const ages = new WitnessedAges(clock);
  return defineController({
    name: APPLIED_WORK_CONTROLLER,
    watches: [
      watch(appliedWorks, ({ before, after }) => [after ?? before].flatMap((record) => (record ? [record.key] : []))),
      watch(hubWorks, ({ before, after }) => {
        // Only creation and deletion of a work matter here, not edits.
        const work = before && after ? undefined : (before ?? after);
        return work ? [{ name: appliedManifestWorkName(tools.hubServer, work.key.name) }] : [];
      }),
    ],
    observe: (view, key) => observe(view, key, hubWorks, tools, ages),
    decide,
    effects: workEffects(tools),
  });
}

function observe(
  view: CacheView,
  key: ObjectKey,
  hubWorks: Resource<WorkRecord>,
  tools: WorkTools,
  ages: WitnessedAges,
): AppliedState | undefined {
  const applied = view.get(appliedWorks, key);
  const owner = recordOwner(key.name);
  const missingForMs = applied && ages.ageOf(applied.uid, applied.evictionStartTime);
  const base = { name: key.name, applied, graceMs: tools.evictionGraceMs, missingForMs };
  if (!applied) return tools.live.isOwner(owner) ? { ...base, isManaged: false, leftovers: [] } : undefined;
  if (applied.agentId !== tools.agentId) return undefined;
  const isOurs = key.name === appliedManifestWorkName(tools.hubServer, applied.workName);
  const work = view.get(hubWorks, { namespace: tools.clusterName, name: applied.workName });
  return {
    ...base,
    isManaged: isOurs && work !== undefined,
    leftovers: applied.isDeleting ? leftoversOf(owner, applied.applied, tools) : [],
  };
}

function leftoversOf(owner: string, resources: readonly AppliedResource[], { live, kinds }: WorkTools): readonly Leftover[] {
  return resources.map((resource) => {
    const ref = refOfResource(resource, kinds);
    return { ref, uid: resource.uid ?? '', live: live.get(ref), isTracked: live.isTracking(owner, ref), isOrphan: false };
  });
}
