import {
  type AddOnRollout,
  FLEET_ROLLOUT,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  managedClusterAddOns,
  managedClusterSets,
  managedClusters,
  manifestWorks,
  placements,
  rolloutPolicies,
} from '@outrigger/api';
import { type KubeObject, isConditionTrue, nameOf } from '@outrigger/core';
import { nearest, suggestion } from '@outrigger/rules/explanation';
import { notFound } from '../../failure.js';
import { ifAllowed } from '../../fleet/readable.js';
import type { Source } from '../../fleet/source.js';
import { addOnColumns, addOnRows, installedColumns, isAddOnWell, wellIn } from '../../views/add-ons.js';
import { clusterColumns, clusterRows } from '../../views/clusters.js';
import { EVENTS, eventColumns, isAboutCluster, isFleetEvent, lastSeen } from '../../views/events.js';
import { clusterSetColumns, placementColumns, templateColumns, workColumns } from '../../views/other-kinds.js';
import { removalText, rolloutState } from '../../views/rollout-state.js';
import { revisionColumns, revisionRows, rolloutColumns } from '../../views/rollouts.js';
import type { Gettable } from './command.js';
import { type AnyListing, listing } from './listing.js';
import type { GetRequest } from './run.js';

type List = (source: Source, request: GetRequest) => Promise<AnyListing>;

/** The listing of each kind that `get` supports. */
export const LISTINGS: Readonly<Record<Gettable, List>> = {
  addons: async (source, request) => {
    if (request.cluster !== undefined || request.name !== undefined) return installedListing(source, request);
    const [declared, installed, rollouts] = await Promise.all([
      source.list(clusterManagementAddOns),
      source.list(managedClusterAddOns),
      source.list(addOnRollouts),
    ]);
    const byName = new Map(declared.map((one) => [nameOf(one), one]));
    return listing({
      rows: addOnRows({ declared, installed, rollouts, clusters: [] }),
      columns: addOnColumns,
      object: ({ name }) => byName.get(name) as KubeObject,
      isWell: isAddOnWell,
      remarks: rollouts.map(removalText).join(''),
    });
  },
  clusters: async (source, { name, cluster }) => {
    const [clusters, installed] = await Promise.all([source.list(managedClusters), ifAllowed(source.list(managedClusterAddOns))]);
    return listing({
      rows: clusterRows(named(clusters, name ?? cluster, 'cluster'), installed),
      columns: clusterColumns,
      object: ({ cluster }) => cluster,
      isWell: ({ cluster }) => isConditionTrue(cluster.status?.conditions, 'ManagedClusterConditionAvailable'),
    });
  },
  rollouts: async (source, { name }) => {
    const rows = named(await rolloutsOf(source), name, 'rollout');
    return listing({
      rows,
      columns: rolloutColumns,
      object: itself,
      isWell: (rollout) => rolloutState(rollout).as === 'good',
      remarks: rows.map(removalText).join(''),
    });
  },
  revisions: async (source, { name }) => {
    const rollouts = named(await rolloutsOf(source), name, 'add-on');
    const byName = new Map(rollouts.map((one) => [nameOf(one), one]));
    const rows = rollouts.flatMap(revisionRows);
    return listing({ rows, columns: revisionColumns, object: ({ addOn }) => byName.get(addOn) as KubeObject });
  },
  policies: async (source, { name }) => {
    // This module is loaded on demand, because it includes the expression language, which no other listing needs.
    const { policyColumns, policyRows } = await import('../../views/policies.js');
    const [all, declared, rollouts] = await Promise.all([
      source.list(rolloutPolicies),
      source.list(clusterManagementAddOns),
      source.list(addOnRollouts),
    ]);
    const rows = policyRows(named(all, name, 'policy'), declared, rollouts);
    return listing({ rows, columns: policyColumns, object: ({ policy }) => policy });
  },
  templates: async (source, { name }) =>
    listing({ rows: byPlace(named(await source.list(addOnTemplates), name, 'template')), columns: templateColumns, object: itself }),
  placements: async (source, { name }) =>
    listing({
      rows: byPlace(named(await source.list(placements), name, 'Placement')),
      columns: placementColumns,
      object: itself,
      isWell: ({ status }) => isConditionTrue(status?.conditions, 'PlacementSatisfied'),
    }),
  clustersets: async (source, { name }) =>
    listing({
      rows: byPlace(named(await source.list(managedClusterSets), name, 'cluster set')),
      columns: clusterSetColumns,
      object: itself,
    }),
  works: async (source, { name, cluster }) =>
    listing({
      rows: byPlace(named(await source.list(manifestWorks, cluster), name, 'work')),
      columns: workColumns,
      object: itself,
      isWell: ({ status }) => isConditionTrue(status?.conditions, 'Applied') && isConditionTrue(status?.conditions, 'Available'),
    }),
  events: async (source, { name, cluster, within }) => {
    const all = (await source.list(EVENTS, within)).filter(isFleetEvent);
    const about = all.filter((event) => cluster === undefined || isAboutCluster(event, cluster));
    const rows = about.filter(({ involvedObject }) => name === undefined || involvedObject.name === name);
    if (name !== undefined && rows.length === 0) await requireKnown(source, name);
    return listing({
      rows: [...rows].sort((a, b) => (lastSeen(a) ?? '').localeCompare(lastSeen(b) ?? '')),
      columns: eventColumns,
      object: itself,
      isWell: ({ type }) => type !== 'Warning',
    });
  },
};

