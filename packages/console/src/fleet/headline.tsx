import { CELL_STATES, CLUSTER_STATES, type Summary } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { addressWith, useAddress } from '../address/router.js';
import { parseFilter, toggleTerm } from '../filter/parse.js';
import { Glyph } from '../parts/glyph.js';
import { lookOf } from '../parts/states.js';
import { Share } from './share.js';
import { countText } from '../parts/count-text.js';

/** Shows one sentence about the fleet, then the number of cells in each state. A click on a number filters the matrix. */
export function Headline({ summary }: { summary: Summary | undefined }): JSX.Element {
  const { choices } = useAddress();
  if (summary === undefined) {
    return (
      <div class="headline">
        <h1>Fleet</h1>
      </div>
    );
  }
  const counts = Uint32Array.from(CELL_STATES.map((state) => summary.cells[state]));
  const clusters = CLUSTER_STATES.reduce((sum, state) => sum + summary.clusters[state], 0);
  const query = choices['q'] ?? '';
  const shown = CELL_STATES.filter((state) => state !== 'absent' && summary.cells[state] > 0).sort(
    (a, b) => lookOf(b).rank - lookOf(a).rank,
  );
  return (
    <div class="headline">
      <h1>{sentence(summary, clusters)}</h1>
      <Tiles summary={summary} clusters={clusters} query={query} />
      <Share counts={counts} />
      <ul class="counts">
        {shown.map((state) => (
          <li key={state}>
            <a
              href={addressWith({ q: toggleTerm(query, 'state', state) })}
              {...(isWanted(query, state) ? { 'aria-current': 'true' as const } : {})}
            >
              <Glyph state={state} /> {summary.cells[state].toLocaleString()} {lookOf(state).word}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whether the filter asks for cells in this state. A filter that excludes the state does not. */
function isWanted(query: string, state: string): boolean {
  return parseFilter(query).some(({ key, values, isNegated }) => key === 'state' && !isNegated && values.includes(state));
}

/** Shows the summary numbers of the fleet. Numbers for which a filter exists are links. */
function Tiles({ summary, clusters, query }: { summary: Summary; clusters: number; query: string }): JSX.Element {
  const { cells } = summary;
  const installed = CELL_STATES.reduce((sum, state) => sum + (state === 'absent' ? 0 : cells[state]), 0);
  const away = summary.clusters.unreachable + summary.clusters.unavailable;
  const bad = cells.failed + cells.unavailable + cells.blocked;
  const moving = cells.progressing + cells.waiting + cells.removing;
  const rollouts = summary.addOns.filter(({ rollout }) => rollout === 'Progressing' || rollout === 'Pending').length;
  const share = installed === 0 ? '–' : `${Math.floor((cells.available / installed) * 1_000) / 10}%`;
  const narrowed = (states: string): string => addressWith({ q: `${withoutStates(query)} state:${states}`.trim(), sort: 'worst' });
  return (
    <ul class="tiles">
      <li>
        <a href={addressWith({ q: withoutStates(query) })}>
          <b>{clusters.toLocaleString()}</b> {clusters === 1 ? 'cluster' : 'clusters'}
        </a>
      </li>
      <li>
        <span class="tile">
          <b>{share}</b> available
        </span>
      </li>
      <li>
        <a class={bad > 0 ? 'tone-bad' : ''} href={narrowed('failed,unavailable,blocked')}>
          <b>{bad.toLocaleString()}</b> failing
        </a>
      </li>
      <li>
        <a class={away > 0 ? 'tone-warn' : ''} href={addressWith({ q: 'is:unreachable,unavailable', sort: 'worst' })}>
          <b>{away.toLocaleString()}</b> unreachable
        </a>
      </li>
      <li>
        <a class={moving > 0 ? 'tone-move' : ''} href={narrowed('progressing,waiting,removing')}>
          <b>{moving.toLocaleString()}</b> in progress
        </a>
      </li>
      <li>
        <span class={`tile ${rollouts > 0 ? 'tone-move' : ''}`}>
          <b>{rollouts.toLocaleString()}</b> {rollouts === 1 ? 'rollout' : 'rollouts'} running
        </span>
      </li>
    </ul>
  );
}

function withoutStates(query: string): string {
  return query
    .split(' ')
    .filter((word) => !/^-?state:/.test(word))
    .join(' ');
}

function sentence({ cells, addOns, clusters }: Summary, count: number): string {
  const installed = CELL_STATES.reduce((sum, state) => sum + (state === 'absent' ? 0 : cells[state]), 0);
  if (count === 0) return 'No clusters yet';
  const fleet = `${countText(addOns.length, 'add-on')} on ${countText(count, 'cluster')}`;
  if (installed === 0) return `${fleet}: nothing is installed`;
  const bad = cells.failed + cells.unavailable + cells.blocked + cells.degraded + cells.unreachable + cells.unknown;
  if (bad > 0) return `${fleet}: ${bad.toLocaleString()} unhealthy`;
  const away = clusters.unreachable + clusters.unavailable;
  if (away > 0) return `${fleet}: ${countText(away, 'cluster')} not reachable`;
  const moving = cells.progressing + cells.waiting + cells.removing;
  return moving > 0 ? `${fleet}: ${moving.toLocaleString()} in progress` : `${fleet}: all healthy`;
}
