/**
 * Measures the cost of one fleet decision: observe and decide over n clusters from the cache's projections, including the record of a
 * rollout in progress, compared with a plain walk over the same projections; and how the cost grows from 100 to 10,000 clusters.
 *
 *   node --expose-gc --import tsx --conditions=source benchmarks/fleet-decision.ts
 */
import {
  type AddOnRollout,
  addOnRollouts,
  addOnTemplates,
  clusterManagementAddOns,
  controllerRevisions,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements as placementKind,
} from '@outrigger/api';
import { findCondition, type Kind, type KubeObject } from '@outrigger/core';
import type { CacheView, Resource } from '@outrigger/kube';
import { nowAt, outcomesOf, viewOf } from '@outrigger/kube/testing';
import { fleetController } from '../packages/hub/src/controllers/fleet/controller.js';
import { World } from '../packages/hub/testing/fleet/world.js';
import type { AddOnProjection } from '@outrigger/rules/observed';
import { addOns } from '../packages/hub/src/resources/add-ons.js';
import { clusters } from '../packages/hub/src/resources/clusters.js';
import { storedContents } from '../packages/hub/src/resources/stored-contents.js';
import { declarations } from '../packages/hub/src/resources/declarations.js';
import { decisions, placements } from '../packages/hub/src/resources/placements.js';
import { rollouts } from '../packages/hub/src/resources/rollouts.js';
import { templates } from '../packages/hub/src/resources/templates.js';

const KINDS = [
  [declarations, clusterManagementAddOns],
  [rollouts, addOnRollouts],
  [addOns, managedClusterAddOns],
  [clusters, managedClusters],
  [placements, placementKind],
  [decisions, placementDecisions],
  [templates, addOnTemplates],
  [storedContents, controllerRevisions],
] as unknown as readonly (readonly [Resource, Kind])[];
const CONTROLLER = fleetController({ contentNamespace: 'hub', otherConfigs: { get: () => 'Unread' } });
const PAGE = 100;
const WARM_UP = 50;
const RUNS = 300;

const ENTRY = {
  namespace: 'default',
  name: 'all',
  addonTemplate: { installVersion: 'v1' },
  rolloutStrategy: { type: 'Progressive', progressive: { maxConcurrency: 200, progressDeadline: '1h', minSuccessTime: '5m' } },
};

/** Returns two clusters in the middle of a rollout, as the rules produce them: one is done, one still has the previous content. */
function pair(): World {
  const world = new World();
  for (const name of ['done', 'waiting']) world.cluster(name);
  world.template('v1', 'hello:1');
  world.choose('all', [['done', 'waiting']]);
  world.declare({ installStrategy: { type: 'Placements', placements: [ENTRY] } });
  world.start();
  const round = (...names: readonly string[]): void => {
    world.pass(0);
    for (const name of names) {
      world.addOnPass(name);
      world.report(name, 'arrived');
    }
    world.tick(400_000);
  };
  for (let i = 0; i < 4; i++) round('done', 'waiting');
  world.template('v1', 'hello:2');
  for (let i = 0; i < 2; i++) round('done');
  return world;
}

/** Returns a whole fleet in this state: half of it done, two hundred clusters in flight, the rest waiting. */
function fleet(size: number): { readonly view: CacheView; readonly wall: number } {
  const world = pair();
  const names = Array.from({ length: size }, (_, i) => `cluster-${String(i).padStart(5, '0')}`);
  const half = Math.ceil(size / 2);
  const like = (kind: Kind, key: { name: string; namespace?: string }): KubeObject => {
    const found = world.hub.get(kind, key);
    if (!found) throw new Error(`no ${kind.kind} ${key.name}`);
    return found;
  };
  const [done, waiting] = ['done', 'waiting'].map((namespace) => like(managedClusterAddOns, { namespace, name: 'hello' }));
  const installed = names.map((namespace, i) => copy((i < half ? done : waiting) as KubeObject, { namespace, name: 'hello' }));
  const machines = names.map((name) => copy(like(managedClusters, { name: 'done' }), { name }));
  const page = like(placementDecisions, { namespace: 'default', name: 'all-decision-0' });
  const pages = Array.from({ length: Math.ceil(size / PAGE) }, (_, i) => ({
    ...copy(page, { namespace: 'default', name: `all-decision-${i}` }),
    status: { decisions: names.slice(i * PAGE, (i + 1) * PAGE).map((clusterName) => ({ clusterName, reason: '' })) },
  }));
  const rollout = like(addOnRollouts, { name: 'hello' }) as AddOnRollout;
  const [entry] = rollout.status?.entries ?? [];
  const [example] = entry?.inFlight ?? [];
  const inFlight = names.slice(half, half + 200).map((cluster) => ({ ...(example as object), cluster }));
  const record = { ...rollout, status: { ...rollout.status, entries: [{ ...entry, inFlight }] } } as unknown as KubeObject;
  const replaced = new Map<unknown, readonly KubeObject[]>([
    [addOns, installed],
    [clusters, machines],
    [decisions, pages],
    [rollouts, [record]],
  ]);
  // No other objects that the controller reads exist.
  const { watches, reads = [] } = CONTROLLER;
  const known = new Set(KINDS.map(([resource]) => resource));
  const empty = [...watches.map(({ resource }) => resource), ...reads].filter((resource) => !known.has(resource));
  const view = viewOf(
    ...KINDS.map(([resource, kind]) => [resource, replaced.get(resource) ?? world.hub.list(kind)] as const),
    ...empty.map((resource) => [resource, [] as KubeObject[]] as const),
  );
  return { view, wall: world.wall };
}

