import { rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, TimeHeap, toTime } from '@outrigger/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADD_ON, type World } from '../../testing/fleet/world.js';
import { fleetOf, settle } from '../controllers/fleet/fixtures.js';
import { planEntries } from './entries.js';
import { EntryRun } from './entry-run.js';
import { clusterNames, declaration, entryAt, listingOf } from './fixtures.js';
import { withObjects } from './listing.js';
import { stateOf } from './plan.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OUTRIGGER = 'outrigger.dev/v1alpha1';
/** The duration of every move, in the plan and in the run. */
const MOVE_MS = 40_000;
/** A pass follows a write after a second, so a chain of writes shifts an admission by a few seconds. */
const TOLERANCE_MS = 5_000;

/** A rollout that is both planned and run. It is plain data, so that a failing example can be printed and shrunk. */
interface Situation {
  /** The number of clusters in each decision group. */
  readonly groups: readonly number[];
  readonly strategy: {
    readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
    readonly maxConcurrency: number | string;
    readonly maxFailures: number;
    readonly deadline: string;
    readonly soak: string;
    readonly isFirstMandatory: boolean;
  };
  /** A window that denies admissions to some clusters, in minutes from the start. */
  readonly freeze: { readonly from: number; readonly until: number; readonly isForProd: boolean } | undefined;
  readonly isInWindow: boolean;
  readonly approval: 'none' | 'before' | 'before group' | 'after group' | 'wait';
  readonly required: number;
  readonly analysis: { readonly count: number; readonly delay: string } | undefined;
  readonly rollsBack: boolean;
  /** The positions of clusters, one list each: labelled for production, unreachable, selected for the first time, and failing. */
  readonly prod: readonly number[];
  readonly away: readonly number[];
  readonly fresh: readonly number[];
  readonly failing: readonly number[];
  /** Whether clusters are still in flight to the previous version. */
  readonly isOnTheWay: boolean;
}

const positions = (maxLength: number): fc.Arbitrary<readonly number[]> => fc.uniqueArray(fc.nat(11), { maxLength });

const situations: fc.Arbitrary<Situation> = fc.record({
  groups: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  strategy: fc.record({
    type: fc.constantFrom('All' as const, 'Progressive' as const, 'Progressive' as const, 'ProgressivePerGroup' as const),
    maxConcurrency: fc.constantFrom(1, 2, 3, '50%'),
    maxFailures: fc.constantFrom(0, 1, 9),
    deadline: fc.constantFrom('None', '10m'),
    soak: fc.constantFrom('0', '45s'),
    isFirstMandatory: fc.boolean(),
  }),
  freeze: fc.option(fc.record({ from: fc.constantFrom(-5, 0, 1, 2), until: fc.constantFrom(3, 10, 400), isForProd: fc.boolean() }), {
    nil: undefined,
  }),
  isInWindow: fc.boolean(),
  approval: fc.constantFrom(
    'none' as const,
    'none' as const,
    'before' as const,
    'before group' as const,
    'after group' as const,
    'wait' as const,
  ),
  required: fc.constantFrom(1, 2),
  analysis: fc.option(fc.record({ count: fc.constantFrom(1, 3), delay: fc.constantFrom('0s', '2m') }), { nil: undefined, freq: 3 }),
  rollsBack: fc.boolean(),
  prod: positions(6),
  away: positions(2),
  fresh: positions(3),
  failing: positions(3),
  isOnTheWay: fc.boolean(),
});

function strategyOf({ type, maxConcurrency, maxFailures, deadline, soak, isFirstMandatory }: Situation['strategy']): object {
  const options = { maxFailures, progressDeadline: deadline, minSuccessTime: soak };
  const mandatory = isFirstMandatory ? { mandatoryDecisionGroups: [{ groupIndex: 0 }] } : {};
  return {
    All: { type, all: { progressDeadline: deadline, minSuccessTime: soak } },
    Progressive: { type, progressive: { ...options, ...mandatory, maxConcurrency } },
    ProgressivePerGroup: { type, progressivePerGroup: { ...options, ...mandatory } },
  }[type];
}

