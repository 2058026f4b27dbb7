// Reads objects that the console's copy of the fleet does not contain. They are read when a user opens a page.
import {
  ADDON_NAME_LABEL,
  type AddOnDeploymentConfig,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  manifestWorks,
} from '@outrigger/api';
import type { CellDiffs, PlanPage } from '@outrigger/console-contract';
import { isApiError, collect } from '@outrigger/core';
import { entryRevision, revisionIn } from '@outrigger/rules/revisions';
import { WORKS, isAllowed } from '../access/rights.js';
import { ViewFailure } from '../http/messages.js';
import type { Session } from '../sessions/sessions.js';
import { strategyLookups } from '../state/lookups.js';
import { entryOfCluster, assignedRevision } from '../state/targets.js';
import { questionOf } from './cells.js';
import type { ViewSources } from './compute.js';
import { movesTo, planPage, revisionDiff } from './plan.js';
import type { ForecastPart } from './plan-jobs.js';
import { configRefs, readConfigs, readRevisions } from './read-revision.js';
import { renderRevision } from './render-revision.js';

interface Problem {
  readonly problem: string;
}

/** Returns the problem if the object does not exist or the user may not read it, so that the rest of the page can still be shown. */
async function orProblem<T>(asked: Promise<T>): Promise<T | Problem> {
  try {
    return await asked;
  } catch (error) {
    if (isApiError(error, 'Forbidden') || isApiError(error, 'NotFound')) return { problem: error.message };
    throw error;
  }
}

export async function worksOf(
  { client, reviewsRights }: ViewSources,
  session: Session,
  namespace: string,
  addOn?: string,
): Promise<readonly ManifestWork[] | undefined> {
  if (reviewsRights && !(await isAllowed(client, session.identity, { ...WORKS, namespace }))) return undefined;
  const labelSelector = addOn === undefined ? {} : { labelSelector: `${ADDON_NAME_LABEL}=${addOn}` };
  return collect(client.listAll(manifestWorks, { namespace, ...labelSelector }));
}

/** The deployment configs that the add-on names, read as the user. */
export async function configsOf(
  { state }: ViewSources,
  { sight, client }: Session,
  addOn: string,
  installed?: ManagedClusterAddOn,
): Promise<readonly AddOnDeploymentConfig[] | Problem> {
  const managementAddOn = sight.seesDeclarations ? state.declarations.get(addOn) : undefined;
  return managementAddOn === undefined ? [] : orProblem(readConfigs(client, configRefs(managementAddOn, installed)));
}

interface CellQuestion {
  readonly cluster: string;
  readonly addOn: string;
  readonly installed: ManagedClusterAddOn;
  readonly works: readonly ManifestWork[];
}

/** Compares the manifests in the works with the previous revision and with the target. Returns undefined if there is no rollout. */
export async function cellDiffs(sources: ViewSources, session: Session, question: CellQuestion): Promise<CellDiffs | Problem | undefined> {
  const { state } = sources;
  const { cluster, addOn, works } = question;
  const rollout = session.sight.seesRollouts ? state.rollouts.get(addOn) : undefined;
  const reported = state.addOns.get(cluster)?.get(addOn);
  const entry = rollout && entryOfCluster(rollout, cluster);
  if (rollout === undefined || reported === undefined || entry === undefined) return undefined;
  const assigned = assignedRevision(questionOf(state, reported, cluster, addOn));
  const history = rollout.status?.history ?? [];
  const before =
    entry.timeline?.find(({ to, from }) => to === assigned && from !== undefined)?.from ??
    history.map(({ revision }) => revision).find((revision) => assigned !== undefined && revision < assigned);
  const target = entryRevision(entry, reported.report.observed);
  const diffs = await orProblem(
    diffsAt(sources, session, question, { previous: before, target: target === assigned || works.length === 0 ? undefined : target }),
  );
  return diffs;
}

