import { type AddOnRollout, EVERY_CLUSTER, type RolloutEntry, type RolloutTarget } from '@outrigger/api';
import { nameOf } from '../fleet/objects.js';
import { age } from '../terminal/age.js';
import type { Cell, TableColumn } from '../terminal/table.js';

export function rolloutColumns(nowMs: number): readonly TableColumn<AddOnRollout>[] {
  const number = (pick: (rollout: AddOnRollout) => number | undefined) => (rollout: AddOnRollout) => String(pick(rollout) ?? 0);
  return [
    { title: 'NAME', cell: (rollout) => nameOf(rollout) },
    { title: 'TARGET', cell: ({ status }) => status?.target },
    { title: 'SELECTED', cell: number(({ status }) => status?.selected) },
    { title: 'DONE', cell: number(({ status }) => status?.done) },
    { title: 'PROGRESSING', cell: number(({ status }) => status?.progressing) },
    { title: 'FAILED', cell: number(({ status }) => status?.failed) },
    { title: 'SKIPPED', cell: number(({ status }) => status?.skipped) },
    { title: 'STATE', cell: ({ status }) => stateCell(status?.state) },
    { title: 'PINNED', cell: ({ spec }) => (spec?.pinnedRevision === undefined ? undefined : String(spec.pinnedRevision)), wide: true },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs) },
  ];
}

export function entryColumns(nowMs: number): readonly TableColumn<RolloutEntry>[] {
  return [
    { title: 'ENTRY', cell: ({ name }) => name },
    { title: 'REVISION', cell: ({ targetRevision }) => (targetRevision === undefined ? undefined : String(targetRevision)) },
    { title: 'SELECTED', cell: ({ selected }) => String(selected ?? 0) },
    { title: 'DONE', cell: ({ done }) => String(done ?? 0) },
    { title: 'PROGRESSING', cell: ({ progressing }) => String(progressing ?? 0) },
    { title: 'FAILED', cell: ({ failed }) => String(failed ?? 0) },
    { title: 'SKIPPED', cell: ({ skipped }) => String(skipped ?? 0) },
    { title: 'STATE', cell: ({ state }) => stateCell(state) },
    { title: 'SINCE', cell: ({ startedAt }) => age(startedAt, nowMs) },
    { title: 'IN MOTION', cell: inMotion },
  ];
}

const NAMED_CLUSTERS = 3;

/** The clusters in flight: the first few by name, the others as a number. */
function inMotion({ inFlight = [], progressing = 0 }: RolloutEntry): string | undefined {
  const names = inFlight.map(({ cluster, parkedSince }) => (parkedSince === undefined ? cluster : `${cluster} (away)`));
  if (names.includes(EVERY_CLUSTER)) return progressing > 0 ? 'all of them at once' : undefined;
  const more = names.length > NAMED_CLUSTERS ? `, and ${names.length - NAMED_CLUSTERS} more` : '';
  return `${names.slice(0, NAMED_CLUSTERS).join(', ')}${more}`;
}

export interface RevisionRow {
  readonly addOn: string;
  readonly target: RolloutTarget;
  /** The rollout entries that go to this target now. */
  readonly entries: readonly string[];
  readonly isPinned: boolean;
}

export function revisionRows(rollout: AddOnRollout): readonly RevisionRow[] {
  const entries = rollout.status?.entries ?? [];
  return (rollout.status?.history ?? []).map((target) => ({
    addOn: nameOf(rollout),
    target,
    entries: entries.filter(({ targetRevision }) => targetRevision === target.revision).map(({ name }) => name),
    isPinned: rollout.spec?.pinnedRevision === target.revision,
  }));
}

export function revisionColumns(nowMs: number): readonly TableColumn<RevisionRow>[] {
  return [
    { title: 'ADDON', cell: ({ addOn }) => addOn },
    { title: 'REVISION', cell: ({ target }) => String(target.revision) },
    { title: 'VERSION', cell: ({ target }) => target.version },
    { title: 'TARGET OF', cell: ({ entries, isPinned }) => [...entries, ...(isPinned ? ['(pinned)'] : [])].join(', ') },
    {
      title: 'CONFIGS',
      cell: ({ target }) => (target.configs ?? []).map(({ resource, name }) => `${resource}/${name}`).join(', '),
      wide: true,
    },
    { title: 'CONTENT', cell: ({ target }) => target.digest.slice(0, 12) },
    { title: 'TARGETED', cell: ({ target }) => age(target.targetedAt, nowMs) },
  ];
}

export function stateCell(state: string | undefined): Cell | undefined {
  if (state === 'Completed') return { text: state, as: 'good' };
  if (state === 'Halted') return { text: state, as: 'bad' };
  return state === undefined ? undefined : { text: state, as: 'warn' };
}
