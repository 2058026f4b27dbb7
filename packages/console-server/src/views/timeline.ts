import { type AddOnRollout, type TargetChange, addOnRollouts } from '@outrigger/api';
import type { ActivityItem } from '@outrigger/console-contract';
import { memoize } from '@outrigger/core';
import type { FleetState } from '../state/state.js';
import { linkTo } from './links.js';

/** Lists the changes of targets and their outcomes from the timelines in the rollouts, which cover a longer time than Events. */
export function timelineItems(state: FleetState): readonly ActivityItem[] {
  return [...state.rollouts.values()].flatMap(itemsOf);
}

const itemsOf: (rollout: AddOnRollout) => readonly ActivityItem[] = memoize(({ metadata, status }: AddOnRollout) =>
  (status?.entries ?? []).flatMap(({ name, timeline = [] }) =>
    timeline.flatMap((change) => changeItems(metadata.name ?? '', name, change)),
  ),
);

const CAUSES: Readonly<Record<NonNullable<TargetChange['cause']>, string>> = {
  Declaration: 'the declaration changed',
  Template: 'the content of the template changed',
  Config: 'the content of a configuration changed',
  DefaultVersion: 'a template offers a newer default version',
  Pin: 'a person set or removed a pin',
  Automatic: 'the manager decided it',
};

function changeItems(addOn: string, entry: string, change: TargetChange): readonly ActivityItem[] {
  const { at, from, to, cause, manager, outcome, endedAt, selected = 0, done = 0, failed = 0 } = change;
  const base = { addOn, count: 1, object: linkTo(addOnRollouts, addOn) };
  const started: ActivityItem = {
    ...base,
    id: `rollout/${addOn}/${entry}/${at}/${to}`,
    at,
    type: 'Normal',
    reason: 'TargetChanged',
    message: `${entry}: ${from === undefined ? '' : `revision ${from} → `}revision ${to}${cause === undefined ? '' : `, because ${CAUSES[cause]}`}`,
    by: manager ?? '',
  };
  if (outcome === undefined || endedAt === undefined) return [started];
  const ended: ActivityItem = {
    ...base,
    id: `${started.id}/${outcome}`,
    at: endedAt,
    type: outcome === 'Halted' || outcome === 'RolledBack' ? 'Warning' : 'Normal',
    reason: `Rollout${outcome}`,
    message: `${entry}: the rollout to revision ${to} ${ENDS[outcome]}: ${done} of ${selected} done${failed > 0 ? `, ${failed} failed` : ''}`,
    by: 'outrigger-hub',
  };
  return [started, ended];
}

const ENDS: Readonly<Record<NonNullable<TargetChange['outcome']>, string>> = {
  Completed: 'completed',
  Halted: 'halted',
  Superseded: 'was replaced by another target',
  RolledBack: 'was rolled back',
};
