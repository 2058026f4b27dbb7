import { type AddOnRollout, type RolloutEntry, type RolloutTarget, shell } from '@outrigger/api';
import { waysBack } from '@outrigger/rules/rollout';
import { CommandError, EXIT, notFound } from '../failure.js';
import { nameOf } from './objects.js';

/** A revision to go back to, and the reason for it. */
export interface Restoration {
  readonly target: RolloutTarget;
  readonly reason: string;
}

/** The revision with this number. */
export function namedRevision(rollout: AddOnRollout, named: number): RolloutTarget {
  const history = rollout.status?.history ?? [];
  const found = history.find(({ revision }) => revision === named);
  if (found) return found;
  const known = history.map(({ revision }) => revision).join(', ');
  throw notFound(`${nameOf(rollout)} has no revision ${named}: there ${history.length === 1 ? 'is' : 'are'} ${known || 'none'}`);
}

/** The revision to go back to: the given one, or the latest target before the current one that completed, if that is clear. */
export function revisionToRestore(rollout: AddOnRollout, named?: number): Restoration {
  if (named !== undefined) return { target: namedRevision(rollout, named), reason: 'as --to-revision says' };
  const { revision, entries } = waysBack(rollout.status?.entries ?? []);
  if (revision !== undefined) return { target: namedRevision(rollout, revision), reason: reasonFor(revision, entries) };
  const name = nameOf(rollout);
  const choose = `choose one of \`${shell`outrigger rollout history ${name}`}\` with \`${shell`outrigger rollback ${name} --to-revision <n>`}\``;
  if (entries.every((one) => one.wayBack === undefined)) {
    const current = [...new Set(entries.map(({ entry }) => entry.targetRevision))].map((target) => target ?? 'the first').join(', ');
    throw new CommandError(
      `no revision of ${name} before ${current || 'the first'} has completed and not failed since: ${choose}`,
      EXIT.failed,
    );
  }
  const ways = entries.map((one) => `${one.entry.name} ${one.entry.targetRevision ?? 'none'} → ${one.wayBack ?? 'none'}`).join(', ');
  throw new CommandError(
    `the entries of ${name} do not go back to the same revision (${ways}), and a hold puts all of them at one: nothing was changed; ${choose}`,
    EXIT.failed,
  );
}

type Ways = ReturnType<typeof waysBack>['entries'];

function reasonFor(revision: number, entries: Ways): string {
  const moving = entries.filter(({ entry }) => entry.targetRevision !== revision);
  const when = moving.map(({ entry }) => completedAt(entry, revision)).find((time) => time !== undefined);
  const current = [...new Set(moving.map(({ entry }) => entry.targetRevision ?? 0))].join(', ');
  return `the latest target before ${current} that completed${when === undefined ? '' : ` (${when})`}`;
}

function completedAt({ timeline = [] }: RolloutEntry, revision: number): string | undefined {
  return timeline.find(({ to, outcome }) => to === revision && outcome === 'Completed')?.endedAt;
}
