import { CELL_STATES, encodeFleet, type FleetDelta, type FleetTable } from '@outrigger/console-contract';
import { applyFleetDelta, decodeFleet, syntheticDeltas, syntheticFleet } from '@outrigger/console-contract/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellIndex, changeFleet, type Fleet, fleetOf } from './fleet.js';

/** Returns the fleet as rows that can be compared: each cluster with its cells. */
function byName(fleet: Fleet): unknown {
  return fleet.clusters.map(({ name, ...row }, at) => ({
    name,
    row,
    cells: fleet.addons.flatMap((addOn, column) => {
      const index = cellIndex(fleet, at, column);
      const state = CELL_STATES[fleet.states[index] ?? 0];
      if (state === 'absent') return [];
      const [version, target, reason] = [fleet.versions, fleet.targets, fleet.reasons].map((texts) => fleet.texts.at(texts[index]));
      return [{ addOn: addOn.name, state, version, target, reason }];
    }),
  }));
}

function byNameInContract({ addOns, rows }: FleetTable): unknown {
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { row, cells }]) => ({
      name,
      row,
      cells: addOns.flatMap((addOn) => {
        const cell = cells.get(addOn.name);
        return cell === undefined ? [] : [{ addOn: addOn.name, ...cell }];
      }),
    }));
}

const fleet = syntheticFleet({ clusters: 12, addOns: 5 });
const names = [...fleet.rows.keys(), 'a-first', 'cluster-00003x', 'z-last'];
const header = [...fleet.rows.values()][0]?.row;
if (header === undefined) throw new Error('the synthetic fleet is empty');

const deltas = fc.array(
  fc.record({
    removed: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
    addOns: fc.option(fc.uniqueArray(fc.constantFrom(...fleet.addOns), { maxLength: 5, selector: ({ name }) => name }), { nil: undefined }),
    rows: fc.uniqueArray(
      fc.record({
        cluster: fc.constantFrom(...names),
        hasRow: fc.boolean(),
        cells: fc.dictionary(
          fc.constantFrom(...fleet.addOns.map(({ name }) => name), 'unheard-of'),
          fc.record({
            state: fc.constantFrom(...CELL_STATES),
            version: fc.constantFrom('', 'v1', 'v2'),
            target: fc.constantFrom('v1', 'v2'),
            reason: fc.constantFrom('', 'New'),
          }),
        ),
      }),
      { selector: ({ cluster }) => cluster, maxLength: 4 },
    ),
  }),
  { maxLength: 6 },
);

test('a fleet means what its snapshot means', () => {
  expect(byName(fleetOf(encodeFleet(fleet)))).toEqual(byNameInContract(decodeFleet(encodeFleet(fleet))));
});

test('any deltas give the fleet that the contract gives', () => {
  fc.assert(
    fc.property(deltas, (changes) => {
      let wanted = fleet;
      let shown = fleetOf(encodeFleet(fleet));
      for (const [step, { removed, addOns, rows }] of changes.entries()) {
        const delta: FleetDelta = {
          from: step + 1,
          sequence: step + 2,
          removed,
          ...(addOns === undefined ? {} : { addOns }),
          rows: rows.map(({ cluster, hasRow, cells }) => ({ cluster, ...(hasRow ? { row: header } : {}), cells })),
        };
        wanted = applyFleetDelta(wanted, delta) ?? wanted;
        shown = changeFleet(shown, delta) ?? shown;
      }
      expect(byName(shown)).toEqual(byNameInContract(wanted));
      expect(shown.sequence).toBe(wanted.sequence);
    }),
  );
});

test('a delta after a gap is refused, and one that was seen already changes nothing', () => {
  const shown = fleetOf(encodeFleet(fleet));
  const delta = syntheticDeltas(fleet, 3).next().value;
  expect(changeFleet(shown, { ...delta, from: 7, sequence: 8 })).toBeUndefined();
  expect(changeFleet(shown, { ...delta, from: 0, sequence: 1 })).toBe(shown);
});
