import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellAt, heatMapLayout, visibleRows } from './heat-map-layout.js';

const layouts = fc
  .record({
    rows: fc.integer({ min: 0, max: 20_000 }),
    columns: fc.integer({ min: 0, max: 60 }),
    width: fc.integer({ min: 0, max: 3_000 }),
  })
  .map(({ rows, columns, width }) => heatMapLayout(rows, columns, width));

test('every point of a cell is that cell, and no point outside of the map is one', () => {
  fc.assert(
    fc.property(layouts, fc.nat(), fc.nat(), fc.double({ min: 0, max: 0.99, noNaN: true }), (layout, a, b, part) => {
      if (layout.rows === 0 || layout.columns === 0) {
        expect(cellAt(layout, 0, 0)).toBeUndefined();
        return;
      }
      const cell = { row: a % layout.rows, column: b % layout.columns };
      expect(cellAt(layout, (cell.column + part) * layout.cellWidth, (cell.row + part) * layout.cellHeight)).toEqual(cell);
      expect(cellAt(layout, -1, 0)).toBeUndefined();
      expect(cellAt(layout, layout.columns * layout.cellWidth, 0)).toBeUndefined();
      expect(cellAt(layout, 0, layout.height)).toBeUndefined();
    }),
  );
});

test('the visible rows fill the canvas or end with the last row', () => {
  fc.assert(
    fc.property(layouts, fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 2_000 }), (layout, wanted, height) => {
      const scrolled = Math.min(wanted, Math.max(0, layout.height - height));
      const { from, to, y } = visibleRows(layout, scrolled, height);
      expect(y).toBeLessThanOrEqual(0);
      expect(y).toBeGreaterThan(-layout.cellHeight);
      const bottom = y + (to - from) * layout.cellHeight;
      expect(to === layout.rows || bottom >= height).toBe(true);
    }),
  );
});