/**
 * Fails if no add-on or cluster has this name but one has a similar name. Every other name is accepted, because an object without events is
 * not an error.
 */
async function requireKnown(source: Source, name: string): Promise<void> {
  const lists = await Promise.all(
    [source.list(clusterManagementAddOns), source.list(managedClusters)].map((list) => ifAllowed<readonly KubeObject[]>(list)),
  );
  const known = lists.flatMap((list = []) => list.map(nameOf));
  const near = known.includes(name) ? undefined : nearest(name, known);
  if (near !== undefined) throw notFound(`there is no add-on or cluster "${name}": did you mean "${near}"?`);
}

const itself = <T extends KubeObject>(object: T): T => object;

/** Returns the rollouts of add-ons, without the AddOnRollout that pauses all add-ons. */
async function rolloutsOf(source: Source): Promise<readonly AddOnRollout[]> {
  return (await source.list(addOnRollouts)).filter((rollout) => nameOf(rollout) !== FLEET_ROLLOUT);
}

async function installedListing(source: Source, { name, cluster, selector }: GetRequest): Promise<AnyListing> {
  const all = await source.list(managedClusterAddOns, cluster);
  const rows = byPlace(all.filter((clusterAddOn) => name === undefined || nameOf(clusterAddOn) === name));
  if (rows.length === 0 && name !== undefined) await requireDeclared(source, name);
  const clusters = selector === undefined ? [] : await source.list(managedClusters);
  const labels = new Map(clusters.map((one) => [nameOf(one), one.metadata.labels ?? {}]));
  const shown = new Set(rows.map(nameOf));
  const rollouts = (await ifAllowed(rolloutsOf(source))) ?? [];
  return listing({
    rows,
    columns: installedColumns,
    object: itself,
    labels: ({ metadata }) => labels.get(metadata.namespace ?? ''),
    isWell: wellIn(rollouts, rows),
    remarks: rollouts
      .filter((rollout) => shown.has(nameOf(rollout)))
      .map(removalText)
      .join(''),
  });
}

/**
 * Fails if no declaration has this name, because the name is then probably misspelt. A declared add-on that is on no cluster is not an
 * error.
 */
async function requireDeclared(source: Source, name: string): Promise<void> {
  const names = (await ifAllowed(source.list(clusterManagementAddOns)))?.map(nameOf);
  if (names && !names.includes(name)) throw notFound(`there is no add-on "${name}"${suggestion(name, names)}`);
}

function named<T extends KubeObject>(objects: readonly T[], name: string | undefined, what: string): readonly T[] {
  if (name === undefined) return objects;
  const found = objects.filter((object) => nameOf(object) === name);
  if (found.length === 0) throw notFound(`there is no ${what} "${name}"${suggestion(name, [...new Set(objects.map(nameOf))])}`);
  return found;
}

function byPlace<T extends KubeObject>(objects: readonly T[]): readonly T[] {
  const place = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  return [...objects].sort((a, b) => place(a).localeCompare(place(b), 'en', { numeric: true }));
}
