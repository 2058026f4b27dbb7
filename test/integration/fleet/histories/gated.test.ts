import { describe, it } from 'vitest';
import { runGatedPart } from './check.js';

/** The histories run in two parts, with seeds other than those of the histories without a policy. */
const GATED_PARTS = [11, 12];

describe('AT-38 random histories under a rollout policy that comes, goes and changes', () => {
  it.each(GATED_PARTS)(
    'keep the invariant at every admission, admit no cluster that a gate holds, and settle at the declaration (%i)',
    runGatedPart,
    600_000,
  );
});
