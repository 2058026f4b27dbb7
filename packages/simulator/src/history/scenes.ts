import type { SeededRandom } from '@outrigger/core';
import { CLUSTERS, type ClusterName, type Rollout, type Strategy } from '../world/objects.js';
import type { Step, TimedStep } from './steps.js';

/**
 * Short sequences of steps that random generation rarely produces. A third of the histories starts with one, so that rules about rare
 * situations are checked often. The names of content in scenes occur in no other step, so every edit in a scene is a change.
 */
type Scene = (random: SeededRandom) => readonly TimedStep[];

const BETA = 'beta';
const EVERY_CLUSTER: readonly ClusterName[] = CLUSTERS;
/** A time that is long enough for a fleet to settle. */
const SETTLED_MS = 40_000;
/** A time that is long enough for content to fail, and for the 60 s until the rollout is rolled back automatically. */
const FAILED_MS = 120_000;

const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });
const edit = (content: string): Step => ({ do: 'edit template', addOn: BETA, version: 'v1', content });
/** A step that changes nothing, at the end of a pause. */
const NOTHING: Step = { do: 'metrics', addOn: 'alpha', value: 0 };

function strategy(rollout: Partial<Rollout> = {}): Strategy {
  return {
    type: 'Placements',
    rollout: { type: 'Progressive', maxConcurrency: 1, maxFailures: 0, progressDeadline: '15s', minSuccessTime: '0s', ...rollout },
    hasCanary: false,
    defaultVersion: 'v1',
  };
}

/** A window closes while a wildcard admission is in flight, then the strategy and the content change. */
const retargetUnderGate: Scene = (random) => [
  after(0, { do: 'declare', addOn: BETA, strategy: strategy({ type: 'All' }) }),
  after(SETTLED_MS, edit('slow-5')),
  after(2_500, {
    do: 'policy',
    policy: 'guard',
    shape: { addOns: [BETA], freeze: { afterMs: 0, forMs: 90_000 }, operations: ['Upgrade', 'Install'] },
  }),
  after(random.pick([200, 1_100]), {
    do: 'edit everything',
    addOn: BETA,
    strategy: strategy({ type: random.pick(['Progressive', 'Progressive', 'ProgressivePerGroup', 'All']), maxConcurrency: 3 }),
    version: 'v1',
    content: 'good-6',
    clusters: EVERY_CLUSTER,
  }),
  after(5_000, NOTHING),
];

/** Content fails under a policy, with and without a pin. */
const failureUnderPolicy: Scene = (random) => {
  const isPinned = random.chance(0.4);
  const action = isPinned ? 'RollBack' : random.pick(['Halt', 'Halt', 'RollBack'] as const);
  return [
    after(0, { do: 'declare', addOn: BETA, strategy: strategy({ progressDeadline: random.pick(['None', '15s']) }) }),
    after(SETTLED_MS, { do: 'policy', policy: 'guard', shape: { addOns: [BETA], operations: ['Upgrade'], onFailure: { action } } }),
    after(1_100, edit('bad-5')),
    ...(isPinned ? [after(2_500, { do: 'pin', addOn: BETA, back: 0 })] : []),
    after(FAILED_MS, NOTHING),
  ];
};

/** A fleet admin approves one revision; the next one needs another approval. */
const approvalOfEarlierRevision: Scene = (random) => [
  after(0, { do: 'declare', addOn: BETA, strategy: strategy({ maxConcurrency: 3, type: random.pick(['All', 'Progressive']) }) }),
  after(SETTLED_MS, {
    do: 'policy',
    policy: 'guard',
    shape: { addOns: [BETA], operations: ['Upgrade'], approval: { place: 'before Rollout', required: 1 } },
  }),
  after(200, edit('good-5')),
  after(2_500, { do: 'decide', addOn: BETA, gate: 'guard/approval', decision: 'Approved', by: 'ann' }),
  after(SETTLED_MS, edit('good-6')),
  after(5_000, NOTHING),
];

/** The groups of a rollout are admitted one after the other, each after the analysis of the group before it. */
const analysisOfGroups: Scene = (random) => [
  after(0, { do: 'declare', addOn: BETA, strategy: strategy({ type: 'ProgressivePerGroup', progressDeadline: 'None' }) }),
  after(SETTLED_MS, {
    do: 'policy',
    policy: 'guard',
    shape: {
      addOns: [BETA],
      operations: ['Upgrade'],
      analysis: { count: 2, intervalSeconds: 5, initialDelaySeconds: random.pick([0, 3]), failureLimit: 0 },
    },
  }),
  after(200, { do: 'metrics', addOn: BETA, value: random.pick([0, 1, undefined]) }),
  after(0, edit('good-5')),
  ...(random.chance(0.5) ? [after(5_000, { do: 'detach', cluster: random.pick(CLUSTERS.slice(0, 3)), isForced: false } as const)] : []),
  after(SETTLED_MS, { do: 'metrics', addOn: BETA, value: 0 }),
];

/**
 * While the agent of a cluster is down, a user of the cluster changes an applied object and removes its owner, and the add-on is removed.
 */
const disownedObject: Scene = (random) => {
  const cluster = random.pick(CLUSTERS.slice(0, 3));
  return [
    after(0, { do: 'declare', addOn: BETA, strategy: strategy({ type: 'All' }) }),
    after(SETTLED_MS, { do: 'agent crash', cluster, writes: 1, downMs: 8_000 }),
    after(3, { do: 'on cluster', cluster, addOn: BETA, change: 'edit' }),
    after(900, { do: 'on cluster', cluster, addOn: BETA, change: 'disown' }),
    after(0, { do: 'uninstall by hand', addOn: BETA, cluster }),
    after(12_000, NOTHING),
  ];
};

/** A cluster is detached by force while it is unreachable, and joins again under the same name. */
const forcedDetach: Scene = (random) => {
  const cluster = random.pick(CLUSTERS.slice(0, 3));
  return [
    after(0, { do: 'declare', addOn: BETA, strategy: strategy({ type: 'All' }) }),
    after(SETTLED_MS, { do: 'cluster away', cluster, forMs: 30_000 }),
    after(900, { do: 'detach', cluster, isForced: true }),
    after(12_000, { do: 'join', cluster, fleet: false, canary: false }),
    after(12_000, NOTHING),
  ];
};

const OF_EVERY_HUB: readonly Scene[] = [retargetUnderGate, failureUnderPolicy, approvalOfEarlierRevision];

interface SceneOptions {
  readonly hasRealAgents: boolean;
  readonly hasOtherManager: boolean;
}

/** Chooses at random the scene, a prepared sequence of steps, with which a history starts. Most histories start without one. */
export function sceneOf(random: SeededRandom, { hasRealAgents, hasOtherManager }: SceneOptions): readonly TimedStep[] {
  // A new scene is given only to histories that had none, so that the other histories keep their scenes.
  if (!random.chance(1 / 3)) {
    if (!random.chance(0.08)) return [];
    const steps = analysisOfGroups(random);
    return hasOtherManager ? steps.filter(({ step }) => step.do !== 'detach') : steps;
  }
  const ofClusters = hasOtherManager ? [disownedObject] : [disownedObject, forcedDetach];
  return random.pick(hasRealAgents && random.chance(0.7) ? ofClusters : OF_EVERY_HUB)(random);
}