function copy(object: KubeObject, key: { readonly name: string; readonly namespace?: string }): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...key, uid: `${key.namespace ?? ''}/${key.name}` } };
}

/**
 * Does the minimum work for a comparison: looks up the cluster and the add-on of every name in the decisions, and reads each of them once.
 */
function walk(view: CacheView): number {
  let done = 0;
  for (const { clusters: names } of view.byIndex(decisions, 'placement', 'default/all')) {
    for (const cluster of names) {
      const isReachable = view.get(clusters, { name: cluster })?.available?.status === 'True';
      if (isReachable && isDone(view.get(addOns, { namespace: cluster, name: 'hello' }))) done++;
    }
  }
  return done;
}

/** Computes the lower bound: iterates over the add-ons only, in cache order. */
function scan(view: CacheView): number {
  let done = 0;
  for (const addOn of view.byIndex(addOns, 'addOn', 'hello')) if (isDone(addOn)) done++;
  return done;
}

function isDone(addOn: AddOnProjection | undefined): boolean {
  if (!addOn) return false;
  const { conditions, configReferences = [] } = addOn.status;
  return (
    findCondition(conditions, 'Progressing')?.reason === 'Succeed' &&
    findCondition(conditions, 'Available')?.status === 'True' &&
    configReferences.every((ref) => ref.desiredConfig?.specHash === ref.lastAppliedConfig?.specHash)
  );
}

/** Returns how long each of several tasks takes. They run in turns, so that other load on the machine affects all of them equally. */
function times(runs: number, ...works: readonly (() => unknown)[]): readonly (readonly number[])[] {
  const taken = works.map((): number[] => []);
  for (let run = 0; run < runs; run++) {
    for (const [i, work] of works.entries()) {
      const startedAt = performance.now();
      work();
      taken[i]?.push(performance.now() - startedAt);
    }
  }
  return taken.map((one) => one.sort((x, y) => x - y));
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

interface Measured {
  readonly median: number;
  readonly p99: number;
  readonly walk: number;
  readonly scan: number;
}

function measure(size: number): Measured {
  const { view, wall } = fleet(size);
  const pass = (): unknown => {
    const state = CONTROLLER.observe(view, { name: 'hello' }, outcomesOf());
    return state && CONTROLLER.decide(state, nowAt(wall + 1_000, 1e9));
  };
  const works = [pass, (): unknown => walk(view), (): unknown => scan(view)];
  times(WARM_UP, ...works);
  const [passes = [], walks = [], scans = []] = times(RUNS, ...works);
  return { median: quantile(passes, 0.5), p99: quantile(passes, 0.99), walk: quantile(walks, 0.5), scan: quantile(scans, 0.5) };
}

const report = (name: string, value: number, unit: string, budget?: number): void => {
  process.stdout.write(`${JSON.stringify({ name, value: Number(value.toFixed(3)), unit, ...(budget === undefined ? {} : { budget }) })}\n`);
};

const [small, large] = [measure(100), measure(10_000)];
report('fleet decision, 100 clusters, median', small.median, 'ms');
report('fleet decision, 10,000 clusters, median', large.median, 'ms');
report('fleet decision, 10,000 clusters, p99', large.p99, 'ms', 10);
report('plain walk over the same projections, 10,000 clusters, median', large.walk, 'ms');
report('plain scan of the 10,000 add-ons, median', large.scan, 'ms');
report('fleet decision against a plain walk, 10,000 clusters', large.median / large.walk, 'x', 3);
report('fleet decision against a plain scan, 10,000 clusters', large.median / large.scan, 'x');
report('growth from 100 to 10,000 clusters, per cluster', large.median / small.median / 100, 'x', 1.2);
