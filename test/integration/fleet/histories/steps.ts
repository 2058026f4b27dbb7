import { rolloutApprovals, rolloutPolicies } from '@outrigger/api';
import { type KubeObject, toTime } from '@outrigger/core';
import fc from 'fast-check';
import { ADD_ON, World } from '../../../../packages/hub/testing/fleet/world.js';

export const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'] as const;
const BASE_PLACEMENT = 'all';
const CANARY_PLACEMENT = 'canary';

/** One event of a history. It is plain data, so that a failing history can be printed and shrunk. */
export type Step =
  | { readonly do: 'pass'; readonly manager: number; readonly stale: number; readonly survives: number }
  | { readonly do: 'add-on pass'; readonly cluster: string; readonly stale: number }
  | { readonly do: 'all move'; readonly clusters: readonly string[]; readonly arrive: boolean }
  | { readonly do: 'report'; readonly cluster: string; readonly outcome: 'arrived' | 'failed' | 'unhealthy' }
  | { readonly do: 'reachable'; readonly cluster: string; readonly is: boolean }
  | { readonly do: 'choose'; readonly clusters: readonly string[]; readonly canaries: readonly string[]; readonly isTorn: boolean }
  | { readonly do: 'template'; readonly version: string; readonly image: number }
  | { readonly do: 'strategy'; readonly strategy: Strategy }
  | { readonly do: 'edit all'; readonly strategy: Strategy; readonly content: Content; readonly choice: Choice }
  | { readonly do: 'ask'; readonly paused: boolean; readonly pin: number | undefined }
  | { readonly do: 'edit'; readonly cluster: string; readonly version: string | undefined }
  | { readonly do: 'tick'; readonly ms: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'crash'; readonly manager: number }
  | { readonly do: 'govern'; readonly freeze: Freeze | undefined }
  | { readonly do: 'decide'; readonly decision: GateDecisionType; readonly back: number }
  /** The clusters move until nothing is left to do, or all of them fail for longer than the hub waits before an automatic rollback. */
  | { readonly do: 'move on'; readonly outcome: 'arrived' | 'failed' };

type GateDecisionType = 'Approved' | 'Rejected' | 'Retried';

/** A Deny window of a policy that governs the add-on. */
export interface Freeze {
  readonly ms: number;
  readonly isForProd: boolean;
  readonly operations: readonly ('Upgrade' | 'Install')[];
  readonly needsApproval: boolean;
  readonly rollsBack: boolean;
}

interface Choice {
  readonly clusters: readonly string[];
  readonly canaries: readonly string[];
  readonly isTorn: boolean;
}

interface Content {
  readonly version: string;
  readonly image: number;
}

interface Strategy {
  readonly type: 'All' | 'Progressive' | 'ProgressivePerGroup';
  readonly maxConcurrency: number | string;
  readonly maxFailures: number;
  readonly deadline: string;
  readonly soak: string;
  readonly version: string | undefined;
  readonly canaryVersion: string | undefined;
}

const cluster = fc.constantFrom(...CLUSTERS);
const stale = fc.integer({ min: 0, max: 255 });

const strategy: fc.Arbitrary<Strategy> = fc.record({
  type: fc.constantFrom('All', 'Progressive', 'Progressive', 'ProgressivePerGroup'),
  maxConcurrency: fc.constantFrom(1, 2, 3, '50%'),
  maxFailures: fc.constantFrom(0, 1, 9),
  deadline: fc.constantFrom('None', '30s'),
  soak: fc.constantFrom('0', '20s'),
  version: fc.constantFrom(undefined, 'v1', 'v2'),
  canaryVersion: fc.constantFrom(undefined, 'v1', 'v2'),
});

const choice: fc.Arbitrary<Choice> = fc.record({
  clusters: fc.subarray([...CLUSTERS]),
  canaries: fc.subarray([...CLUSTERS]),
  isTorn: fc.boolean(),
});

const content: fc.Arbitrary<Content> = fc.record({ version: fc.constantFrom('v1', 'v2'), image: fc.nat(2) });

