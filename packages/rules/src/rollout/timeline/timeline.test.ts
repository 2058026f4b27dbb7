import type { RolloutEntry, TargetChange } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { nextTimeline } from './timeline.js';
import { TIMELINE_LENGTH, wayBack, waysBack } from './way-back.js';

const CLUSTERS = 3;
type Fate = 'completed' | 'halted' | 'failing' | 'open';

/** Runs rollouts of one entry, one after the other, and records them as the fleet controller does. */
class Played {
  entry: RolloutEntry | undefined;
  /** The durations, in seconds, of the moves that succeed before the next record. */
  arrived: readonly number[] = [];
  #minute = 0;

  constructor(entry?: RolloutEntry) {
    this.entry = entry;
  }

  /** Makes `revision` the target and ends its rollout with the given outcome. */
  go(revision: number, fate: Fate): this {
    const counters = { selected: CLUSTERS, skipped: 0, progressing: CLUSTERS, done: 0, failed: 0 };
    const startedAt = this.#now();
    const completed = this.entry?.completedRevision;
    const base = { name: 'all', targetRevision: revision, startedAt };
    const kept = completed === undefined ? base : { ...base, completedRevision: completed };
    this.record({ ...kept, ...counters, state: 'Progressing' });
    if (fate === 'completed')
      this.record({ ...base, ...counters, completedRevision: revision, progressing: 0, done: CLUSTERS, state: 'Completed' });
    if (fate === 'halted') this.record({ ...kept, ...counters, progressing: 2, failed: 1, state: 'Halted' }, true);
    if (fate === 'failing') this.record({ ...kept, ...counters, progressing: 2, failed: 1, state: 'Progressing' });
    return this;
  }

  record(next: RolloutEntry, hasTooManyFailures = false): readonly TargetChange[] {
    const now = this.#now();
    const timeline = nextTimeline({
      before: this.entry,
      next,
      hasTooManyFailures,
      arrived: () => this.arrived,
      cause: () => ({ cause: 'Declaration' }),
      now,
    });
    this.entry = { ...next, timeline };
    return timeline;
  }

  get timeline(): readonly TargetChange[] {
    return this.entry?.timeline ?? [];
  }

  /** The outcome of each change, oldest first, such as `1 Completed`. */
  get outcomes(): readonly string[] {
    return this.timeline.map(({ to, outcome }) => `${to} ${outcome ?? 'open'}`).reverse();
  }

  get wayBack(): number | undefined {
    return this.entry && wayBack(this.entry);
  }

