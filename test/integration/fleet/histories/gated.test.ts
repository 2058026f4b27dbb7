import { describe, it } from 'vitest';
import { gatedParts, runGatedPart } from './check.js';

describe('AT-38 random histories under a rollout policy that comes, goes and changes', () => {
  it.each(gatedParts)(
    'keep the invariant at every admission, admit no cluster that a gate holds, and settle at the declaration (%i)',
    runGatedPart,
  );
});
