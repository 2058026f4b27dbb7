import type { AddOnRolloutSpec } from '@outrigger/api';

/** The revision to which an entry is pinned, and the field of the spec that contains the pin. */
interface Pin {
  readonly revision: number;
  readonly field: 'pinnedEntries' | 'pinnedRevision';
}

/** Returns the pin that applies to one entry. A pin for the entry takes precedence over the pin for all entries. */
export function pinOf(spec: AddOnRolloutSpec | undefined, entry: string): Pin | undefined {
  const own = spec?.pinnedEntries?.find(({ name }) => name === entry)?.revision;
  if (own !== undefined) return { revision: own, field: 'pinnedEntries' };
  return spec?.pinnedRevision === undefined ? undefined : { revision: spec.pinnedRevision, field: 'pinnedRevision' };
}

/** Whether any entry is pinned to a revision. */
export function isPinned(spec: AddOnRolloutSpec | undefined): boolean {
  return spec?.pinnedRevision !== undefined || (spec?.pinnedEntries ?? []).length > 0;
}
