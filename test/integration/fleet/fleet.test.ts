import { describe, it } from 'vitest';
import { onEmbedded } from './embedded-world.js';
import { stories } from './stories.js';

describe('the documents on installing and versions, on the embedded server', () => {
  it.each(stories)('$name', ({ tell }) => onEmbedded(tell));
});