function policyOf({ freeze, isInWindow, approval, required, analysis, rollsBack }: Situation, start: number): KubeObject {
  const clusters = freeze?.isForProd ? { clusters: { matchLabels: { stage: 'prod' } } } : {};
  const at = (minutes: number): string => toTime(start + minutes * MINUTE);
  const windows = [
    ...(freeze ? [{ name: 'freeze', effect: 'Deny', from: at(freeze.from), until: at(freeze.until), ...clusters }] : []),
    ...(isInWindow ? [{ name: 'work', effect: 'Allow', schedule: '0 */3 * * *', duration: '1h', lastAdmission: '10m' }] : []),
  ];
  const asked = {
    none: [],
    before: [{ name: 'go', before: 'Rollout', required }],
    'before group': [{ name: 'go', before: 'Group', groups: [{ groupIndex: 1 }], required }],
    'after group': [{ name: 'go', after: 'Group', groups: [{ groupIndex: 0 }], required }],
    wait: [{ name: 'calm', after: 'Group', groups: [{ groupIndex: 0 }], wait: '30m' }],
  }[approval];
  const measured = analysis
    ? [
        {
          name: 'errors',
          provider: 'metrics',
          query: 'up',
          interval: '1m',
          count: analysis.count,
          initialDelay: analysis.delay,
          success: 'result < 0.1',
        },
      ]
    : [];
  return {
    apiVersion: OUTRIGGER,
    kind: 'RolloutPolicy',
    metadata: { name: 'p' },
    spec: {
      addOns: { names: [ADD_ON] },
      windows,
      approvals: asked,
      analysis: measured,
      onFailure: { action: rollsBack ? 'RollBack' : 'Halt' },
    },
  } as unknown as KubeObject;
}

interface Admissions {
  readonly waves: readonly { readonly at: number; readonly clusters: readonly string[] }[];
  readonly outcome: string;
}

/** The admissions that the planner predicts. */
function predicted(world: World, changed: KubeObject, failing: ReadonlySet<string>): Admissions & { readonly revision: number } {
  const observed = stateOf(withObjects(listingOf(world), [changed]), ADD_ON);
  if (!observed) throw new Error('no declaration');
  const { entries } = planEntries(observed.state, { wall: world.wall, time: toTime(world.wall), monotonic: 0 });
  const rollout = entries[0]?.rollout;
  if (!rollout) throw new Error('no rollout');
  const waves: { at: number; clusters: readonly string[] }[] = [];
  const { outcome } = new EntryRun(rollout.start, {
    fateOf: (cluster) => ({ outcome: failing.has(cluster) ? 'fails' : 'arrives', afterMs: MOVE_MS }),
    gates: rollout.gates(),
    onAdmission: (admitted, _, at) => waves.push({ at, clusters: admitted.map(({ cluster }) => cluster).sort() }),
  }).run();
  return { waves, outcome, revision: rollout.target.revision };
}

/** Runs the shipped fleet controller until the rollout ends, or until nothing has changed for more than a day. */
function followed(world: World, names: readonly string[], away: ReadonlySet<string>, failing: ReadonlySet<string>): Admissions {
  const moves = new TimeHeap<string>();
  const revisions = new Map<string, number>();
  const waves: { at: number; clusters: readonly string[] }[] = [];
  const target = (): number | undefined => world.rollout()?.status?.entries?.[0]?.targetRevision;
  const earlier = target();
  let goal: number | undefined;
  let quietSince = world.wall;
  // A window that opens and closes for a cluster that never moves changes the record again and again, so stop after this time.
  const lastAt = world.wall + 96 * HOUR;
  while (world.wall < lastAt && world.wall - quietSince < 30 * HOUR) {
    const before = world.hub.revision;
    // A measurement writes nothing, but its answer starts the next pass, so it counts as an action here.
    const hasActed = world.pass(0).length > 0;
    const entry = world.rollout()?.status?.entries?.[0];
    if (goal === undefined && target() !== earlier) goal = target();
    const wildcard = entry?.inFlight?.find(({ cluster }) => cluster === '*');
    const admitted = new Map(
      (wildcard ? names.filter((name) => !away.has(name) && !wildcard.except?.includes(name)) : []).map((name) => [
        name,
        wildcard?.revision ?? 0,
      ]),
    );
    for (const { cluster, revision } of entry?.inFlight ?? []) if (cluster !== '*') admitted.set(cluster, revision);
    const wave: string[] = [];
    for (const [cluster, revision] of admitted) {
      if (revisions.get(cluster) === revision) continue;
      revisions.set(cluster, revision);
      world.addOnPass(cluster);
      if (revision === goal && goal !== earlier) wave.push(cluster);
      if (!away.has(cluster)) moves.push(world.wall + MOVE_MS, cluster);
    }
    if (wave.length > 0) waves.push({ at: world.wall, clusters: wave.sort() });
    if (goal !== undefined && (entry?.targetRevision !== goal || entry.rolledBack)) return { waves, outcome: 'TurnedBack' };
    if (world.hub.revision !== before) quietSince = world.wall;
    if (entry?.state === 'Completed' && entry.targetRevision === goal && moves.peek() === undefined && !hasActed)
      return { waves, outcome: 'Completed' };
    const next = moves.peek();
    const waits = [next ? next.at - world.wall : undefined, world.recheckMs].filter((ms) => ms !== undefined);
    world.tick(Math.max(1, Math.min(...waits, hasActed || world.hub.revision !== before ? 1_000 : 6 * HOUR)));
    for (let due = moves.peek(); due && due.at <= world.wall; due = moves.peek()) {
      moves.pop();
      world.addOnPass(due.value);
      world.report(due.value, failing.has(due.value) && revisions.get(due.value) === goal ? 'failed' : 'arrived');
    }
  }
  return { waves, outcome: world.rollout()?.status?.entries?.[0]?.state ?? '' };
}