/** Selects most of the fleet in one entry, so that many clusters wait for a small budget. */
const wideChoice: fc.Arbitrary<Choice> = fc.record({
  clusters: fc.subarray([...CLUSTERS], { minLength: 4 }),
  canaries: fc.subarray([...CLUSTERS], { maxLength: 1 }),
  isTorn: fc.constant(false),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      manager: fc.nat(1),
      stale,
      survives: fc.constantFrom(99, 99, 99, 0, 1, 2, 4),
    }),
  },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('add-on pass' as const), cluster, stale }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      cluster,
      outcome: fc.constantFrom('arrived', 'arrived', 'failed', 'unhealthy'),
    }),
  },
  // Many clusters move, and most reach the target, between two fleet passes, so that the record lists clusters that are done.
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('all move' as const),
      clusters: fc.subarray([...CLUSTERS], { minLength: 3 }),
      arrive: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reachable' as const), cluster, is: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: choice.map((value) => ({ do: 'choose' as const, ...value })),
  },
  { weight: 2, arbitrary: content.map((value) => ({ do: 'template' as const, ...value })) },
  // AT-61: strategy, content and membership change in one edit, at any time during another rollout.
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('edit all' as const), strategy, content, choice: fc.oneof(choice, wideChoice) }),
  },
  { weight: 1, arbitrary: strategy.map((value) => ({ do: 'strategy' as const, strategy: value })) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('ask' as const), paused: fc.boolean(), pin: fc.constantFrom(undefined, undefined, 1, 2, 77) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), cluster, version: fc.constantFrom(undefined, 'v1', 'v2') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const), ms: fc.constantFrom(200, 1100, 11_000, 31_000, 700_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clock' as const), ms: fc.constantFrom(-3_600_000, 3_600_000, 15_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), manager: fc.nat(1) }) },
);

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 20, maxLength: 60 });

const freeze: fc.Arbitrary<Freeze> = fc.record({
  ms: fc.constantFrom(5_000, 60_000, 3_600_000),
  isForProd: fc.boolean(),
  operations: fc.constantFrom(['Upgrade'] as const, ['Upgrade', 'Install'] as const),
  needsApproval: fc.constantFrom(false, false, true),
  rollsBack: fc.boolean(),
});

/** Generates histories like `histories`, under a rollout policy that is created, changed and deleted. */
export const gatedHistories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: step },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('govern' as const), freeze: fc.option(freeze, { nil: undefined, freq: 3 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('decide' as const),
        decision: fc.constantFrom<GateDecisionType>('Approved', 'Approved', 'Rejected', 'Retried'),
        back: fc.constantFrom(0, 0, 0, 1),
      }),
    },
    // Without this step few rollouts complete, so that there is hardly ever a way back.
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('move on' as const),
        outcome: fc.constantFrom('arrived' as const, 'arrived' as const, 'failed' as const),
      }),
    },
  ),
  { minLength: 20, maxLength: 60 },
);

const PROD: ReadonlySet<string> = new Set(['c1', 'c3', 'c5']);

export function isProd(cluster: string): boolean {
  return PROD.has(cluster);
}

function labelsOf(cluster: string): Readonly<Record<string, string>> {
  return isProd(cluster) ? { stage: 'prod' } : {};
}

const POLICY = 'frozen';

/** Replaces the policy of the history, or deletes it. */
export function govern(world: World, spec: Freeze | undefined): void {
  if (!spec) return world.hub.remove(rolloutPolicies, { name: POLICY });
  const window = {
    name: 'freeze',
    effect: 'Deny',
    from: toTime(world.wall - 1_000),
    until: toTime(world.wall + spec.ms),
    for: spec.operations,
    ...(spec.isForProd ? { clusters: { matchLabels: { stage: 'prod' } } } : {}),
  };
  const approvals = spec.needsApproval ? [{ name: 'go', before: 'Rollout', required: 1 }] : [];
  world.hub.put(rolloutPolicies, {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: POLICY },
    spec: { addOns: { names: [ADD_ON] }, windows: [window], approvals, onFailure: { action: spec.rollsBack ? 'RollBack' : 'Halt' } },
  } as unknown as KubeObject);
}

/** The approval gate of the policy. */
const GATE = `${POLICY}/go`;

/** Creates a decision for every entry, about its target or about the revision whose number is lower by `back`. */
function decideAbout(world: World, decision: GateDecisionType, back: number): void {
  for (const { name: entry, targetRevision = 0 } of world.rollout()?.status?.entries ?? []) {
    world.hub.put(rolloutApprovals, {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'RolloutApproval',
      metadata: {
        name: `${decision.toLowerCase()}-${entry.replace('/', '-')}-${world.hub.revision}`,
        creationTimestamp: toTime(world.wall),
      },
      spec: { addOn: ADD_ON, entry, revision: Math.max(1, targetRevision - back), gate: GATE, decision, by: 'alice' },
    } as unknown as KubeObject);
  }
}

const ROUNDS = 6;

