import type { SeededRandom } from '@outrigger/core';
import {
  ADD_ONS,
  type AddOnName,
  DEPENDENCIES,
  type Dependency,
  type Entry,
  PLACEMENTS,
  type PlacementName,
  type Rollout,
  VERSIONS,
} from '../world/objects.js';
import type { EditStep, Step, TimedStep } from './steps.js';

/** A time that is long enough for a fleet to settle. */
const SETTLED_MS = 40_000;

/**
 * Adds edits of entries, dependencies and Placements to a history. They add no waiting time, so the other steps keep their times, unless
 * a story at the start delays them.
 */
export function declarationEdits(random: SeededRandom, steps: readonly TimedStep[]): readonly TimedStep[] {
  const start = steps.slice(0, ADD_ONS.length);
  const mixed = steps.slice(ADD_ONS.length).flatMap((step) => (random.chance(0.2) ? [{ afterMs: 0, step: single(random) }, step] : [step]));
  return [...start, ...(random.chance(0.5) ? random.pick(STORIES)(random) : []), ...mixed];
}

function single(random: SeededRandom): EditStep {
  const placement = random.pick(PLACEMENTS);
  const addOn = random.pick(ADD_ONS);
  return random.pick<EditStep>([
    { do: 'edit entries', addOn, entries: entriesOf(random) },
    { do: 'edit entries', addOn, entries: entriesOf(random) },
    { do: 'edit dependencies', addOn, dependencies: dependenciesOf(random, addOn) },
    { do: 'delete placement', placement },
    { do: 'create placement', placement },
    { do: 'create placement', placement },
  ]);
}

function entriesOf(random: SeededRandom): readonly Entry[] {
  const inOrder = random.chance(0.7) ? PLACEMENTS : PLACEMENTS.toReversed();
  const share = random.pick([0, 0.5, 0.7, 0.7]);
  return inOrder.filter(() => random.chance(share)).map((placement) => entry(random, placement));
}

function entry(random: SeededRandom, placement: PlacementName): Entry {
  return { placement, rollout: rolloutOf(random), version: random.pick([undefined, undefined, ...VERSIONS]) };
}

function dependenciesOf(random: SeededRandom, addOn: AddOnName): readonly Dependency[] {
  const others = DEPENDENCIES.filter((name) => name !== addOn);
  return others.filter(() => random.chance(0.4)).map((name) => ({ name, type: random.pick(['Required', 'Optional'] as const) }));
}

type Story = (random: SeededRandom) => readonly TimedStep[];
const after = (afterMs: number, step: Step): TimedStep => ({ afterMs, step });

/** A Placement is deleted and created again, as with `kubectl replace --force`, or later, after other edits. */
const replacedPlacement: Story = (random) => {
  const placement = random.pick(['all', 'all', 'canary'] as const);
  const addOn = random.pick(ADD_ONS);
  const edits: readonly EditStep[] = [
    { do: 'edit entries', addOn, entries: entriesOf(random) },
    { do: 'edit dependencies', addOn, dependencies: dependenciesOf(random, addOn) },
  ];
  return [
    after(random.pick([900, SETTLED_MS]), { do: 'delete placement', placement }),
    ...edits.filter(() => random.chance(0.4)).map((step) => after(random.pick([3, 900, 12_000]), step)),
    after(0, { do: 'edit template', addOn, version: random.pick(VERSIONS), content: random.pick(['good-7', 'slow-7']) }),
    after(random.pick([0, 3, 40, 900, 12_000]), { do: 'create placement', placement }),
  ];
};

/** The last entry is removed, so that the guard holds the removal of all add-ons, and content changes meanwhile. */
const noEntries: Story = (random) => {
  const addOn = random.pick(ADD_ONS);
  return [
    after(SETTLED_MS, { do: 'edit entries', addOn, entries: [] }),
    after(random.pick([3, 900, 12_000]), { do: 'edit template', addOn, version: random.pick(VERSIONS), content: 'good-7' }),
    after(random.pick([900, 12_000]), { do: 'edit entries', addOn, entries: entriesOf(random) }),
  ];
};

/** Clusters change from one entry to another with other rollout settings while they are on their way. */
const renamedEntry: Story = (random) => {
  const addOn = random.pick(ADD_ONS);
  return [
    after(SETTLED_MS, { do: 'edit template', addOn, version: random.pick(VERSIONS), content: 'slow-7' }),
    ...(random.chance(0.6) ? [after(0, { do: 'create placement', placement: 'most' } as const)] : []),
    after(random.pick([900, 2_500]), { do: 'edit entries', addOn, entries: [entry(random, 'most')] }),
    after(random.pick([3, 900, 12_000]), { do: 'create placement', placement: 'most' }),
  ];
};

const STORIES: readonly Story[] = [replacedPlacement, noEntries, renamedEntry];

export function rolloutOf(random: SeededRandom): Rollout {
  return {
    type: random.pick(['All', 'Progressive', 'Progressive', 'Progressive', 'ProgressivePerGroup']),
    maxConcurrency: random.pick([1, 1, 2, '50%', 3]),
    maxFailures: random.pick([0, 0, 1, '50%', 9]),
    progressDeadline: random.pick(['None', '15s', '60s']),
    minSuccessTime: random.pick(['0s', '0s', '5s', '20s']),
  };
}
