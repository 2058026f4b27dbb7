import { expect, it } from 'vitest';
import { GETTABLE, type Gettable } from './command.js';
import { selectsOne } from './selects-one.js';

/** The kinds whose objects a name alone identifies, because the fleet has only one object of a name. */
const OF_THE_FLEET: readonly Gettable[] = ['clusters', 'rollouts', 'revisions', 'policies', 'templates', 'clustersets'];
const kinds = Object.keys(GETTABLE) as Gettable[];

it.each(kinds)('get %s -o json prints one object only if the command line selects one', (kind) => {
  expect(selectsOne({ kind })).toBe(false);
  expect(selectsOne({ kind, cluster: 'c1' })).toBe(false);
  expect(selectsOne({ kind, name: 'hello' })).toBe(OF_THE_FLEET.includes(kind));
});
it.each(['addons', 'works'] as const)('a name of %s on one cluster selects one object', (kind) =>
  expect(selectsOne({ kind, name: 'hello', cluster: 'c1' })).toBe(true),
);