function moveOn(world: World, outcome: 'arrived' | 'failed'): void {
  for (let round = 0; round < ROUNDS; round++) {
    world.pass(0);
    for (const name of CLUSTERS) {
      world.addOnPass(name);
      world.report(name, outcome);
    }
    world.tick(outcome === 'failed' ? 31_000 : 1_100);
  }
  world.pass(0);
}

/** Creates the initial state of every history: half of the fleet is selected, and clusters move one at a time. */
export function newWorld(): World {
  const world = new World();
  for (const name of CLUSTERS) world.cluster(name, 'True', labelsOf(name));
  world.template('v1', 'hello:0');
  world.template('v2', 'hello:1');
  choose(world, ['c1', 'c2', 'c3', 'c4'], ['c4'], false);
  declare(world, {
    type: 'Progressive',
    maxConcurrency: 1,
    maxFailures: 0,
    deadline: 'None',
    soak: '0',
    version: 'v1',
    canaryVersion: undefined,
  });
  world.start();
  return world;
}

export function apply(world: World, one: Step): void {
  switch (one.do) {
    case 'pass':
      world.pass(one.manager, freshness(one.stale), one.survives);
      return;
    case 'add-on pass':
      world.addOnPass(one.cluster, freshness(one.stale));
      return;
    case 'all move':
      for (const name of one.clusters) {
        world.addOnPass(name);
        if (one.arrive) world.report(name, 'arrived');
      }
      return;
    case 'report':
      world.report(one.cluster, one.outcome);
      return;
    case 'reachable':
      world.cluster(one.cluster, one.is ? 'True' : 'Unknown', labelsOf(one.cluster));
      return;
    case 'choose':
      choose(world, one.clusters, one.canaries, one.isTorn);
      return;
    case 'template':
      world.template(one.version, `hello:${one.image}`);
      return;
    case 'strategy':
      declare(world, one.strategy);
      return;
    case 'edit all':
      declare(world, one.strategy);
      world.template(one.content.version, `hello:${one.content.image}`);
      choose(world, one.choice.clusters, one.choice.canaries, one.choice.isTorn);
      return;
    case 'ask':
      world.ask({ paused: one.paused, pinnedRevision: one.pin });
      return;
    case 'edit':
      world.edit(one.cluster, { installVersion: one.version });
      return;
    case 'tick':
      world.tick(one.ms);
      return;
    case 'clock':
      world.stepClock(one.ms);
      return;
    case 'crash':
      world.crash(one.manager);
      return;
    case 'govern':
      govern(world, one.freeze);
      return;
    case 'decide':
      decideAbout(world, one.decision, one.back);
      return;
    case 'move on':
      moveOn(world, one.outcome);
      return;
  }
}

/**
 * Returns a function that tells whether the cache of a kind is up to date. `stale` has one bit per kind, so that any two caches may differ
 * in age.
 */
function freshness(stale: number): (plural: string) => boolean {
  let bit = 0;
  const isFresh = new Map<string, boolean>();
  return (plural) => {
    if (!isFresh.has(plural)) isFresh.set(plural, ((stale >> bit++) & 1) === 0);
    return isFresh.get(plural) ?? true;
  };
}

function choose(world: World, clusters: readonly string[], canaries: readonly string[], isTorn: boolean): void {
  const half = Math.ceil(clusters.length / 2);
  // If a Placement reports more clusters than its PlacementDecisions list, the placement controller is still rewriting them.
  const announced = clusters.length + (isTorn ? 1 : 0);
  world.choose(BASE_PLACEMENT, [clusters.slice(0, half), clusters.slice(half)], announced);
  world.choose(CANARY_PLACEMENT, [canaries]);
}

function declare(world: World, { type, maxConcurrency, maxFailures, deadline, soak, version, canaryVersion }: Strategy): void {
  const options = { maxFailures, progressDeadline: deadline, minSuccessTime: soak };
  const rolloutStrategy = {
    All: { type, all: options },
    Progressive: { type, progressive: { ...options, maxConcurrency } },
    ProgressivePerGroup: { type, progressivePerGroup: options },
  }[type];
  const entry = (name: string, installVersion: string | undefined): object => ({
    namespace: 'default',
    name,
    rolloutStrategy,
    ...(installVersion === undefined ? {} : { addonTemplate: { installVersion } }),
  });
  world.declare({
    installStrategy: { type: 'Placements', placements: [entry(BASE_PLACEMENT, version), entry(CANARY_PLACEMENT, canaryVersion)] },
  });
}
