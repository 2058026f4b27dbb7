import { describe, it } from 'vitest';
import { parts, runPart } from './check.js';

describe('AT-38 random histories: membership, edits, failures, clusters away, crashes, pauses, pins, stepped clocks, two leaders', () => {
  it.each(parts.filter((part) => part <= parts.length / 2))(
    'keep the invariant at every admission, move no cluster unasked, and settle at the declaration (%i)',
    runPart,
  );
});
