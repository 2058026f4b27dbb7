import { describe, expect, it } from 'vitest';
import { errorRateRises } from './analysis-stories.js';
import { onEmbedded, withMortalManagers } from './embedded-world.js';
import { stories } from './stories.js';

describe('the documents on installing and versions, on the embedded server', () => {
  it.each(stories)('$name', ({ tell }) => onEmbedded(tell));

  it('goes back by itself and rolls out the fixed version with a leader that dies at every write of the record', async () => {
    expect(await withMortalManagers(errorRateRises)).toBeGreaterThan(10);
  });
});
