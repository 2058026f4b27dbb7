import { toTime } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ONE_BY_ONE, observedCluster as observed } from '../../../testing/index.js';
import { decideStep } from '../decide.js';
import type { Admission, ObservedCluster, StepInput } from '../input.js';
import type { GateAnswer, Gates } from './gates.js';

const NOW = { wall: 1_000_000, time: toTime(1_000_000) };
const ADMISSION: Admission = { revision: 2, admittedAt: NOW.time, since: NOW.wall, unhealthyBefore: false, parkedSince: undefined };

/** The states of a cluster that is not admitted to the target. */
const STATES: Readonly<Record<string, Partial<ObservedCluster>>> = {
  joins: { isNew: true },
  'runs an earlier revision': {},
  'is not available': { isUnreachable: true },
  'joined and is in flight to the completed revision': { isNew: true, isElsewhere: true },
  'is in flight to the completed revision': { isElsewhere: true },
  'has the completed revision, but its annotation does not name it yet': { isElsewhere: true, isUnwritten: true },
  'is in flight to an earlier target': { isElsewhere: true, retarget: ADMISSION },
  'may belong to another entry': { mayMove: false },
  'is not available and may belong to another entry': { isUnreachable: true, mayMove: false },
  'is in flight to the target and may belong to another entry': { admission: ADMISSION, mayMove: false },
  'is in flight to an earlier target and may belong to another entry': { isElsewhere: true, retarget: ADMISSION, mayMove: false },
};

const STRATEGY: StepInput['strategy'] = { ...ONE_BY_ONE, type: 'All', maxConcurrency: undefined };

const NO_HOLDS = { openedGates: [], analysis: [], measurements: [], failure: undefined, recheckAt: undefined, waitingFor: [] };

interface Circumstances {
  /** Whether a cluster other than the one under test moves too. If one does, the step creates or keeps a wildcard admission. */
  readonly hasMover: boolean;
  /** Whether the record has a wildcard admission to the target that leaves out the cluster. */
  readonly hasWildcard: boolean;
  readonly isPaused: boolean;
  readonly isGated: boolean;
  /** Whether the gates hold the cluster, if they are evaluated for it. */
  readonly isHeld: boolean;
  readonly hasOtherCompleted: boolean;
}

const BOTH = [false, true];
const CIRCUMSTANCES: readonly Circumstances[] = BOTH.flatMap((hasMover) =>
  BOTH.flatMap((hasWildcard) =>
    BOTH.flatMap((isPaused) =>
      BOTH.flatMap((isGated) =>
        BOTH.flatMap((isHeld) =>
          BOTH.map((hasOtherCompleted) => ({ hasMover, hasWildcard, isPaused, isGated, isHeld, hasOtherCompleted })),
        ),
      ),
    ),
  ),
);

/**
 * Runs one step. Returns whether it admits the cluster to the target, also by name, whether the wildcard admission covers the cluster, and
 * whether the gates were evaluated for the cluster.
 */
function step(state: Partial<ObservedCluster>, { hasMover, hasWildcard, isPaused, isGated, isHeld, hasOtherCompleted }: Circumstances) {
  let isAsked = false;
  const gates: Gates = (groups): GateAnswer => {
    isAsked = groups.some((group) => group.clusters.some(({ cluster }) => cluster === 'c1'));
    return { held: new Set(isHeld && isAsked ? ['c1'] : []), holdsEnd: false, mayInstall: () => true, ...NO_HOLDS };
  };
  const isExcepted = hasWildcard;
  const clusters = [
    observed('c1', { ...state, movingSince: NOW.wall, isExcepted }),
    ...(hasMover ? [observed('c2', { movingSince: NOW.wall, isExcepted })] : []),
  ];
  const { admitsAll, except, inFlight } = decideStep(
    {
      strategy: STRATEGY,
      groups: [{ index: 0, name: '', clusters }],
      wildcard: hasWildcard ? ADMISSION : undefined,
      hasCompleted: false,
      clustersPerGroup: 2,
      isPaused,
      keepsFailed: false,
      ...(isGated ? { gates, hasOtherCompleted } : {}),
    },
    NOW,
  );
  const isCovered = admitsAll && !except.includes('c1');
  return { isAdmitted: isCovered || inFlight.has('c1'), isCovered, isAsked };
}

describe('a wildcard admission covers a cluster only if it belongs to the entry, no pause holds it and the gates allow it', () => {
  it.each(Object.entries(STATES))('a cluster that %s', (_, state) => {
    for (const one of CIRCUMSTANCES) {
      const { isAdmitted, isCovered, isAsked } = step(state, one);
      const about = JSON.stringify(one);
      if (state.mayMove === false) expect(isCovered, about).toBe(false);
      // A cluster that is admitted by name keeps its admission.
      if (state.admission) continue;
      // A cluster in flight to an earlier target keeps its admission when a target without gates replaces that target.
      if (one.isPaused && !state.retarget) expect(isAdmitted, about).toBe(false);
      if (one.isGated && isAdmitted) expect([isAsked, one.isHeld], about).toEqual([true, false]);
    }
  });

  it('and covers it once the gates are open and it has left its earlier revision', () => {
    const open = { hasMover: false, isPaused: false, isGated: true, isHeld: false, hasOtherCompleted: true };
    for (const hasWildcard of BOTH) {
      expect(step({ isNew: true, isElsewhere: true }, { ...open, hasWildcard }).isAdmitted).toBe(false);
      expect(step({}, { ...open, hasWildcard }).isAdmitted).toBe(true);
    }
  });
});
