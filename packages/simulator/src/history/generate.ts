import { SeededRandom } from '@outrigger/core';
import { ADD_ONS, CLUSTERS, type Strategy, VERSIONS } from '../world/objects.js';
import { type GateName, POLICIES, type PolicyShape } from '../world/policies.js';
import { declarationEdits, rolloutOf } from './declaration-edits.js';
import { registrationSteps } from './registration-steps.js';
import { sceneOf } from './scenes.js';
import {
  type EditStep,
  type FaultStep,
  type History,
  type PersonStep,
  type Step,
  type SystemFaultStep,
  type TimedStep,
  isFault,
} from './steps.js';
import { systemFaults } from './system-faults.js';

/** The frequency with which each step is drawn, relative to the other steps. */
type Weights<S extends Step> = Readonly<Record<S['do'], number>>;
type Makers<S extends Step> = { readonly [Name in S['do']]: (random: SeededRandom) => Extract<S, { readonly do: Name }> };

/**
 * The steps that a history draws from its main generator. Edits of parts of declarations, managers of later versions, and faults of whole
 * servers come from generators of their own. */
type DrawnStep = Exclude<PersonStep, EditStep>;
type DrawnFault = Exclude<FaultStep, SystemFaultStep | { readonly do: 'later manager' }>;

const PEOPLE: Weights<DrawnStep> = {
  declare: 6,
  'delete declaration': 1,
  'edit template': 7,
  'edit config': 4,
  'edit everything': 4,
  label: 4,
  'group size': 1,
  pause: 3,
  pin: 3,
  confirm: 2,
  'override version': 2,
  'override config': 1,
  'install by hand': 1,
  'uninstall by hand': 1,
  join: 1,
  detach: 1,
  policy: 6,
  'delete policy': 1,
  decide: 6,
  metrics: 3,
  'pin entry': 1,
  'on cluster': 3,
};

/** Steps about rollout policies, which only some histories contain. */
const OF_POLICIES: ReadonlySet<Step['do']> = new Set<Step['do']>(['policy', 'delete policy', 'decide', 'metrics']);
/** Steps that need clusters with their own API servers. */
const OF_CLUSTERS: ReadonlySet<Step['do']> = new Set<Step['do']>(['on cluster', 'agent crash']);

function weightsWithout<S extends Step>(weights: Weights<S>, ...left: readonly ReadonlySet<Step['do']>[]): Weights<S> {
  const isLeft = (name: string): boolean => left.some((steps) => steps.has(name as Step['do']));
  return Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, isLeft(name) ? 0 : weight])) as Weights<S>;
}

const FAULTS: Weights<DrawnFault> = {
  lag: 4,
  'break watch': 2,
  'slow requests': 2,
  'lose requests': 2,
  crash: 3,
  'leader change': 2,
  'cluster away': 1,
  flap: 2,
  'hub clock': 1,
  'agent crash': 3,
};

/** The caches whose lag has the most effect; `*` means all of them. */
const RESOURCES = [
  '*',
  'add-ons',
  'rollouts',
  'declarations',
  'decisions',
  'works',
  'clusters',
  'templates',
  'contents',
  'placements',
  'rolloutPolicies',
  'rolloutApprovals',
] as const;
/**
 * Pauses between two steps, in milliseconds. Some are zero, most are shorter than a rollout, and a few are long enough for the fleet to
 * settle.
 */
const PAUSES = [0, 0, 3, 10, 40, 200, 900, 1_100, 2_500, 5_000, 12_000, 60_000] as const;
/**
 * The maximum times between a change and the pass that it starts, in milliseconds. Fast hubs observe almost every state; slow ones observe
 * several changes at once.
 */
const PACES = [3, 30, 30, 100] as const;
const CONTENTS = ['good-1', 'good-2', 'good-3', 'slow-1', 'bad-1'] as const;

