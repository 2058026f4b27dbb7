import { addressOf, type Progress, type ReplayPage, type RolloutLane, type RolloutPage } from '@outrigger/console-contract';
import { useEffect, useState } from 'preact/hooks';
import { watchView } from '../data/live.js';
import type { Shown } from '../data/live-views.js';
import type { LaneReplay } from './lanes.js';
import { groupAt, mergedProgress, recordedGroupsAt, recordedProgress } from './replay.js';
import { countText } from '../parts/count-text.js';

export type Records = ReadonlyMap<string, Shown<ReplayPage>>;

/** The stored records of those current targets that have ended, by the name of the record. */
export function useRecords({ addOn, entries }: Pick<RolloutPage, 'addOn' | 'entries'>): Records {
  const names = entries.flatMap(({ record }) => record ?? []);
  const [records, setRecords] = useState<Records>(new Map());
  const key = names.map((record) => addressOf({ view: 'replay', addOn, record })).join(' ');
  useEffect(() => {
    const watched = names.map((record) => ({ record, ...watchView({ view: 'replay', addOn, record }) }));
    const update = () => setRecords(new Map(watched.map(({ record, store }) => [record, store.get() as Shown<ReplayPage>])));
    update();
    const ends = watched.map(({ store }) => store.subscribe(update));
    return () => {
      for (const end of ends) end();
      for (const { stop } of watched) stop();
    };
  }, [key]);
  return records;
}

/**
 * Returns the progress of the rollout: from the stored records if every entry with clusters has one, or else from the reports of the
 * add-ons.
 */
export function progressOf({ entries, progress }: Pick<RolloutPage, 'entries' | 'progress'>, records: Records): Progress {
  const lanes = entries.filter(({ selected }) => selected > 0);
  const read = lanes.flatMap(({ record }) => records.get(record ?? '')?.data ?? []);
  return lanes.length === 0 || read.length < lanes.length ? progress : mergedProgress(read.map(recordedProgress), progress.selected);
}

/**
 * Returns the groups of the entry at a given time: from the stored record if it was read, or else from the times of the lane's clusters.
 */
export function laneAt(lane: RolloutLane, recorded: Shown<ReplayPage> | undefined, at: number): LaneReplay {
  if (recorded?.data !== undefined) return { groups: recordedGroupsAt(recorded.data, at), note: recordNote(recorded.data) };
  return { groups: lane.groups.map((group) => groupAt(group, at)), note: unrecordedNote(lane, recorded?.error?.message) };
}

export function recordNote({ omitted, groups }: ReplayPage): string {
  const untimed = groups.flatMap(({ clusters }) => clusters).filter(({ phase, admittedAt }) => phase === 'done' && !admittedAt).length;
  const notes = [
    untimed > 0 ? `${countText(untimed, 'cluster')} did not move, or moved at a time that is not recorded` : '',
    omitted > 0 ? `${countText(omitted, 'cluster')} more are not part of the record, whose size is limited` : '',
  ].filter((note) => note !== '');
  return `From the record that the hub stored when this target ended.${notes.length > 0 ? ` ${notes.join('; ')}.` : ''}`;
}

function unrecordedNote({ groups }: RolloutLane, problem: string | undefined): string {
  const clusters = groups.flatMap((group) => group.clusters);
  const hidden = groups.reduce((sum, { selected }) => sum + selected, 0) - clusters.length;
  const isUntimed = clusters.some(({ phase, admittedAt }) => (phase === 'done' || phase === 'failed') && admittedAt === undefined);
  const reason =
    problem === undefined
      ? 'the hub records it only while a RolloutPolicy governs the add-on'
      : `the stored record cannot be read: ${problem}`;
  return [
    isUntimed || problem !== undefined
      ? `It is not known when clusters that have arrived were admitted, so they wait here until they arrive (${reason}).`
      : '',
    hidden > 0 ? `${countText(hidden, 'cluster')} that the lanes do not list are not counted.` : '',
  ]
    .filter((note) => note !== '')
    .join(' ');
}
