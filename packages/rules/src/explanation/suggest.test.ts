import { describe, expect, it } from 'vitest';
import { editDistance, nearest, suggestion } from './suggest.js';

describe('suggestions', () => {
  it.each([
    ['clsuters', 'clusters'],
    ['adons', 'addons'],
    ['revison', 'revisions'],
    ['uograde', 'upgrade'],
  ])('%s is close to %s', (typed, meant) => expect(nearest(typed, ['addons', 'clusters', 'rollouts', 'revisions', 'upgrade'])).toBe(meant));

  it('suggests no word that only shares a letter', () => expect(nearest('xyz', ['addons'])).toBeUndefined());
  it('lists all words if none is similar', () => expect(suggestion('zzz', ['a1', 'b2'])).toBe(': there are a1, b2'));
  it('cuts long lists', () =>
    expect(
      suggestion(
        'zzz',
        Array.from({ length: 12 }, (_, i) => `name${i}`),
      ),
    ).toMatch(/, and 2 more$/));
  it('counts a swap of neighbours once', () => expect(editDistance('ab', 'ba')).toBe(1));
});