const people: Makers<DrawnStep> = {
  declare: (random) => ({ do: 'declare', addOn: random.pick(ADD_ONS), strategy: strategyOf(random) }),
  'delete declaration': (random) => ({ do: 'delete declaration', addOn: random.pick(ADD_ONS) }),
  'edit template': (random) => ({
    do: 'edit template',
    addOn: random.pick(ADD_ONS),
    version: random.pick(VERSIONS),
    content: random.pick(CONTENTS),
  }),
  'edit config': (random) => ({ do: 'edit config', addOn: random.pick(ADD_ONS), level: String(random.below(3)) }),
  'edit everything': (random) => ({
    do: 'edit everything',
    addOn: random.pick(ADD_ONS),
    strategy: strategyOf(random),
    version: random.pick(VERSIONS),
    content: random.pick(CONTENTS),
    clusters: CLUSTERS.filter(() => random.chance(0.8)),
  }),
  label: (random) => ({ do: 'label', cluster: random.pick(CLUSTERS), fleet: random.chance(0.7), canary: random.chance(0.4) }),
  'group size': (random) => ({ do: 'group size', size: 1 + random.below(2) }),
  pause: (random) => ({ do: 'pause', addOn: random.pick(ADD_ONS), paused: random.chance(0.5) }),
  pin: (random) => ({ do: 'pin', addOn: random.pick(ADD_ONS), back: random.pick([undefined, undefined, 0, 1, 2, 5]) }),
  confirm: (random) => ({ do: 'confirm', addOn: random.pick(ADD_ONS), off: random.pick([0, 0, 0, 1]) }),
  'override version': (random) => ({
    do: 'override version',
    addOn: random.pick(ADD_ONS),
    cluster: random.pick(CLUSTERS),
    version: random.pick([undefined, ...VERSIONS]),
  }),
  'override config': (random) => ({
    do: 'override config',
    addOn: random.pick(ADD_ONS),
    cluster: random.pick(CLUSTERS),
    isSet: random.chance(0.5),
  }),
  'install by hand': (random) => ({ do: 'install by hand', addOn: random.pick(ADD_ONS), cluster: random.pick(CLUSTERS) }),
  'uninstall by hand': (random) => ({ do: 'uninstall by hand', addOn: random.pick(ADD_ONS), cluster: random.pick(CLUSTERS) }),
  join: (random) => ({ do: 'join', cluster: random.pick(CLUSTERS), fleet: random.chance(0.8), canary: random.chance(0.3) }),
  detach: (random) => ({ do: 'detach', cluster: random.pick(CLUSTERS), isForced: random.chance(0.3) }),
  policy: (random) => ({ do: 'policy', policy: random.pick(POLICIES), shape: policyOf(random) }),
  'delete policy': (random) => ({ do: 'delete policy', policy: random.pick(POLICIES) }),
  decide: (random) => {
    const policy = random.pick(POLICIES);
    const decision = random.pick(['Approved', 'Approved', 'Approved', 'Rejected', 'Overridden', 'Retried'] as const);
    const gates = { Approved: ['approval'], Rejected: ['approval'], Overridden: ['freeze', 'hours', 'errors'], Retried: GATES } as const;
    const gate: GateName = `${policy}/${random.pick(gates[decision])}`;
    return { do: 'decide', addOn: random.pick(ADD_ONS), gate, decision, by: random.pick(['ann', 'ben']) };
  },
  metrics: (random) => ({ do: 'metrics', addOn: random.pick(ADD_ONS), value: random.pick([0, 0, 1, undefined]) }),
  'on cluster': (random) => ({
    do: 'on cluster',
    cluster: random.pick(CLUSTERS),
    addOn: random.pick(ADD_ONS),
    change: random.pick(['edit', 'delete', 'create']),
  }),
  'pin entry': (random) => ({
    do: 'pin entry',
    addOn: random.pick(ADD_ONS),
    isCanary: random.chance(0.5),
    back: random.pick([undefined, 0, 1, 2]),
  }),
};

const GATES = ['approval', 'errors', 'onFailure', 'onFailure'] as const;

