import { LANE_PHASES, type LanePhase, type Progress, type RolloutPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatAddress, formatPage } from '../address/address.js';
import { useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { Failures } from '../fleet/failures.js';
import { ActivityList } from '../parts/activity-list.js';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment, useNow } from '../parts/moment.js';
import { lookOf } from '../parts/states.js';
import { formatClock } from '../parts/time.js';
import { History, useReplayTime } from './history.js';
import { Lane } from './lanes.js';
import { RecordedRollout } from './recorded-rollout.js';
import { laneAt, progressOf, useRecords } from './records.js';
import { countsAt } from './replay.js';
import { Revisions } from './revisions.js';
import { Panel } from '../parts/panel.js';

export function RolloutPageView({ addon }: { addon: string }): JSX.Element {
  const { choices } = useAddress();
  if (choices['record'] !== undefined) return <RecordedRollout addon={addon} record={choices['record']} />;
  return (
    <>
      <p class="crumbs">
        <a href="/">Fleet</a> / <a href={formatPage({ page: 'addon', addon })}>{addon}</a> / rollout
      </p>
      <View<RolloutPage> name={`The rollout of ${addon}`} heading={`${addon} rollout`} request={{ view: 'rollout', addOn: addon }}>
        {(page) => <Rollout page={page} />}
      </View>
    </>
  );
}

function Rollout({ page }: { page: RolloutPage }): JSX.Element {
  const at = useReplayTime();
  const records = useRecords(page);
  const progress = useMemo(() => progressOf(page, records), [page, records]);
  return (
    <>
      <Head page={page} done={at === undefined ? undefined : countsAt(progress, at).done} />
      {page.pendingRemoval !== undefined && (
        <div class="problem">
          The removal from {page.pendingRemoval.count.toLocaleString()} of {page.pendingRemoval.of.toLocaleString()} clusters waits for a
          confirmation.
        </div>
      )}
      <Progression page={page} progress={progress} at={at} />
      {page.entries.length === 0 && <p class="empty">No entry selects clusters, so nothing moves.</p>}
      {page.entries.map((lane) => (
        <Lane
          key={lane.name}
          addon={page.addOn}
          lane={lane}
          replay={at === undefined ? undefined : laneAt(lane, records.get(lane.record ?? ''), at)}
        />
      ))}
      {page.failures.length > 0 && (
        <section class="panel">
          <Failures groups={page.failures} addon={page.addOn} />
        </section>
      )}
      <Panel title="Revisions">
        <Revisions addon={page.addOn} items={page.history} />
      </Panel>
      <Panel title="What happened">
        <ActivityList groups={page.timeline} />
        <p class="small">
          <a href={formatAddress({ page: { page: 'activity' }, choices: { addon: page.addOn } })}>All activity of {page.addOn}</a>
        </p>
      </Panel>
    </>
  );
}

/** `done` is the number of clusters that had succeeded at the replayed time; undefined for the current time. */
function Head({ page, done: replayed }: { page: RolloutPage; done: number | undefined }): JSX.Element {
  const total = (pick: (lane: RolloutPage['entries'][number]) => number) => page.entries.reduce((sum, lane) => sum + pick(lane), 0);
  const selected = total((lane) => lane.selected);
  const done = replayed ?? total((lane) => lane.done);
  const { tone, word } = lookOf(page.state);
  return (
    <header class="page-head">
      <div class="titles">
        <h1>
          {page.addOn}
          {page.target !== '' && ` to ${page.target}`}: {done.toLocaleString()} of {selected.toLocaleString()} done
        </h1>
        <div class="actions">
          {page.actions.map((offer) => (
            <ActionButton key={offer.command} offer={offer} />
          ))}
        </div>
      </div>
      <p class="facts">
        <span class={`pill tone-${tone}`}>
          <Glyph state={page.state} /> {word}
        </span>
        {page.isPaused && page.state !== 'Paused' && <span class="pill tone-wait">paused</span>}
        {page.isFleetPaused && <span class="pill tone-warn">all rollouts of the fleet are paused</span>}
        {page.pinnedRevision !== undefined && <span class="pill tone-wait">pinned at revision {page.pinnedRevision}</span>}
        <Expected page={page} />
      </p>
      {replayed === undefined && <PhaseBar page={page} />}
    </header>
  );
}

/** Shows when the rollout is expected to end, or why the end is unknown. */
function Expected({ page: { forecast } }: { page: RolloutPage }): JSX.Element {
  const now = useNow();
  if (forecast.endsAt === undefined) {
    return <span class="dim">{forecast.message === 'ended' ? '' : `Expected end: ${forecast.message}`}</span>;
  }
  return (
    <span class="dim" title={forecast.message}>
      {Date.parse(forecast.endsAt) <= now ? (
        'Expected to end any moment'
      ) : (
        <>
          Expected end <Moment at={forecast.endsAt} /> ({formatClock(Date.parse(forecast.endsAt))})
        </>
      )}
      : {forecast.message}
    </span>
  );
}

/** Shows the share of each phase as one bar. The lanes show the numbers. */
function PhaseBar({ page }: { page: RolloutPage }): JSX.Element {
  const count = (phase: LanePhase) => page.entries.reduce((sum, lane) => sum + lane[phase], 0);
  const order: readonly LanePhase[] = ['done', 'soaking', 'inFlight', 'failed', 'parked', 'skipped', 'waiting'];
  return (
    <div class="share tall" aria-hidden="true">
      {order
        .filter((phase) => LANE_PHASES.includes(phase) && count(phase) > 0)
        .map((phase) => (
          <i key={phase} class={`phase-${phase}`} style={{ flex: count(phase) }} />
        ))}
    </div>
  );
}

/** The recorded progress of the current targets, and the slider that replays it. */
function Progression({ page, progress, at }: { page: RolloutPage; progress: Progress; at: number | undefined }): JSX.Element | null {
  const budgets = page.entries.flatMap(({ failureBudget }) => failureBudget ?? []);
  return (
    <History
      progress={progress}
      forecast={page.forecast}
      failureBudget={page.entries.length === 1 ? budgets[0] : undefined}
      isOver={page.state === 'Completed'}
      at={at}
    />
  );
}
