import { shell, nameOf } from '@outrigger/core';
import { type AddOnRollout, type PinnedEntry, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { hasFailedLast, isPinned, pinOf, populatedEntries, wayBack, waysBack } from '@outrigger/rules/rollout';
import { CommandError, EXIT, notFound } from '../failure.js';
import { clean } from '../terminal/clean.js';

/**
 * The options of a rollback: a given revision, one entry only, or a separate way back for each entry (`all`). By default, the rollback goes
 * to one revision that is valid for all entries.
 */
export interface WayBackRequest {
  readonly toRevision?: number;
  readonly placement?: string;
  readonly all?: true;
}

/** A revision to roll back to, and the reason why it was chosen. */
export interface Restoration {
  /** The entry to roll back; undefined means all entries. */
  readonly entry: string | undefined;
  readonly target: RolloutTarget;
  readonly reason: string;
}

/** Returns the revision with this number. Fails if it does not exist. */
export function namedRevision(rollout: AddOnRollout, named: number): RolloutTarget {
  const history = rollout.status?.history ?? [];
  const found = history.find(({ revision }) => revision === named);
  if (found) return found;
  const known = history.map(({ revision }) => revision).join(', ');
  throw notFound(`${nameOf(rollout)} has no revision ${named}: there ${history.length === 1 ? 'is' : 'are'} ${known || 'none'}`);
}

/**
 * Returns the revisions to roll back to. Fails if no entry has a way back, or if the ways back differ and the request does not set `all`.
 */
export function restorations(rollout: AddOnRollout, request: WayBackRequest = {}): readonly Restoration[] {
  const { toRevision, placement } = request;
  if (placement !== undefined) return [ofEntry(rollout, requireEntry(rollout, placement), toRevision)];
  if (toRevision !== undefined) return [{ entry: undefined, target: namedRevision(rollout, toRevision), reason: NAMED }];
  const { revision, entries } = waysBack(rollout.status?.entries ?? []);
  if (revision !== undefined)
    return [{ entry: undefined, target: namedRevision(rollout, revision), reason: reasonFor(revision, moving(revision, entries)) }];
  if (entries.every((one) => one.wayBack === undefined)) throw noWayBack(rollout, entries);
  if (request.all) return entries.map(({ entry }) => ofEntry(rollout, entry, undefined));
  throw differing(rollout, entries);
}

/** Returns the entries on whose clusters a rollback would restore content that failed there and has not completed since. */
export function failedThere({ status }: AddOnRollout, found: readonly Restoration[]): readonly RolloutEntry[] {
  const all = status?.entries ?? [];
  const populated = populatedEntries(all);
  return all.filter((entry) =>
    found.some(
      (one) =>
        (one.entry === undefined ? populated.includes(entry) : one.entry === entry.name) && hasFailedLast(entry, one.target.revision),
    ),
  );
}

/** Returns the warning that a rollback restores content that failed; undefined if no such content is restored. */
export function failureWarning(rollout: AddOnRollout, found: readonly Restoration[]): string | undefined {
  const [first] = found;
  const entries = failedThere(rollout, found).map(({ name }) => name);
  if (!first || entries.length === 0) return undefined;
  const { revision, version } = first.target;
  return `revision ${revision}${version ? ` (${clean(version)})` : ''} of ${nameOf(rollout)} failed or was rolled back in ${entries.join(', ')} and has not completed there since`;
}

/**
 * Returns the error that refuses a rollback with this warning. The error suggests the command without a revision only if that command would
 * not be refused too.
 */
export function failureRefusal(rollout: AddOnRollout, { placement }: WayBackRequest, warning: string): CommandError {
  const name = nameOf(rollout);
  const commands: readonly (readonly [WayBackRequest, string])[] =
    placement === undefined
      ? [
          [{}, shell`outrigger rollback ${name}`],
          [{ all: true }, shell`outrigger rollback ${name} --all`],
        ]
      : [[{ placement }, shell`outrigger rollback ${name} --placement ${placement}`]];
  const other = commands.find(([request]) => isPossible(rollout, request))?.[1];
  const advice = other === undefined ? '' : `\`${other}\` goes to the latest that completed, `;
  return new CommandError(`${warning}: nothing was changed; ${advice}--yes rolls this one out again`, EXIT.failed);
}

function isPossible(rollout: AddOnRollout, request: WayBackRequest): boolean {
  try {
    return failedThere(rollout, restorations(rollout, request)).length === 0;
  } catch (error) {
    if (error instanceof CommandError) return false;
    throw error;
  }
}

/**
 * Returns the revisions to which an abort goes back: the revision that completed last in all entries or, if these differ, the last
 * completed revision of each moving entry. Entries that are not moving stay unchanged.
 */
export function lastCompleted(rollout: AddOnRollout): readonly Restoration[] {
  const name = nameOf(rollout);
  const entries = (rollout.status?.entries ?? []).filter(({ selected = 0 }) => selected > 0);
  const moving = entries.filter(({ targetRevision, completedRevision }) => targetRevision !== completedRevision);
  if (entries.length > 0 && moving.length === 0)
    throw new CommandError(`every entry of ${name} is at a revision that completed: there is nothing to abort`, EXIT.failed);
  const without = moving.filter(({ completedRevision }) => completedRevision === undefined).map((entry) => entry.name);
  if (moving.length === 0 || without.length > 0) {
    const where = without.length > 0 && entries.length > 1 ? ` on the clusters of ${without.join(', ')}` : '';
    const choice = `choose one of \`${shell`outrigger rollout history ${name}`}\`, and give it to \`${shell`outrigger rollback ${name}`}\` with --to-revision`;
    throw onlyRevision(rollout) ?? new CommandError(`no revision of ${name} has completed${where}: ${choice}`, EXIT.failed);
  }
  const restore = (entry: string | undefined, revision = 0): Restoration => ({
    entry,
    target: namedRevision(rollout, revision),
    reason: 'the last that completed',
  });
  const [revision, second] = new Set(entries.map(({ completedRevision }) => completedRevision));
  if (second === undefined) return [restore(undefined, revision)];
  return moving.map((entry) => restore(entry.name, entry.completedRevision));
}

const NAMED = 'as --to-revision says';

/** Returns the pins to set in the spec for these rollbacks. Other entries keep their own pins. */
export function pinsFor(
  { spec }: AddOnRollout,
  found: readonly Restoration[],
): { readonly pinnedRevision?: number | null; readonly pinnedEntries: readonly PinnedEntry[] | null } {
  const pins = found.flatMap(({ entry, target }) => (entry === undefined ? [] : [{ name: entry, revision: target.revision }]));
  if (pins.length === 0) return { pinnedRevision: found[0]?.target.revision ?? null, pinnedEntries: null };
  const others = (spec?.pinnedEntries ?? []).filter(({ name }) => !pins.some((pin) => pin.name === name));
  return { pinnedEntries: [...others, ...pins] };
}

/**
 * Returns the pins that remain in the spec after removing those of one entry or of all entries; undefined if there is no pin. Fails if
 * neither the record nor a pin names the entry.
 */
export function pinsWithout(rollout: AddOnRollout, placement: string | undefined): ReturnType<typeof pinsFor> | undefined {
  const { spec, metadata } = rollout;
  const pins = spec?.pinnedEntries ?? [];
  if (placement !== undefined && !pins.some(({ name }) => name === placement)) requireEntry(rollout, placement);
  if (!isPinned(spec)) return undefined;
  if (placement === undefined) return { pinnedRevision: null, pinnedEntries: null };
  const others = pins.filter(({ name }) => name !== placement);
  if (others.length === pins.length) {
    const forAll = spec?.pinnedRevision;
    const hint =
      forAll === undefined
        ? ''
        : `; \`${shell`outrigger rollback ${metadata.name} --clear`}\` removes the pin at revision ${forAll} of all entries`;
    throw new CommandError(`${metadata.name} has no pin for ${placement} alone${hint}`, EXIT.failed);
  }
  return { pinnedEntries: others.length === 0 ? null : others };
}

/**
 * Returns the revision at which an entry is pinned, and the command that removes this pin. Returns undefined if only other entries are
 * pinned, because their pins do not hold its clusters.
 */
export function holdingPin(rollout: AddOnRollout, entry: string): { readonly revision: number; readonly clear: string } | undefined {
  const pin = pinOf(rollout.spec, entry);
  return pin && { revision: pin.revision, clear: clearCommand(nameOf(rollout), pin.field === 'pinnedEntries' ? entry : undefined) };
}

/** Returns the error that refuses to remove a pin with this warning. The command that it suggests removes the same pins. */
export function clearRefusal(addOn: string, placement: string | undefined, warning: string): CommandError {
  return new CommandError(
    `${warning}: nothing was changed; \`${shell`outrigger upgrade ${addOn}`}\` lists the versions to go to with --to, \`${clearCommand(addOn, placement)} --yes\` rolls it out again`,
    EXIT.failed,
  );
}

/** Returns the command that removes the pin of one entry, or the pins of all entries. */
export function clearCommand(addOn: string, placement: string | undefined): string {
  const clear = shell`outrigger rollback ${addOn} --clear`;
  return placement === undefined ? clear : `${clear}${shell` --placement ${placement}`}`;
}

function requireEntry({ metadata, status }: AddOnRollout, placement: string): RolloutEntry {
  const entries = status?.entries ?? [];
  const found = entries.find(({ name }) => name === placement);
  if (found) return found;
  const names = entries.map(({ name }) => name);
  const others = names.length === 1 ? `there is ${names.join()}` : `there are ${names.join(', ') || 'none'}`;
  throw notFound(`the rollout of ${metadata.name} has no entry "${placement}": ${others}`);
}

function ofEntry(rollout: AddOnRollout, entry: RolloutEntry, named: number | undefined): Restoration {
  if (named !== undefined) return { entry: entry.name, target: namedRevision(rollout, named), reason: NAMED };
  const revision = wayBack(entry);
  if (revision === undefined) throw noWayBack(rollout, [{ entry }]);
  return { entry: entry.name, target: namedRevision(rollout, revision), reason: reasonFor(revision, [entry]) };
}

type Ways = ReturnType<typeof waysBack>['entries'];

function noWayBack(rollout: AddOnRollout, entries: readonly { readonly entry: RolloutEntry }[]): CommandError {
  const name = nameOf(rollout);
  const current = [...new Set(entries.map(({ entry }) => entry.targetRevision))].map((target) => target ?? 'the first').join(', ');
  const [only, second] = entries;
  const none = onlyRevision(rollout);
  if (none) return none;
  const where = only && !second && (rollout.status?.entries ?? []).length > 1 ? ` on the clusters of ${only.entry.name}` : '';
  return new CommandError(
    `no revision of ${name} before ${current || 'the first'} has completed${where} and not failed since: ${choose(name)}`,
    EXIT.failed,
  );
}

/** Returns the error for a rollout that has had one revision only, to which no other revision leads back. */
function onlyRevision(rollout: AddOnRollout): CommandError | undefined {
  const name = nameOf(rollout);
  const [first, ...others] = rollout.status?.history ?? [];
  if (!first || others.length > 0) return undefined;
  return new CommandError(
    `${name} has had revision ${first.revision}${first.version === undefined ? '' : ` (${clean(first.version)})`} only, so there is nothing to go back to: \`${shell`outrigger why ${name}`}\` explains its state`,
    EXIT.failed,
  );
}

function differing(rollout: AddOnRollout, entries: Ways): CommandError {
  const name = nameOf(rollout);
  const ways = entries.map((one) => `${one.entry.name} ${one.entry.targetRevision ?? 'none'} → ${one.wayBack ?? 'none'}`).join(', ');
  const known = entries.find((one) => one.wayBack !== undefined)?.entry.name ?? '';
  const all = entries.every((one) => one.wayBack !== undefined)
    ? `, \`${shell`outrigger rollback ${name} --all`}\` puts each of them back to its own`
    : '';
  return new CommandError(
    `the entries of ${name} do not go back to the same revision (${ways}): nothing was changed; \`${shell`outrigger rollback ${name} --placement ${known}`}\` puts one of them back${all}; or ${choose(name)}`,
    EXIT.failed,
  );
}

function choose(name: string): string {
  return `choose one of \`${shell`outrigger rollout history ${name}`}\` with --to-revision`;
}

function moving(revision: number, entries: Ways): readonly RolloutEntry[] {
  return entries.map(({ entry }) => entry).filter(({ targetRevision }) => targetRevision !== revision);
}

function reasonFor(revision: number, entries: readonly RolloutEntry[]): string {
  const when = entries.map((entry) => completedAt(entry, revision)).find((time) => time !== undefined);
  const current = [...new Set(entries.map(({ targetRevision }) => targetRevision ?? 0))].join(', ');
  return `the latest target before ${current} that completed${when === undefined ? '' : ` (${when})`}`;
}

function completedAt({ timeline = [] }: RolloutEntry, revision: number): string | undefined {
  return timeline.find(({ to, outcome }) => to === revision && outcome === 'Completed')?.endedAt;
}