function policyOf(random: SeededRandom): PolicyShape {
  const period = { afterMs: random.pick([0, 0, 5_000]), forMs: random.pick([2_000, 20_000, 90_000]) };
  const analysis = {
    count: 1 + random.below(2),
    intervalSeconds: random.pick([1, 5]),
    initialDelaySeconds: random.pick([0, 3]),
    failureLimit: random.below(2),
  };
  const approval = {
    place: random.pick(['before Rollout', 'before Group', 'after Group', 'after Rollout'] as const),
    required: random.pick([1, 1, 2]),
    waitSeconds: random.pick([undefined, 5, 30]),
  };
  const onFailure = { action: random.pick(['RollBack', 'RollBack', 'Halt'] as const), maxConcurrency: random.pick([undefined, 1, 2]) };
  return {
    addOns: random.pick([['alpha'], ['beta'], ADD_ONS]),
    freeze: random.chance(0.3) ? period : undefined,
    hours: random.chance(0.15) ? period : undefined,
    operations: random.pick([['Upgrade'], ['Upgrade'], ['Upgrade', 'Install'], ['Remove'], ['Upgrade', 'Install', 'Remove']]),
    approval: random.chance(0.4) ? approval : undefined,
    analysis: random.chance(0.4) ? analysis : undefined,
    onFailure: random.chance(0.7) ? onFailure : undefined,
  };
}

const faults: Makers<DrawnFault> = {
  lag: (random) => ({
    do: 'lag',
    process: random.below(2),
    resource: random.pick(RESOURCES),
    ms: random.pick([50, 400, 1_500, 8_000]),
    forMs: random.pick([500, 5_000, 30_000]),
  }),
  'break watch': (random) => ({
    do: 'break watch',
    process: random.below(2),
    resource: random.pick(RESOURCES),
    forMs: random.pick([20, 1_000, 15_000]),
  }),
  'slow requests': (random) => ({ do: 'slow requests', forMs: random.pick([1_000, 10_000]) }),
  'lose requests': (random) => ({ do: 'lose requests', count: 1 + random.below(4), fate: random.pick(['lost', 'answer lost']) }),
  crash: (random) => ({ do: 'crash', writes: 1 + random.below(6), downMs: random.pick([1, 500, 8_000]) }),
  'leader change': () => ({ do: 'leader change' }),
  'cluster away': (random) => ({ do: 'cluster away', cluster: random.pick(CLUSTERS), forMs: random.pick([30_000, 2_400_000]) }),
  flap: (random) => ({ do: 'flap', cluster: random.pick(CLUSTERS), forMs: random.pick([500, 5_000, 40_000]) }),
  'agent crash': (random) => ({
    do: 'agent crash',
    cluster: random.pick(CLUSTERS),
    writes: 1 + random.below(5),
    downMs: random.pick([1, 500, 8_000]),
  }),
  'hub clock': (random) => ({ do: 'hub clock', ms: random.pick([-600_000, -5_000, 15_000, 600_000]) }),
};

function strategyOf(random: SeededRandom): Strategy {
  return {
    type: random.pick(['Placements', 'Placements', 'Placements', 'Placements', 'ClusterLabelSelector', 'Manual']),
    rollout: rolloutOf(random),
    hasCanary: random.chance(0.6),
    version: random.pick([undefined, undefined, ...VERSIONS]),
    canaryVersion: random.pick([undefined, undefined, ...VERSIONS]),
    defaultVersion: random.pick(VERSIONS),
  };
}

function draw<S extends Step>(random: SeededRandom, weights: Weights<S>, makers: Makers<S>): S {
  const entries = Object.entries(weights) as [S['do'], number][];
  let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return makers[name](random);
  }
  return makers[(entries[0] as [S['do'], number])[0]](random);
}

/** Steps whose consequences the clusters controller handles. */
const NEEDS_CLUSTERS: ReadonlySet<Step['do']> = new Set<Step['do']>(['join', 'detach', 'cluster away']);

export interface GenerateOptions {
  /** The approximate number of user steps. */
  readonly actions: number;
  /** The share of histories with faults. */
  readonly faulty: number;
  /** The share of histories with steps about certificates. Only the first layer of the simulation runs such steps. */
  readonly registered: number;
  /** The share of histories with edits of Placements and of parts of declarations. */
  readonly edited: number;
  /** The share of histories in which a manager of a later version also leads. Only the first layer of the simulation runs such steps. */
  readonly later: number;
  /** The share of the histories with faults in which whole servers and machines fail too. Only the second layer runs such steps. */
  readonly system: number;
}

