import type { AddOnRollout, RolloutTarget } from '@outrigger/api';
import { CommandError, EXIT, notFound } from '../failure.js';

/** The revision to go back to: the given one, or the newest in the history that is older than the current target. */
export function revisionToRestore({ metadata, spec, status }: AddOnRollout, named?: number): RolloutTarget {
  const history = status?.history ?? [];
  if (named !== undefined) {
    const found = history.find(({ revision }) => revision === named);
    if (found) return found;
    const known = history.map(({ revision }) => revision).join(', ');
    throw notFound(`${metadata.name} has no revision ${named}: there ${history.length === 1 ? 'is' : 'are'} ${known || 'none'}`);
  }
  const current = spec?.pinnedRevision ?? Math.max(0, ...(status?.entries ?? []).map(({ targetRevision }) => targetRevision ?? 0));
  const digest = history.find(({ revision }) => revision === current)?.digest;
  const older = history.filter((target) => target.revision < current && target.digest !== digest);
  const newest = older.reduce<RolloutTarget | undefined>(
    (best, target) => (best && best.revision > target.revision ? best : target),
    undefined,
  );
  if (newest) return newest;
  throw new CommandError(`${metadata.name} has no revision before ${current || 'the first'}: there is nothing to go back to`, EXIT.failed);
}
