import type { LaneCluster, LaneGroup, LanePhase, LaneSlip, RolloutLane } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { addressWith, useAddress } from '../address/router.js';
import { Glyph } from '../parts/glyph.js';
import { Moment, useNow } from '../parts/moment.js';
import { Prose } from '../parts/prose.js';
import { lookOf } from '../parts/states.js';
import { formatClock, formatLength, msOf } from '../parts/time.js';
import { Gates } from './gates.js';

const MOST_NAMES = 6;
const MOST_SLOTS = 60;

/** The phases through which a cluster normally goes, in order. `EXITS` contains the other phases. */
const WAY = ['waiting', 'inFlight', 'soaking', 'done'] as const satisfies readonly LanePhase[];
const EXITS = ['failed', 'parked', 'skipped'] as const satisfies readonly LanePhase[];

/** The groups of an entry at the replayed time, and a note about the source and the gaps of the recorded times. */
export interface LaneReplay {
  readonly groups: readonly LaneGroup[];
  readonly note: string;
}

/** One entry: its budget, and its clusters by phase. `replay` is present while an earlier time is shown. */
export function Lane({ addon, lane, replay }: { addon: string; lane: RolloutLane; replay: LaneReplay | undefined }): JSX.Element {
  const groups = replay?.groups ?? lane.groups;
  const isReplay = replay !== undefined;
  const names = new Set(groups.map(({ name }) => name).filter((name) => name !== ''));
  return (
    <section class="panel lane" aria-label={`Entry ${lane.name}`}>
      <div class="titles">
        <h2>{lane.name}</h2>
        <span class={`pill tone-${lookOf(lane.state).tone}`}>
          <Glyph state={lane.state} /> {lookOf(lane.state).word}
        </span>
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
      </div>
      {!isReplay && lane.message !== '' && lane.message !== lookOf(lane.state).word && lane.gates.every(({ isOpen }) => isOpen) && (
        <p class="small dim">
          <Prose text={lane.message} />
        </p>
      )}
      {!isReplay && lane.slip !== undefined && <SlipText slip={lane.slip} />}
      {isReplay && replay.note !== '' && <p class="small dim replay-note">{replay.note}</p>}
      {!isReplay && (
        <div class="titles budgets">
          <Slots lane={lane} />
          <FailureBudget failed={lane.failed} allowed={lane.failureBudget} />
        </div>
      )}
      {!isReplay && <Gates gates={lane.gates.filter(({ group }) => !names.has(group))} label={`Gates of ${lane.name}`} />}
      {groups.map((group) => (
        <Group key={group.name} addon={addon} lane={lane} group={group} isReplay={isReplay} />
      ))}
    </section>
  );
}

