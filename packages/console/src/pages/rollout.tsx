import { LANE_PHASES, type LanePhase, type RolloutPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { replaceChoices, useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { Failures } from '../fleet/failures.js';
import { ActivityList } from '../parts/activity-list.js';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment, useNow } from '../parts/moment.js';
import { lookOf } from '../parts/states.js';
import { exactText, formatClock } from '../parts/time.js';
import { BurnUp } from './burn-up.js';
import { Lane } from './lanes.js';
import { countsAt, span } from './replay.js';
import { Revisions } from './revisions.js';

export function RolloutPageView({ addon }: { addon: string }): JSX.Element {
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
  const { choices } = useAddress();
  const chosen = Number(choices['at'] ?? '');
  const at = Number.isFinite(chosen) && chosen > 0 ? chosen : undefined;
  return (
    <>
      <Head page={page} at={at} />
      {page.pendingRemoval !== undefined && (
        <div class="problem">
          The removal from {page.pendingRemoval.count.toLocaleString()} of {page.pendingRemoval.of.toLocaleString()} clusters waits for a
          confirmation.
        </div>
      )}
      <History page={page} at={at} />
      {page.entries.length === 0 && <p class="empty">No entry selects clusters, so nothing moves.</p>}
      {page.entries.map((lane) => (
        <Lane key={lane.name} addon={page.addOn} lane={lane} at={at} />
      ))}
      {page.failures.length > 0 && (
        <section class="panel">
          <Failures groups={page.failures} addon={page.addOn} />
        </section>
      )}
      <section class="panel">
        <h2>Revisions</h2>
        <Revisions items={page.history} />
      </section>
      <section class="panel">
        <h2>What happened</h2>
        <ActivityList items={page.timeline} />
      </section>
    </>
  );
}

function Head({ page, at }: { page: RolloutPage; at: number | undefined }): JSX.Element {
  const total = (pick: (lane: RolloutPage['entries'][number]) => number) => page.entries.reduce((sum, lane) => sum + pick(lane), 0);
  const selected = total((lane) => lane.selected);
  const done = at === undefined ? total((lane) => lane.done) : countsAt(page.progress, at).done;
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
        {page.pinnedRevision !== undefined && <span class="pill tone-wait">held at revision {page.pinnedRevision}</span>}
        <Expected page={page} />
      </p>
      {at === undefined && <PhaseBar page={page} />}
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

/** Shows the chart of the recorded progress, and the slider that replays it. */
function History({ page, at }: { page: RolloutPage; at: number | undefined }): JSX.Element | null {
  const now = useNow();
  const isOver = page.state === 'Completed';
  const covered = span(page.progress, now, isOver);
  if (covered === undefined || page.progress.selected === 0) return null;
  const budgets = page.entries.flatMap(({ failureBudget }) => failureBudget ?? []);
  const shown = at === undefined ? undefined : Math.min(Math.max(at, covered.from), covered.to);
  const endsAt = page.forecast.endsAt === undefined ? 0 : Date.parse(page.forecast.endsAt);
  const past = (covered.to - covered.from) / (Math.max(covered.to, endsAt) - covered.from);
  const choose = (value: number) => replaceChoices({ at: value >= covered.to ? '' : String(Math.round(value)) });
  return (
    <section class="panel" aria-label="Progress over time">
      <BurnUp
        progress={page.progress}
        forecast={page.forecast}
        failureBudget={page.entries.length === 1 ? budgets[0] : undefined}
        from={covered.from}
        to={covered.to}
        at={shown}
      />
      <div class="replay">
        <input
          type="range"
          class="replay-slider"
          style={{ '--past': past }}
          aria-label="Replay"
          min={covered.from}
          max={covered.to}
          step={(covered.to - covered.from) / 100}
          value={shown ?? covered.to}
          aria-valuetext={shown === undefined ? 'now' : exactText(new Date(shown).toISOString())}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <span class="small dim replay-time">
          {shown === undefined ? (isOver ? 'As it ended. Drag to replay.' : 'Live. Drag to replay.') : `Replay: ${formatClock(shown)}`}
        </span>
        <button
          type="button"
          class={shown === undefined ? 'plain small invisible' : 'plain small'}
          onClick={() => replaceChoices({ at: '' })}
        >
          Back to now
        </button>
      </div>
      {shown !== undefined && (
        <p class="small dim">
          The lanes show this time as far as it is recorded: the times of admission of clusters that have arrived are not kept.
        </p>
      )}
    </section>
  );
}
