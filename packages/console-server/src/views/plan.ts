import type { ManifestWork } from '@outrigger/api';
import type { PlanPage, RevisionDiff } from '@outrigger/console-contract';
import { isSameRevisionContent, revisionIn } from '@outrigger/rules/revisions';
import { followingOf, NO_KINDS } from '@outrigger/rules/strategy';
import { manifestsOf } from '@outrigger/rules/works';
import type { ConsoleRules } from '../rules.js';
import type { FleetState } from '../state/state.js';
import { assignedRevision } from '../state/targets.js';
import { questionOf } from './cells.js';
import type { RenderedRevision } from './render-revision.js';
import type { Sight } from './sight.js';

/**
 * The effect of a rollback on the clusters that the user may see: the clusters that move, and how many keep their content or have
 * overrides.
 */
export interface Moves {
  readonly moving: readonly string[];
  readonly staying: number;
  readonly overridden: number;
}

export function movesTo(state: FleetState, sight: Sight, addOn: string, revision: number): Moves {
  const history = state.rollouts.get(addOn)?.status?.history;
  const target = revisionIn(history, revision);
  const moving: string[] = [];
  let staying = 0;
  let overridden = 0;
  for (const [cluster, here] of state.addOns) {
    const reported = sight.seesAddOns(cluster) ? here.get(addOn) : undefined;
    if (reported === undefined) continue;
    if (followingOf(reported.report.observed) !== 'all') overridden++;
    const assigned = revisionIn(history, assignedRevision(questionOf(state, reported, cluster, addOn)));
    if (assigned && target && isSameRevisionContent(assigned, target, NO_KINDS)) staying++;
    else moving.push(cluster);
  }
  return { moving: moving.sort(), staying, overridden };
}

export function planPage(
  state: FleetState,
  { addOn, revision }: { readonly addOn: string; readonly revision: number },
  moves: Moves,
  outcome: Pick<PlanPage, 'example' | 'problem' | 'forecast' | 'forecastProblem' | 'planningSince'>,
): PlanPage {
  const target = revisionIn(state.rollouts.get(addOn)?.status?.history, revision);
  return {
    addOn,
    revision,
    version: target?.version ?? '',
    moving: moves.moving.length,
    staying: moves.staying,
    overridden: moves.overridden,
    ...outcome,
  };
}

/** The difference between a revision and the manifests in the works, from the older content to the newer. */
export function revisionDiff(
  rules: ConsoleRules,
  works: readonly ManifestWork[],
  other: { readonly revision: number; readonly version: string; readonly rendered: RenderedRevision; readonly isEarlier: boolean },
): RevisionDiff | { readonly problem: string } {
  const { revision, version, rendered, isEarlier } = other;
  if (rendered.type === 'problem') return { problem: rendered.message };
  const present = manifestsOf(works);
  const changes = isEarlier ? rules.diff(rendered.manifests, present) : rules.diff(present, rendered.manifests);
  return { revision, version, changes };
}