  #now(): string {
    this.#minute++;
    return new Date(Date.UTC(2026, 0, 1, 0, this.#minute)).toISOString();
  }
}

function play(...steps: readonly (readonly [number, Fate])[]): Played {
  return steps.reduce((played, [revision, fate]) => played.go(revision, fate), new Played());
}

describe('the way back of an entry', () => {
  const histories: readonly (readonly [string, readonly (readonly [number, Fate])[], number | undefined])[] = [
    [
      'the target before',
      [
        [1, 'completed'],
        [2, 'completed'],
      ],
      1,
    ],
    [
      'by time, not by number',
      [
        [1, 'completed'],
        [2, 'completed'],
        [3, 'completed'],
        [2, 'completed'],
      ],
      3,
    ],
    [
      'not a target that halted, although its number is the one before',
      [
        [1, 'completed'],
        [2, 'halted'],
        [3, 'halted'],
      ],
      1,
    ],
    [
      'after a revert: not the content that was reverted',
      [
        [1, 'completed'],
        [2, 'completed'],
        [3, 'halted'],
        [2, 'completed'],
      ],
      1,
    ],
    [
      'not a target that was replaced before its end',
      [
        [1, 'completed'],
        [2, 'open'],
        [3, 'completed'],
      ],
      1,
    ],
    [
      'from a target that is under way',
      [
        [1, 'completed'],
        [2, 'open'],
      ],
      1,
    ],
    [
      'not content that completed and failed later',
      [
        [1, 'completed'],
        [2, 'completed'],
        [3, 'completed'],
        [2, 'halted'],
        [3, 'completed'],
      ],
      1,
    ],
    [
      'not content with failed clusters under strategy All',
      [
        [1, 'completed'],
        [2, 'completed'],
        [3, 'completed'],
        [2, 'failing'],
        [4, 'completed'],
      ],
      3,
    ],
    [
      'content that halted first and completed later',
      [
        [1, 'halted'],
        [2, 'completed'],
        [1, 'completed'],
        [3, 'halted'],
      ],
      1,
    ],
    ['there is none for the first target', [[1, 'completed']], undefined],
    [
      'none if nothing completed',
      [
        [1, 'halted'],
        [2, 'halted'],
        [3, 'open'],
      ],
      undefined,
    ],
    [
      'none if only the current content completed',
      [
        [1, 'completed'],
        [2, 'halted'],
        [1, 'completed'],
      ],
      undefined,
    ],
  ];
  it.each(histories)('%s', (_, steps, expected) => expect(play(...steps).wayBack).toBe(expected));

  it('AT-62 is content that completed and has not failed since, or none, from every history', () => {
    const fates: readonly Fate[] = ['completed', 'halted', 'failing', 'open'];
    const steps = [1, 2, 3].flatMap((revision) => fates.map((fate) => [revision, fate] as const));
    const extend = (history: readonly (readonly [number, Fate])[]): (readonly (readonly [number, Fate])[])[] =>
      steps.filter(([revision]) => revision !== history.at(-1)?.[0]).map((step) => [...history, step]);
    const histories = [[]].flatMap(extend).flatMap(extend).flatMap(extend).flatMap(extend);
    for (const history of histories) {
      const to = play(...history).wayBack;
      const known = history.slice(0, -1).filter(([revision]) => revision !== history.at(-1)?.[0]);
      const verdict = (revision: number): Fate | undefined => known.findLast(([one, fate]) => one === revision && fate !== 'open')?.[1];
      if (to !== undefined) expect({ history, to, verdict: verdict(to) }).toEqual({ history, to, verdict: 'completed' });
    }
    expect(histories.length).toBe(12 * 8 ** 3);
  });
});

describe('the way back of several entries', () => {
  const named = (name: string, played: Played): RolloutEntry => ({ ...(played.entry as RolloutEntry), name });
  const back = (...entries: readonly RolloutEntry[]): number | undefined => waysBack(entries).revision;
  const upgraded = play([1, 'completed'], [2, 'halted']);
  const stable = play([1, 'completed']);
  it('is the one they share', () => expect(back(named('a', upgraded), named('b', upgraded))).toBe(1));
  it('is valid for an entry that is at the revision already', () =>
    expect(back(named('canary', upgraded), named('stable', stable))).toBe(1));
  it('leaves out entries without clusters', () =>
    expect(back(named('a', upgraded), { ...named('b', play([5, 'open'])), selected: 0 })).toBe(1));
  it('is absent if the entries differ', () =>
    expect(back(named('a', upgraded), named('b', play([3, 'completed'], [2, 'halted'])))).toBeUndefined());
  it('is absent if one entry has no way back', () => expect(back(named('a', upgraded), named('b', play([2, 'halted'])))).toBeUndefined());
  it('is absent if two revisions are valid', () =>
    expect(
      back(named('a', play([1, 'completed'], [2, 'completed'])), named('b', play([2, 'completed'], [1, 'completed']))),
    ).toBeUndefined());
});

describe('the timeline of an entry', () => {
  it('records the outcome of each target', () => {
    const played = play([1, 'completed'], [2, 'open'], [3, 'halted'], [4, 'open'], [1, 'open']);
    expect(played.outcomes).toEqual(['1 Completed', '2 Superseded', '3 Halted', '4 RolledBack', '1 open']);
    expect(played.timeline[1]).toMatchObject({ from: 3, to: 4, cause: 'Declaration', selected: 3, done: 0, failed: 0, skipped: 0 });
  });

  it('a halted target that recovers completes, and stays so when a cluster joins', () => {
    const played = play([1, 'halted'], [1, 'completed']);
    expect(played.outcomes).toEqual(['1 Completed']);
    const ended = played.timeline[0]?.endedAt;
    played.record({ ...(played.entry as RolloutEntry), selected: 4, progressing: 1, state: 'Progressing' });
    expect(played.timeline).toMatchObject([{ outcome: 'Completed', endedAt: ended, selected: 3, done: 3 }]);
  });

  it('completes no target without a cluster that reached it', () => {
    const played = new Played();
    for (const counters of [
      { selected: 0, skipped: 0 },
      { selected: 2, skipped: 2 },
    ])
      played.record({ name: 'all', targetRevision: 1, completedRevision: 1, startedAt: 'then', done: 0, ...counters, state: 'Completed' });
    expect(played.outcomes).toEqual(['1 open']);
  });

  it('adds up how long clusters took until the target completes', () => {
    const played = new Played().go(1, 'open');
    const moving = { ...(played.entry as RolloutEntry) };
    played.arrived = [30];
    played.record({ ...moving, progressing: 2, done: 1 });
    expect(played.timeline[0]?.durations).toEqual({ p50: 30, p90: 30, max: 30, values: [{ seconds: 30, clusters: 1 }] });
    played.arrived = [10, 20];
    played.record({ ...moving, progressing: 0, done: 3, state: 'Completed', completedRevision: 1 });
    expect(played.timeline[0]).toMatchObject({ outcome: 'Completed', durations: { p50: 20, p90: 30, max: 30 } });
    expect(played.timeline[0]?.durations).not.toHaveProperty('values');
    played.arrived = [500];
    played.record({ ...(played.entry as RolloutEntry), selected: 4, done: 4 });
    expect(played.timeline[0]?.durations?.max).toBe(30);
  });

  it('keeps the durations of a target that is left, without its values', () => {
    const played = new Played().go(1, 'open');
    played.arrived = [30];
    played.record({ ...(played.entry as RolloutEntry), progressing: 2, done: 1 });
    played.arrived = [];
    played.go(2, 'open');
    expect(played.timeline[1]).toMatchObject({ outcome: 'Superseded', durations: { p50: 30, p90: 30, max: 30 } });
    expect(played.timeline[1]?.durations).not.toHaveProperty('values');
  });

  it('keeps 20 changes, and the latest that completed besides', () => {
    const played = play([1, 'completed']);
    for (let revision = 2; revision <= 60; revision++) {
      played.go(revision, 'halted');
      expect([played.wayBack, played.timeline.length]).toEqual([1, Math.min(revision, TIMELINE_LENGTH + 1)]);
    }
    played.go(61, 'completed');
    expect(played.wayBack).toBe(1);
    for (let revision = 62; revision <= 90; revision++) played.go(revision, 'completed');
    expect([played.wayBack, played.timeline.length]).toEqual([89, TIMELINE_LENGTH]);
  });

  it('forgets a failure together with the completion before it', () => {
    const played = play([1, 'completed'], [2, 'completed'], [1, 'halted']);
    for (let revision = 3; revision <= 60; revision++) played.go(revision, 'halted');
    expect(played.wayBack).toBe(2);
  });

  describe('of a record without one', () => {
    const settled: RolloutEntry = {
      name: 'all',
      targetRevision: 4,
      completedRevision: 4,
      startedAt: 'then',
      selected: 3,
      done: 3,
      failed: 0,
      skipped: 0,
      progressing: 0,
      state: 'Completed',
    };
    it('stays empty while no other field changes', () => expect(new Played(settled).record({ ...settled, members: ['a'] })).toEqual([]));
    it('begins with the current target at the next change', () => {
      expect(new Played(settled).record({ ...settled, done: 2, progressing: 1, state: 'Progressing' })).toMatchObject([
        { at: 'then', to: 4, outcome: 'Completed' },
      ]);
      const played = new Played(settled).go(5, 'halted');
      expect([played.outcomes, played.wayBack]).toEqual([['4 Completed', '5 Halted'], 4]);
    });
    it('has the last revision that completed as its way back during a rollout', () => {
      const played = new Played({ ...settled, targetRevision: 5, state: 'Progressing', done: 0, progressing: 3 });
      expect(played.wayBack).toBe(4);
      expect(played.go(6, 'halted').wayBack).toBe(4);
    });
  });
});
