import type { JsonObject } from '@outrigger/core';
import type { FleetState } from '../controllers/fleet/state.js';
import type { PlannedEntry, PlannedFleet } from './entries.js';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { NOTHING_RENDERED, type Rendered, renderedAfter, renderedBefore } from './rendered.js';
import type { GroupPlan } from './who.js';

/** One distinct change, and the clusters to which it applies. */
export interface Difference {
  readonly entry: string;
  readonly clusters: readonly string[];
  /**
   * The cluster for which the manifests were rendered. The manifests of the other clusters differ only in names that contain the cluster's
   * name.
   */
  readonly example: string;
  /** The revision that the clusters have now; undefined if they have none. */
  readonly from: number | undefined;
  readonly to: number;
  readonly before: readonly JsonObject[];
  readonly after: readonly JsonObject[];
  readonly problem: string | undefined;
  /** Whether the planner can compute the manifests before and after the change. */
  readonly isKnown: boolean;
}

/** A difference with the complete content of both sides, for the comparison of permissions. */
export interface RenderedDifference extends Difference {
  readonly rendered: { readonly before: Rendered; readonly after: Rendered };
}

export interface DifferenceInput {
  /** The state without the change; undefined if the add-on is not declared yet. */
  readonly before: FleetState | undefined;
  readonly after: FleetState;
  readonly planned: PlannedFleet;
  readonly groups: ReadonlyMap<PlannedEntry, readonly GroupPlan[]>;
  /** Clusters on which the change takes effect immediately. */
  readonly direct: ReadonlySet<string>;
}

/** Renders one example, before and after the change, for each distinct combination of inputs. */
export function differences(input: DifferenceInput): readonly RenderedDifference[] {
  const earlier = new Map((input.before?.addOns ?? []).map((clusterAddOn) => [clusterAddOn.key.namespace ?? '', clusterAddOn]));
  return input.planned.entries.flatMap((entry) =>
    classesOf(input, entry, earlier).map((members) => difference(input, entry, earlier, members)),
  );
}

/** Clusters for which rendering has equal inputs. */
interface Alike {
  readonly clusters: string[];
  readonly clusterAddOn: AddOnProjection | undefined;
  readonly to: number;
}

function classesOf(
  { after, planned: { assigned }, groups, direct }: DifferenceInput,
  planned: PlannedEntry,
  earlier: ReadonlyMap<string, AddOnProjection>,
): readonly Alike[] {
  const { members, rollout } = planned;
  if (!rollout) return [];
  const { entry } = members.observation;
  const changing = new Set((groups.get(planned) ?? []).flatMap(({ fresh, moving, failed }) => [...fresh, ...moving, ...failed]));
  const classes = new Map<string, Alike>();
  for (const [group, { clusters, addOns }] of members.groups.entries()) {
    for (const [position, cluster] of clusters.entries()) {
      if (!changing.has(cluster) && !direct.has(cluster)) continue;
      const clusterAddOn = addOns[position];
      const to = rollout.start.state.groups[group]?.clusters[position]?.targetRevision ?? rollout.target.revision;
      const { imageRegistries } = after.cluster(cluster) ?? {};
      const from = assigned.target(clusterAddOn, entry)?.revision;
      const key = JSON.stringify([from, to, clusterAddOn?.spec, clusterAddOn?.owners, earlier.get(cluster)?.spec, imageRegistries]);
      const found = classes.get(key);
      if (found) found.clusters.push(cluster);
      else classes.set(key, { clusters: [cluster], clusterAddOn, to });
    }
  }
  return [...classes.values()];
}

function difference(
  { before, after, planned: { assigned, history } }: DifferenceInput,
  { members, rollout }: PlannedEntry,
  earlier: ReadonlyMap<string, AddOnProjection>,
  { clusters, clusterAddOn, to }: Alike,
): RenderedDifference {
  const { entry } = members.observation;
  const example = clusters[0] ?? '';
  const target = history.find(to) ?? rollout?.target;
  const old = earlier.get(example);
  const rendered = {
    before: before && old ? renderedBefore(before, entryOf(before, entry.name) ?? entry, old) : NOTHING_RENDERED,
    after: target ? renderedAfter(after, entry, example, clusterAddOn, target, history.targets) : NOTHING_RENDERED,
  };
  return {
    entry: entry.name,
    clusters,
    example,
    from: assigned.target(clusterAddOn, entry)?.revision,
    to,
    before: rendered.before.manifests,
    after: rendered.after.manifests,
    problem: rendered.after.problem,
    isKnown: rendered.before.isKnown && rendered.after.isKnown,
    rendered,
  };
}

function entryOf({ entries }: FleetState, name: string): FleetState['entries'][number]['entry'] | undefined {
  return entries.find(({ entry }) => entry.name === name)?.entry;
}
