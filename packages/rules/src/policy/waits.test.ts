import fc from 'fast-check';
import type { RolloutWait } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { MINUTE, NOW, approval, cluster, evaluate, freeze, group, policy } from './fixtures.js';
import type { GateInput, GateVerdict } from './gates.js';
import type { RecordedGates } from './hold.js';
import { type RemovalGate, removalGates, removalWaits } from './removal-gates.js';

/**
 * Times in the record are in whole seconds. A wait that starts at any millisecond must last as long as the policy requests, and less than
 * one second longer.
 */
const OFFSET_MS = fc.integer({ min: 0, max: 999 });
/** The times after the start of a wait at which passes happen, in order. */
const PASSES_MS = fc.array(fc.integer({ min: 1, max: 6 * MINUTE }), { maxLength: 6 }).map((times) => times.sort((a, b) => a - b));
const SECOND = 1000;

/** Evaluates an entry pass by pass; each pass reads the record of the previous pass. */
class Entry {
  #before: RecordedGates | undefined;

  pass(input: Partial<GateInput>): GateVerdict {
    const verdict = evaluate({ ...input, before: this.#before });
    const { waitingFor, openedGates, analysis } = verdict;
    this.#before = { waitingFor, openedGates, analysis };
    return verdict;
  }
}

/**
 * Runs passes at the given times, and whenever the previous pass requested one, as the hub does, until the wait is over. Returns the time
 * of the last pass.
 */
function endOf(start: number, times: readonly number[], pass: (now: number) => { isOver: boolean; recheckAt: number | undefined }): number {
  const queue = times.map((ms) => start + ms);
  let now = start;
  for (let count = 0; count < 100; count++) {
    const { isOver, recheckAt } = pass(now);
    if (isOver) return now;
    const next = [...queue.filter((at) => at > now), ...(recheckAt === undefined ? [] : [recheckAt])];
    if (next.length === 0) throw new Error('no pass follows');
    now = Math.min(...next);
  }
  throw new Error('the wait does not end');
}

function expectWait(start: number, end: number, askedMs: number): void {
  expect(end - start).toBeGreaterThanOrEqual(askedMs);
  expect(end - start).toBeLessThan(askedMs + SECOND);
}

describe('a wait that starts between two whole seconds is not shorter than asked', () => {
  it('of an approval that opens by itself', () => {
    fc.assert(
      fc.property(OFFSET_MS, PASSES_MS, (offset, times) => {
        const start = NOW + offset;
        const entry = new Entry();
        const policies = [policy('p', { approvals: [approval({ wait: '5m' })] })];
        const end = endOf(start, times, (now) => {
          const { held, recheckAt } = entry.pass({ policies, now });
          return { isOver: held.size === 0, recheckAt };
        });
        expectWait(start, end, 5 * MINUTE);
      }),
    );
  });

  it('of an approval that opens by itself, for each new target', () => {
    fc.assert(
      fc.property(OFFSET_MS, fc.integer({ min: 1, max: 5 * MINUTE }), (offset, changedAfter) => {
        const policies = [policy('p', { approvals: [approval({ wait: '5m' })] })];
        const { waitingFor } = evaluate({ policies, now: NOW + offset });
        // The hub removes the start of every wait from the record when the target changes.
        const before = { waitingFor: waitingFor.map(({ since: _, ...wait }) => wait) };
        const start = NOW + offset + changedAfter;
        const { recheckAt = 0 } = evaluate({ policies, before, now: start });
        expectWait(start, recheckAt, 5 * MINUTE);
      }),
    );
  });

  it('of a gate that was removed while it held admissions', () => {
    fc.assert(
      fc.property(OFFSET_MS, PASSES_MS, (offset, times) => {
        const start = NOW + offset;
        const entry = new Entry();
        entry.pass({ policies: [policy('p', { windows: [freeze()] })], now: NOW - MINUTE });
        const end = endOf(start, times, (now) => {
          const { held, recheckAt } = entry.pass({ policies: [], now });
          return { isOver: held.size === 0, recheckAt };
        });
        expectWait(start, end, 5 * MINUTE);
      }),
    );
  });

  it('of a gate that was removed while it held removals', () => {
    fc.assert(
      fc.property(OFFSET_MS, PASSES_MS, (offset, times) => {
        const start = NOW + offset;
        let recorded: readonly RolloutWait[] = [];
        const pass = (policies: GateInput['policies'], now: number): RemovalGate => {
          if (policies === 'unknown') throw new Error('the policies are known');
          const gate = removalGates({ policies, overrides: undefined, isClockTrusted: true, recorded, now })(cluster('c1'));
          const entry = 'default/all';
          const held = gate.isOpen ? [] : [{ entry, gate }];
          recorded =
            removalWaits(
              held,
              recorded.map((wait) => ({ ...wait, entry })),
              now,
            ).get(entry) ?? [];
          return gate;
        };
        pass([policy('p', { windows: [freeze({ for: ['Remove'] })] })], NOW - MINUTE);
        const end = endOf(start, times, (now) => {
          const gate = pass([], now);
          return gate.isOpen ? { isOver: true, recheckAt: undefined } : { isOver: false, recheckAt: gate.opensAt };
        });
        expectWait(start, end, 5 * MINUTE);
      }),
    );
  });

  it('before the first measurement of an analysis, and between two', () => {
    const policies = [
      policy('p', {
        analysis: [
          { name: 'errors', provider: 'prometheus', query: 'up', interval: '1m', initialDelay: '2m', count: 2, success: 'result < 1' },
        ],
      }),
    ];
    const groups = [group('canary', [], { size: 1, moved: ['c1'] }), group('production', ['p1'])];
    fc.assert(
      fc.property(OFFSET_MS, OFFSET_MS, PASSES_MS, (offset, answeredAfter, times) => {
        const start = NOW + offset;
        const entry = new Entry();
        let due: GateVerdict['measurements'][number] | undefined;
        const untilDue = (from: number): number =>
          endOf(from, times, (now) => {
            due = entry.pass({ policies, groups, now }).measurements[0];
            return { isOver: due !== undefined && due.dueAt <= now, recheckAt: due?.dueAt };
          });
        const first = untilDue(start);
        expect(first - start).toBeGreaterThanOrEqual(2 * MINUTE);
        expect((due?.dueAt ?? 0) - start).toBeLessThan(2 * MINUTE + SECOND);
        const { gate = '', group: measured = '', revision = 0, look = 0, moved = [], peers = [], comparedAt = {} } = due ?? {};
        const at = first + answeredAfter;
        const taken = [
          { gate, group: measured, revision, look, at, moved, peers, comparedAt, now: { series: [{ labels: {}, value: 0 }] } },
        ];
        entry.pass({ policies, groups, now: at, taken });
        const second = untilDue(at);
        expect(second - at).toBeGreaterThanOrEqual(MINUTE);
        expect((due?.dueAt ?? 0) - at).toBeLessThan(MINUTE + SECOND);
      }),
    );
  });
});
