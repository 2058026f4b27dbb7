import { LANE_PHASES, type LaneGroup, type LanePhase, type RolloutLane, type RolloutPage } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { addressWith, useAddress } from '../address/router.js';
import { View } from '../data/use-view.js';
import { Failures } from '../fleet/failures.js';
import { ActivityList } from '../parts/activity-list.js';
import { ActionButton } from '../parts/confirm.js';
import { Glyph } from '../parts/glyph.js';
import { Moment } from '../parts/moment.js';
import { lookOf } from '../parts/states.js';
import { Revisions } from './revisions.js';

const MOST_NAMES = 6;
const MOST_SLOTS = 60;

export function RolloutPageView({ addon }: { addon: string }): JSX.Element {
  return (
    <>
      <p class="crumbs">
        <a href={formatPage({ page: 'addon', addon })}>{addon}</a> / rollout
      </p>
      <View<RolloutPage> name={`The rollout of ${addon}`} request={{ view: 'rollout', addOn: addon }}>
        {(page) => <Rollout page={page} />}
      </View>
    </>
  );
}

function Rollout({ page }: { page: RolloutPage }): JSX.Element {
  const total = (pick: (lane: RolloutLane) => number) => page.entries.reduce((sum, lane) => sum + pick(lane), 0);
  const selected = total((lane) => lane.selected);
  return (
    <>
      <h1>
        {page.addOn}
        {page.target !== '' && ` to ${page.target}`}: {total((lane) => lane.done).toLocaleString()} of {selected.toLocaleString()} done
      </h1>
      <p>
        <Glyph state={page.state} /> {lookOf(page.state).word}
        {page.isPaused && page.state !== 'Paused' && ' · paused'}
        {page.pinnedRevision !== undefined && ` · held at revision ${page.pinnedRevision}`}
      </p>
      <div class="actions">
        {page.actions.map((offer) => (
          <ActionButton key={offer.command} offer={offer} />
        ))}
      </div>
      {page.pendingRemoval !== undefined && (
        <div class="problem">
          The removal from {page.pendingRemoval.count.toLocaleString()} of {page.pendingRemoval.of.toLocaleString()} clusters waits for a
          confirmation.
        </div>
      )}
      {page.entries.length === 0 && <p class="empty">No entry selects clusters, so nothing moves.</p>}
      {page.entries.map((lane) => (
        <Lane key={lane.name} addon={page.addOn} lane={lane} />
      ))}
      <div class="columns">
        <Failures groups={page.failures} addon={page.addOn} />
        <section>
          <h2>Revisions</h2>
          <Revisions items={page.history} />
        </section>
      </div>
      <h2>What happened</h2>
      <ActivityList items={page.timeline} />
    </>
  );
}

function Lane({ addon, lane }: { addon: string; lane: RolloutLane }): JSX.Element {
  return (
    <section class="lane" aria-label={`Entry ${lane.name}`}>
      <div class="titles">
        <b>{lane.name}</b>
        <span class="dim small">
          {[lane.strategy, lane.targetVersion, lane.targetRevision === undefined ? '' : `revision ${lane.targetRevision}`]
            .filter(Boolean)
            .join(' · ')}
          {lane.startedAt !== undefined && (
            <>
              {' · started '}
              <Moment at={lane.startedAt} />
            </>
          )}
        </span>
        <span class="small">
          <Glyph state={lane.state} /> {lookOf(lane.state).word}
        </span>
      </div>
      {lane.message !== '' && <p class="small">{lane.message}</p>}
      <Slots lane={lane} />
      {lane.groups.map((group) => (
        <Group key={group.name} addon={addon} entry={lane.name} group={group} />
      ))}
    </section>
  );
}

/** The budget: one box per slot, filled for each cluster in flight. */
function Slots({ lane: { slots, inFlight, soaking } }: { lane: RolloutLane }): JSX.Element | null {
  if (slots === undefined) return null;
  const taken = inFlight + soaking;
  return (
    <div class="titles budget">
      <span class="small dim">
        {Math.min(taken, slots).toLocaleString()} of {slots.toLocaleString()} slots taken
      </span>
      {slots <= MOST_SLOTS && (
        <span class="slots" aria-hidden="true">
          {Array.from({ length: slots }, (_, index) => (
            <i key={index} class={index < taken ? 'full' : ''} />
          ))}
        </span>
      )}
    </div>
  );
}

function Group({ addon, entry, group }: { addon: string; entry: string; group: LaneGroup }): JSX.Element {
  return (
    <div>
      {group.name !== '' && <h3 class="group-name">Group {group.name}</h3>}
      <div class="stations">
        {LANE_PHASES.map((phase) => (
          <Station key={phase} addon={addon} place={`${entry} ${group.name} ${phase}`} phase={phase} group={group} />
        ))}
      </div>
    </div>
  );
}

/** The clusters in one phase: how many, and the first of them. */
function Station({ addon, place, phase, group }: { addon: string; place: string; phase: LanePhase; group: LaneGroup }): JSX.Element {
  const { choices } = useAddress();
  const isOpen = choices['open'] === place;
  const clusters = group.clusters.filter((one) => one.phase === phase);
  const shown = isOpen ? clusters : clusters.slice(0, MOST_NAMES);
  const { tone, word } = lookOf(phase);
  return (
    <div class={`station tone-${group[phase] === 0 ? 'none empty-station' : tone}`}>
      <Glyph state={phase} /> <b>{group[phase].toLocaleString()}</b> <span class="dim">{word}</span>
      <ul>
        {shown.map(({ name, reason, until }) => (
          <li key={name} title={reason === '' ? name : `${name}: ${reason}`}>
            <a href={formatPage({ page: 'cell', cluster: name, addon })}>{name}</a> <span class="dim">{reason}</span>
            {until !== undefined && (
              <span class="dim">
                {' ends '}
                <Moment at={until} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {clusters.length > MOST_NAMES && (
        <a class="small" href={addressWith({ open: isOpen ? '' : place })}>
          {isOpen ? 'Show fewer' : `Show ${clusters.length} of ${group[phase].toLocaleString()}`}
        </a>
      )}
    </div>
  );
}
