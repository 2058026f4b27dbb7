import type { FleetDelta } from '@outrigger/console-contract';

/** A part of a delta. Only the last part advances the fleet to the sequence of the delta. */
export interface FleetPart extends FleetDelta {
  readonly isPartial: boolean;
}

/** The number of rows per part. It is small enough to apply and draw a part within one frame. */
const ROWS_PER_PART = 64;

/**
 * Splits a delta into parts. If the stream breaks between two parts, the next stream resumes before the delta and sends all its rows again.
 * This is safe, because applying the same rows again has no effect.
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
