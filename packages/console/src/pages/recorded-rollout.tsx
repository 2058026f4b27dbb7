import type { ReplayPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatPage } from '../address/address.js';
import { View } from '../data/use-view.js';
import { Moment } from '../parts/moment.js';
import { formatLength, msOf } from '../parts/time.js';
import { History, useReplayTime } from './history.js';
import { Group } from './lanes.js';
import { recordNote } from './records.js';
import { countsAt, recordedGroupsAt, recordedProgress } from './replay.js';
import { OUTCOME_WORDS } from './revisions.js';

/** The replay of a target that has ended, from the record that the hub stored when the target ended. */
export function RecordedRollout({ addon, record }: { addon: string; record: string }): JSX.Element {
  const rollout = formatPage({ page: 'rollout', addon });
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / <a href={formatPage({ page: 'addon', addon })}>{addon}</a> / <a href={rollout}>rollout</a> / replay
      </p>
      <View<ReplayPage>
        name="The record of this target"
        heading={`${addon}: an earlier rollout`}
        request={{ view: 'replay', addOn: addon, record }}
      >
        {(page) => <Replay page={page} />}
      </View>
      <p>
        <a href={rollout}>To the current rollout of {addon}</a>
      </p>
    </>
  );
}

function Replay({ page }: { page: ReplayPage }): JSX.Element {
  const at = useReplayTime();
  const { addOn, version, revision, entry, startedAt, endedAt, outcome } = page;
  const progress = useMemo(() => recordedProgress(page), [page]);
  const shownAt = at ?? msOf(endedAt);
  return (
    <>
      <header class="page-head">
        <h1>
          {addOn} to {version === '' ? `revision ${revision}` : version}: {countsAt(progress, shownAt).done.toLocaleString()} of{' '}
          {progress.selected.toLocaleString()} done
        </h1>
        <p class="facts">
          <span class={`tag tag-${outcome.toLowerCase()}`}>{OUTCOME_WORDS[outcome] ?? outcome}</span>
          <span class="dim">
            revision {revision} · started <Moment at={startedAt} /> · took {formatLength(msOf(endedAt) - msOf(startedAt))}
          </span>
        </p>
      </header>
      <History progress={progress} forecast={{ message: 'ended' }} failureBudget={undefined} isOver endedAt={endedAt} at={at} />
      <section class="panel lane" aria-label={`Entry ${entry}`}>
        <div class="titles">
          <h2>{entry}</h2>
        </div>
        <p class="small dim replay-note">{recordNote(page)}</p>
        {recordedGroupsAt(page, shownAt).map((group) => (
          <Group key={group.name} addon={addOn} lane={{ name: entry, soakMs: 0, gates: [] }} group={group} isReplay />
        ))}
      </section>
    </>
  );
}
