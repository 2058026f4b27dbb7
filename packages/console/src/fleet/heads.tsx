import type { JSX } from 'preact';
import { formatPage } from '../address/address.js';
import { addressWith } from '../address/router.js';
import { toggleTerm } from '../filter/parse.js';
import { Glyph } from '../parts/glyph.js';
import { CELL_STATES } from '@outrigger/console-contract';
import { lookOf } from '../parts/states.js';
import type { Match } from './match.js';
import type { Fleet } from './fleet.js';
import { columnTotals, type StateCounts } from './totals.js';

/** Shows names, declared versions and totals of the add-ons. A click on a total filters the fleet to the cells that it counts. */
export function ColumnHeads(props: { fleet: Fleet; match: Match; query: string; order: string; first?: string }): JSX.Element {
  const { fleet, match, query, order, first = 'Cluster' } = props;
  const hasRowTotals = first === 'Cluster';
  return (
    <thead>
      <tr>
        <th scope="col">
          <a
            href={addressWith({ sort: order === 'worst' ? '' : 'worst' })}
            title={order === 'worst' ? 'Sort by name' : 'Sort the worst first'}
          >
            {first}
          </a>{' '}
          <span class="head-note">{match.rows.length.toLocaleString()}</span>
        </th>
        {hasRowTotals && <th scope="col">All</th>}
        {match.columns.map((column) => {
          const addon = fleet.addons[column];
          return (
            <th scope="col" key={column}>
              <a href={formatPage({ page: 'addon', addon: addon?.name ?? '' })}>{addon?.name}</a>{' '}
              <span class="head-note">{addon?.target}</span>
            </th>
          );
        })}
      </tr>
      <tr>
        <th scope="row" class="dim small">
          by state
        </th>
        {hasRowTotals && <td />}
        {match.columns.map((column) => (
          <td key={column}>
            <Totals counts={columnTotals(fleet, match.rows, column)} query={query} addon={fleet.addons[column]?.name ?? ''} />
          </td>
        ))}
      </tr>
    </thead>
  );
}

/** Shows the counts of all states except available, worst first. They are on one line, so that the row keeps its height. */
export function Totals({ counts, query, addon }: { counts: StateCounts; query: string; addon: string }): JSX.Element {
  const shown = CELL_STATES.map((state, index) => ({ state, count: counts[index] ?? 0 }))
    .filter(({ state, count }) => count > 0 && state !== 'absent')
    .sort((a, b) => lookOf(b.state).rank - lookOf(a.state).rank);
  return (
    <>
      {shown.slice(0, 4).map(({ state, count }) => (
        <a
          key={state}
          href={addressWith({ q: toggleTerm(toggleTerm(withoutKey(query, 'state'), 'addon', addon), 'state', state) })}
          aria-label={`${count} ${lookOf(state).word} of ${addon}`}
          class="total"
        >
          <Glyph state={state} />
          {count.toLocaleString()}
        </a>
      ))}
    </>
  );
}

function withoutKey(query: string, key: string): string {
  return query
    .split(' ')
    .filter((word) => !word.startsWith(`${key}:`) && !word.startsWith('addon:'))
    .join(' ');
}