/**
 * Before the plan is computed, creates every approval that a gate may need. Otherwise the plan would assume each approval at the moment it
 * is needed.
 */
function approve(world: World, revision: number): void {
  for (const by of ['alice', 'bob']) {
    for (const group of [undefined, '0', '1', 'rest']) {
      world.hub.put(rolloutApprovals, {
        apiVersion: OUTRIGGER,
        kind: 'RolloutApproval',
        metadata: { name: `${by}-${group ?? 'all'}`, creationTimestamp: toTime(world.wall) },
        spec: { addOn: ADD_ON, entry: 'default/all', revision, gate: 'p/go', decision: 'Approved', by, ...(group ? { group } : {}) },
      } as unknown as KubeObject);
    }
  }
}

/**
 * Whether the cluster is unreachable. Clusters in flight to the previous version are never made unreachable, because they would block later
 * groups until they return.
 */
function isAway({ away, isOnTheWay }: Situation, position: number): boolean {
  return !isOnTheWay && away.includes(position);
}

/** Builds a fleet in this situation, before the planned change. */
function worldOf(situation: Situation): { readonly world: World; readonly names: readonly string[] } {
  const names = clusterNames(situation.groups.reduce((sum, count) => sum + count, 0));
  // With strategy All, the wildcard admission to the previous version covers clusters that join, so no cluster is selected for the first
  // time.
  const known = names.filter((_, i) => situation.strategy.type === 'All' || !situation.fresh.includes(i));
  const world = fleetOf(known, { addonTemplate: { installVersion: 'v1' }, rolloutStrategy: strategyOf(situation.strategy) });
  settle(world, known);
  world.tick(MINUTE);
  world.provider = () => ({ series: [{ labels: {}, value: 0.01 }] });
  if (situation.isOnTheWay) {
    world.template('v2', 'hello:2');
    const { spec } = declaration(entryAt('v2', strategyOf(situation.strategy))) as unknown as { readonly spec: object };
    world.declare(spec);
    world.pass(0);
    for (const name of known) world.addOnPass(name);
    world.tick(1_100);
  }
  for (const [i, name] of names.entries()) {
    world.cluster(name, isAway(situation, i) ? 'Unknown' : 'True', situation.prod.includes(i) ? { stage: 'prod' } : {});
  }
  let from = 0;
  world.choose(
    'all',
    situation.groups.map((count) => names.slice(from, (from += count))),
  );
  world.template('v3', 'hello:3');
  world.hub.put(rolloutPolicies, policyOf(situation, world.wall));
  return { world, names };
}

function textOf({ waves }: Admissions): readonly string[] {
  return waves.map(({ clusters }) => clusters.join());
}

function compare(situation: Situation): void {
  const { world, names } = worldOf(situation);
  const away = new Set(names.filter((_, i) => isAway(situation, i)));
  const failing = new Set(names.filter((_, i) => situation.failing.includes(i)));
  const changed = declaration(entryAt('v3', strategyOf(situation.strategy)));
  const startedAt = world.wall;
  approve(world, predicted(world, changed, failing).revision);
  const plan = predicted(world, changed, failing);
  world.declare((changed as unknown as { readonly spec: object }).spec);
  const real = followed(world, names, away, failing);
  const seconds = ({ waves, outcome }: Admissions): object => ({
    waves: waves.map(({ at, clusters }) => `${Math.round((at - startedAt) / 1000)} ${clusters.join()}`),
    outcome,
  });
  const isClose = plan.waves.every(({ at }, i) => Math.abs(at - (real.waves[i]?.at ?? 0)) <= TOLERANCE_MS);
  const isAlike = isClose && textOf(plan).join(';') === textOf(real).join(';');
  const ends = (outcome: string): boolean => (plan.outcome === outcome) === (real.outcome === outcome);
  if (isAlike && ends('TurnedBack') && ends('Completed')) return;
  expect(seconds(plan)).toEqual(seconds(real));
}

describe('a plan and the shipped controllers', () => {
  it('admit the same clusters in the same order at the same times, for random fleets under random policies', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        compare(situation);
      }),
      { numRuns: Number(process.env['OUTRIGGER_PLANS'] ?? 20), seed: Number(process.env['OUTRIGGER_PLANS_SEED'] ?? 1), endOnFailure: true },
    );
  });
});