/** Shows the budget: one box per slot, filled for each cluster in flight. */
function Slots({ lane: { slots, inFlight, soaking } }: { lane: RolloutLane }): JSX.Element | null {
  if (slots === undefined) return null;
  const taken = inFlight + soaking;
  return (
    <div class="budget">
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

/** Shows the end that was predicted at the start of the rollout, and whether the rollout is on time. */
function SlipText({ slip: { p50, p90, lateMs, waitedMs, endedAt } }: { slip: LaneSlip }): JSX.Element {
  return (
    <p class="small dim slip">
      {endedAt === undefined ? 'Predicted at its start to end' : 'Was predicted to end'} {formatClock(msOf(p50))} (9 in 10 runs by{' '}
      {formatClock(msOf(p90))}):{' '}
      <span class={lateMs > 0 ? 'tone-warn' : 'tone-good'}>{lateMs > 0 ? `${formatLength(lateMs)} late` : 'on time'}</span>
      {waitedMs !== undefined && ` apart from ${formatLength(waitedMs)} of waiting for approvals`}
    </p>
  );
}

function FailureBudget({ failed, allowed }: { failed: number; allowed: number | undefined }): JSX.Element | null {
  if (allowed === undefined) return null;
  return (
    <div class="budget">
      <span class={`small ${failed > allowed ? 'tone-bad' : 'dim'}`}>
        {allowed === 0 ? 'no failure is tolerated' : `${failed.toLocaleString()} of ${allowed.toLocaleString()} tolerated failures`}
      </span>
      {allowed > 0 && allowed <= MOST_SLOTS && (
        <span class="slots bad" aria-hidden="true">
          {Array.from({ length: allowed }, (_, index) => (
            <i key={index} class={index < failed ? 'full' : ''} />
          ))}
        </span>
      )}
    </div>
  );
}

/** The fields of an entry that the component `Group` uses. */
type GroupLane = Pick<RolloutLane, 'name' | 'soakMs' | 'gates'>;

/** One group of an entry: its clusters by phase. */
export function Group(props: { addon: string; lane: GroupLane; group: LaneGroup; isReplay: boolean }): JSX.Element {
  const { addon, lane, group, isReplay } = props;
  const station = (phase: LanePhase) => (
    <Station key={phase} addon={addon} place={`${lane.name} ${group.name} ${phase}`} phase={phase} group={group} soakMs={lane.soakMs} />
  );
  const exits = EXITS.filter((phase) => group[phase] > 0);
  return (
    <div>
      {group.name !== '' && (
        <div class="titles group-name">
          <h3>Group {group.name}</h3>
          <FailureBudget failed={group.failed} allowed={isReplay ? undefined : group.failureBudget} />
        </div>
      )}
      {group.name !== '' && !isReplay && (
        <Gates gates={lane.gates.filter((gate) => gate.group === group.name)} label={`Gates of group ${group.name}`} />
      )}
      <div class="stations">{WAY.filter((phase) => phase !== 'soaking' || lane.soakMs > 0 || group.soaking > 0).map(station)}</div>
      {exits.length > 0 && <div class="stations exits">{exits.map(station)}</div>}
    </div>
  );
}

interface StationProps {
  readonly addon: string;
  readonly place: string;
  readonly phase: LanePhase;
  readonly group: LaneGroup;
  readonly soakMs: number;
}

/** Shows the clusters in one phase: their number, and the names of the first few. */
function Station({ addon, place, phase, group, soakMs }: StationProps): JSX.Element {
  const { choices } = useAddress();
  const isOpen = choices['open'] === place;
  const clusters = group.clusters.filter((one) => one.phase === phase);
  const shown = isOpen ? clusters : clusters.slice(0, MOST_NAMES);
  const { tone, word } = lookOf(phase);
  return (
    <div class={`station tone-${group[phase] === 0 ? 'none empty-station' : tone}`} data-phase={phase}>
      <div class="station-head">
        <Glyph state={phase} /> <b>{group[phase].toLocaleString()}</b> <span class="dim">{word}</span>
      </div>
      <ul>
        {shown.map((cluster) => (
          <li key={cluster.name} title={cluster.reason === '' ? cluster.name : `${cluster.name}: ${cluster.reason}`}>
            {phase === 'soaking' && <SoakClock cluster={cluster} soakMs={soakMs} />}
            <a href={formatPage({ page: 'cell', cluster: cluster.name, addon })}>{cluster.name}</a>{' '}
            <span class="dim">{phase === 'done' || cluster.reason.toLowerCase() === phase ? '' : cluster.reason}</span>
            {cluster.until !== undefined && (
              <span class="dim">
                {' '}
                <Moment at={cluster.until} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {clusters.length > MOST_NAMES && (
        <a class="small" href={addressWith({ open: isOpen ? '' : place })}>
          {isOpen
            ? 'Show fewer'
            : clusters.length === group[phase]
              ? `Show all ${clusters.length}`
              : `Show ${clusters.length} of ${group[phase].toLocaleString()}`}
        </a>
      )}
    </div>
  );
}

/** Shows the elapsed share of a cluster's soak time as a ring that fills up. */
function SoakClock({ cluster: { until }, soakMs }: { cluster: LaneCluster; soakMs: number }): JSX.Element | null {
  const now = useNow();
  if (until === undefined || soakMs <= 0) return null;
  const share = Math.max(0, Math.min(1, 1 - (Date.parse(until) - now) / soakMs));
  return (
    <svg class="soak" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" class="soak-ring" />
      <circle cx="8" cy="8" r="6" class="soak-share" pathLength="100" stroke-dasharray={`${Math.round(share * 100)} 100`} />
    </svg>
  );
}
