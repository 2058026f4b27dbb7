import type { Gettable } from './command.js';

/** The kinds whose objects belong to a namespace, so that a name alone may select several objects. */
const IN_NAMESPACES: readonly Gettable[] = ['addons', 'placements', 'works', 'events'];

/**
 * Whether the command line selects at most one object, which is then printed by itself instead of in a List. The number of objects that
 * exist must not matter, so that scripts can rely on the shape of the output.
 */
export function selectsOne({
  kind,
  name,
  cluster,
}: {
  readonly kind: Gettable;
  readonly name?: string;
  readonly cluster?: string;
}): boolean {
  if (name === undefined) return false;
  return !IN_NAMESPACES.includes(kind) || (cluster !== undefined && (kind === 'addons' || kind === 'works'));
}
