import { describe, it } from 'vitest';
import { onEmbedded } from './embedded-world.js';
import { lifecycle } from './seed-001.js';

describe('the add-on lifecycle document on the embedded server', () => {
  it('installs the default version, upgrades by itself, goes canary, rolls back, and refuses versions nobody offers', () => onEmbedded(lifecycle));
});
