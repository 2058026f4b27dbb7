import { describe, expect, it } from 'vitest';
import { OpenWatches } from './open-watches.js';

describe('AT-45 open watches', () => {
  it('are counted by user, and a further one is refused until one has ended', () => {
    const watches = new OpenWatches(2);
    const end = watches.begin('ann');
    watches.begin('ann');
    expect(() => watches.begin('ann')).toThrow('user "ann" has 2 open watches, the maximum');
    watches.begin('bob');
    end();
    end();
    watches.begin('ann');
    expect(() => watches.begin('ann')).toThrow('open watches');
  });
});