async function diffsAt(
  sources: ViewSources,
  session: Session,
  { cluster, addOn, installed, works }: CellQuestion,
  wanted: { readonly previous: number | undefined; readonly target: number | undefined },
): Promise<CellDiffs | Problem> {
  const revisions = [wanted.previous, wanted.target].filter((revision) => revision !== undefined);
  const rendering = await renderingOf(sources, session, { cluster, addOn, installed }, revisions);
  if (rendering === undefined) return {};
  const diff = (revision: number | undefined, isEarlier: boolean): ReturnType<typeof revisionDiff> | undefined => {
    const version = revisionIn(rendering.rollout.status?.history, revision)?.version ?? '';
    return revision === undefined
      ? undefined
      : revisionDiff(sources.rules, works, { revision, version, isEarlier, rendered: renderRevision(rendering, revision) });
  };
  const [previous, target] = [diff(wanted.previous, true), diff(wanted.target, false)];
  if (target && 'problem' in target) return target;
  return {
    ...(previous === undefined || 'problem' in previous ? {} : { previous }),
    ...(target === undefined ? {} : { target }),
  };
}

async function renderingOf(
  { state }: ViewSources,
  { client }: Session,
  { cluster, addOn, installed }: Omit<CellQuestion, 'works'>,
  revisions: readonly number[],
): Promise<Parameters<typeof renderRevision>[0] | undefined> {
  const managementAddOn = state.declarations.get(addOn);
  const rollout = state.rollouts.get(addOn);
  const managed = state.clusters.get(cluster);
  if (managementAddOn === undefined || rollout === undefined || managed === undefined || revisions.length === 0) return undefined;
  const sources = await readRevisions(client, managementAddOn, rollout, installed, revisions);
  return { managementAddOn, rollout, clusterAddOn: installed, cluster: managed, lookups: strategyLookups(state), ...sources };
}

/**
 * Computes the effects of a rollback to the revision: how many clusters move, and the difference on one of them. The caller checks the right to
 * see rollouts.
 */
export async function planOf(
  sources: ViewSources,
  session: Session,
  request: { readonly addOn: string; readonly revision: number },
): Promise<PlanPage> {
  const { state } = sources;
  const { addOn, revision } = request;
  const rollout = state.rollouts.get(addOn);
  if (rollout === undefined) throw new ViewFailure('not-found', `there is no rollout of ${addOn}`);
  if (revisionIn(rollout.status?.history, revision) === undefined)
    throw new ViewFailure('not-found', `${addOn} has no revision ${revision} any more`);
  const moves = movesTo(state, session.sight, addOn, revision);
  const [cluster] = moves.moving;
  if (cluster === undefined) return planPage(state, request, moves, {});
  const [example, forecast] = await Promise.all([
    orProblem(exampleOn(sources, session, cluster, request)),
    forecastOf(sources, session, request),
  ]);
  return planPage(state, request, moves, { ...example, ...forecast });
}

/** Computes the part of the page that needs lists that the user may not be allowed to read. The other parts do not depend on it. */
function forecastOf(
  { rules, moment, plans }: ViewSources,
  { client, identity }: Session,
  request: { readonly addOn: string; readonly revision: number },
): Promise<ForecastPart> {
  const { addOn, revision } = request;
  return plans.ask(identity.user, `${addOn} ${revision}`, () => rules.plan(client, { addOn, revision, from: moment().now }));
}

async function exampleOn(
  sources: ViewSources,
  session: Session,
  cluster: string,
  { addOn, revision }: { readonly addOn: string; readonly revision: number },
): Promise<Pick<PlanPage, 'example' | 'problem'>> {
  const works = await worksOf(sources, session, cluster, addOn);
  if (works === undefined) return { problem: `the difference needs the right to get manifestworks in namespace ${cluster}` };
  const installed = await sources.client.get(managedClusterAddOns, { namespace: cluster, name: addOn });
  const rendering = await renderingOf(sources, session, { cluster, addOn, installed }, [revision]);
  if (rendering === undefined) return { problem: 'the declaration of the add-on is gone' };
  const diff = revisionDiff(sources.rules, works, {
    revision,
    version: '',
    isEarlier: false,
    rendered: renderRevision(rendering, revision),
  });
  return 'problem' in diff ? diff : { example: { cluster, changes: diff.changes } };
}
