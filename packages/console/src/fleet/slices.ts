import type { FleetDelta } from '@outrigger/console-contract';

/** A part of a delta. Only the last part brings the fleet to the sequence of the delta. */
export interface FleetPart extends FleetDelta {
  readonly isPartial: boolean;
}

/** Rows of one part: few enough to be applied and drawn within a frame. */
const ROWS_PER_PART = 64;

/**
 * The delta in parts. A stream that breaks between two of them starts again at the sequence before the delta, and applying its rows a
 * second time has no further effect.
 */
export function slices(delta: FleetDelta): readonly FleetPart[] {
  const { rows } = delta;
  const count = Math.max(1, Math.ceil(rows.length / ROWS_PER_PART));
  return Array.from({ length: count }, (_, part) => {
    const { addOns, ...rest } = delta;
    return {
      ...rest,
      ...(part === 0 && addOns !== undefined ? { addOns } : {}),
      removed: part === 0 ? delta.removed : [],
      rows: rows.slice(part * ROWS_PER_PART, (part + 1) * ROWS_PER_PART),
      isPartial: part < count - 1,
    };
  });
}
