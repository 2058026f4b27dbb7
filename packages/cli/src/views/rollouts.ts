import { nameOf } from '@outrigger/core';
import { type AddOnRollout, EVERY_CLUSTER, type RolloutEntry, type RolloutTarget, type TargetChange } from '@outrigger/api';
import { pinOf } from '@outrigger/rules/rollout';
import { age } from '../terminal/age.js';
import type { TableColumn } from '../terminal/table.js';
import { entryStateCell, rolloutStateCell } from './rollout-state.js';

export function rolloutColumns(nowMs: number): readonly TableColumn<AddOnRollout>[] {
  const number = (pick: (rollout: AddOnRollout) => number | undefined) => (rollout: AddOnRollout) => String(pick(rollout) ?? 0);
  return [
    { title: 'NAME', cell: (rollout) => nameOf(rollout), isShortened: true },
    { title: 'TARGET', cell: ({ status }) => status?.target, isShortened: true },
    { title: 'SELECTED', cell: number(({ status }) => status?.selected), dropAt: 2 },
    { title: 'DONE', cell: number(({ status }) => status?.done) },
    { title: 'PROGRESSING', cell: number(({ status }) => status?.progressing) },
    { title: 'FAILED', cell: number(({ status }) => status?.failed) },
    { title: 'SKIPPED', cell: number(({ status }) => status?.skipped) },
    { title: 'STATE', cell: rolloutStateCell },
    { title: 'PINNED', cell: ({ spec }) => pinsText(spec), wide: true },
    { title: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, nowMs), dropAt: 1 },
  ];
}

/** Formats the pins: `3`, or `default/canaries 2` for a pin of an entry. */
function pinsText(spec: AddOnRollout['spec']): string | undefined {
  const own = (spec?.pinnedEntries ?? []).map(({ name, revision }) => `${name} ${revision}`);
  const pins = [...(spec?.pinnedRevision === undefined ? [] : [String(spec.pinnedRevision)]), ...own];
  return pins.length === 0 ? undefined : pins.join(', ');
}

export function entryColumns(nowMs: number): readonly TableColumn<RolloutEntry>[] {
  return [
    { title: 'ENTRY', cell: ({ name }) => name, isShortened: true },
    { title: 'REVISION', cell: ({ targetRevision }) => (targetRevision === undefined ? undefined : String(targetRevision)), dropAt: 3 },
    { title: 'SELECTED', cell: ({ selected }) => String(selected ?? 0), dropAt: 4 },
    { title: 'DONE', cell: ({ done }) => String(done ?? 0) },
    { title: 'PROGRESSING', cell: ({ progressing }) => String(progressing ?? 0) },
    { title: 'FAILED', cell: ({ failed }) => String(failed ?? 0) },
    { title: 'SKIPPED', cell: ({ skipped }) => String(skipped ?? 0) },
    { title: 'STATE', cell: entryStateCell },
    { title: 'SINCE', cell: ({ startedAt }) => age(startedAt, nowMs), dropAt: 1 },
    { title: 'IN FLIGHT', cell: inFlightText, isShortened: true, dropAt: 2 },
  ];
}

const NAMED_CLUSTERS = 3;

/**
 * Formats the clusters that `inFlight` lists: the first few by name, the others as a number. If no cluster progresses and some have failed,
 * the listed clusters are marked as failed unless they are parked.
 */
function inFlightText({ inFlight = [], progressing = 0, failed = 0 }: RolloutEntry): string | undefined {
  const state = progressing === 0 && failed > 0 ? ' (failed)' : '';
  const names = inFlight.map(({ cluster, parkedSince }) => `${cluster}${parkedSince === undefined ? state : ' (away)'}`);
  if (inFlight.some(({ cluster }) => cluster === EVERY_CLUSTER)) return progressing > 0 ? 'all of them at once' : undefined;
  const more = names.length > NAMED_CLUSTERS ? `, and ${names.length - NAMED_CLUSTERS} more` : '';
  return `${names.slice(0, NAMED_CLUSTERS).join(', ')}${more}`;
}

export interface RevisionRow {
  readonly addOn: string;
  readonly target: RolloutTarget;
  /** The entries that have this revision as their current target. */
  readonly entries: readonly string[];
  readonly isPinned: boolean;
  /** For each entry that has had this revision as its target, the latest change to it. */
  readonly changes: readonly TargetChange[];
}

export function revisionRows(rollout: AddOnRollout): readonly RevisionRow[] {
  const entries = rollout.status?.entries ?? [];
  return (rollout.status?.history ?? []).map((target) => ({
    addOn: nameOf(rollout),
    target,
    entries: entries.filter(({ targetRevision }) => targetRevision === target.revision).map(({ name }) => name),
    isPinned: entries.some(({ name }) => pinOf(rollout.spec, name)?.revision === target.revision),
    changes: entries.flatMap(({ timeline = [] }) => timeline.find(({ to }) => to === target.revision) ?? []),
  }));
}

export function revisionColumns(nowMs: number): readonly TableColumn<RevisionRow>[] {
  return [
    { title: 'ADDON', cell: ({ addOn }) => addOn, isShortened: true },
    { title: 'REVISION', cell: ({ target }) => String(target.revision) },
    { title: 'VERSION', cell: ({ target }) => target.version, isShortened: true },
    { title: 'TARGET OF', cell: ({ entries, isPinned }) => [...entries, ...(isPinned ? ['(pinned)'] : [])].join(', '), isShortened: true },
    {
      title: 'CONFIGS',
      cell: ({ target }) => (target.configs ?? []).map(({ resource, name }) => `${resource}/${name}`).join(', '),
      wide: true,
    },
    { title: 'CONTENT', cell: ({ target }) => target.digest.slice(0, 12), dropAt: 1 },
    { title: 'OUTCOME', cell: ({ changes }) => unique(changes.map(({ outcome }) => outcome ?? 'Progressing')) },
    { title: 'CAUSE', cell: ({ changes }) => unique(changes.map(causeText)), dropAt: 2 },
    { title: 'TOOK (P50/P90/MAX)', cell: ({ changes }) => unique(changes.map(durationText)), wide: true },
    { title: 'TARGETED', cell: ({ target, changes }) => age(lastTargeted(changes) ?? target.targetedAt, nowMs) },
  ];
}

function unique(texts: readonly string[]): string {
  return [...new Set(texts)].filter((text) => text !== '').join(', ');
}

function causeText({ cause, manager }: TargetChange): string {
  return [cause, manager === undefined ? undefined : `by ${manager}`].filter((part) => part !== undefined).join(' ');
}

function durationText({ durations }: TargetChange): string {
  return durations === undefined ? '' : [durations.p50, durations.p90, durations.max].map((seconds) => `${seconds}s`).join('/');
}

function lastTargeted(changes: readonly TargetChange[]): string | undefined {
  return changes
    .map(({ at }) => at)
    .sort()
    .at(-1);
}