const SCENE_SEED = 1_000_000_007;
const REGISTRATION_SEED = 2_000_000_011;
const EDIT_SEED = 3_000_000_019;
const LATER_SEED = 4_000_000_007;
const SYSTEM_SEED = 5_000_000_029;
const DEFAULTS: GenerateOptions = { actions: 40, faulty: 0.8, registered: 0.125, edited: 0.25, later: 0.06, system: 0 };

/** Generates the history of a seed. The same seed always gives the same history. */
export function generate(seed: number, options: Partial<GenerateOptions> = {}): History {
  const { actions, faulty, registered, edited, later, system } = { ...DEFAULTS, ...options };
  const random = new SeededRandom(seed * 2 + 1);
  const faultRate = random.chance(faulty) ? random.pick([0.1, 0.25, 0.4]) : 0;
  const count = Math.round(actions * (0.5 + random.next() * 0.75));
  const steps: TimedStep[] = ADD_ONS.map((addOn) => ({ afterMs: 0, step: { do: 'declare', addOn, strategy: strategyOf(random) } }));
  // In half of the histories users wait only briefly, so that changes occur during rollouts.
  const pauses = random.chance(0.5) ? PAUSES : PAUSES.slice(0, 9);
  const hasOtherManager = random.chance(0.15);
  const withoutPolicies = random.chance(0.5) ? [OF_POLICIES] : [];
  const hasRealAgents = random.chance(0.4);
  const left = [...withoutPolicies, ...(hasRealAgents ? [] : [OF_CLUSTERS])];
  const [weights, faultWeights] = [weightsWithout<DrawnStep>(PEOPLE, ...left), weightsWithout<DrawnFault>(FAULTS, ...left)];
  const add = (step: Step): void => {
    const afterMs = random.pick(pauses);
    if (!hasOtherManager || !NEEDS_CLUSTERS.has(step.do)) steps.push({ afterMs, step });
  };
  // Scenes use a separate generator, so that the other steps of a seed do not depend on them.
  steps.push(...sceneOf(new SeededRandom(seed * 2 + SCENE_SEED), { hasRealAgents, hasOtherManager }));
  for (let i = 0; i < count; i++) {
    add(draw(random, weights, people));
    if (random.chance(faultRate)) add(draw(random, faultWeights, faults));
  }
  const history = { seed, hasReplica: faultRate > 0 && random.chance(0.5), paceMs: random.pick(PACES), hasOtherManager, hasRealAgents };
  const ofEdits = new SeededRandom(seed * 2 + EDIT_SEED);
  const withEdits = ofEdits.chance(edited) ? declarationEdits(ofEdits, steps) : steps;
  const ofLater = new SeededRandom(seed * 2 + LATER_SEED);
  const withLater = ofLater.chance(later) ? laterManagers(ofLater, withEdits) : withEdits;
  const ofSystem = new SeededRandom(seed * 2 + SYSTEM_SEED);
  const hasSystemFaults = withLater.some(({ step }) => isFault(step)) && ofSystem.chance(system);
  const all = hasSystemFaults ? systemFaults(ofSystem, withLater) : withLater;
  const ofRegistration = new SeededRandom(seed * 2 + REGISTRATION_SEED);
  if (hasOtherManager || !ofRegistration.chance(registered)) return { ...history, steps: all };
  return { ...history, hasRegistration: true, steps: registrationSteps(ofRegistration, all) };
}

/** Adds times at which a manager of a later version leads. They take no time, so the other steps keep their times. */
function laterManagers(random: SeededRandom, steps: readonly TimedStep[]): readonly TimedStep[] {
  const start = steps.slice(0, ADD_ONS.length);
  const rest = steps.slice(ADD_ONS.length).flatMap((step): readonly TimedStep[] => {
    if (!random.chance(0.1)) return [step];
    return [{ afterMs: 0, step: { do: 'later manager', forMs: random.pick([40, 900, 12_000, 120_000]) } }, step];
  });
  return [...start, ...rest];
}
