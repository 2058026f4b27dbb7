import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatPage } from '../address/address.js';
import { addressWith } from '../address/router.js';
import { Glyph } from '../parts/glyph.js';
import { rowWindow } from '../parts/row-window.js';
import { CELL_STATES } from '@outrigger/console-contract';
import { lookOf, STATE_RANKS } from '../parts/states.js';
import { ColumnHeads } from './heads.js';
import type { Match } from './match.js';
import { type Place, placeAfter } from './place.js';
import { cellIndex, type Fleet, isAway } from './fleet.js';

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 92;

/** The number of rows that Page Up and Page Down move. */
const PAGE_ROWS = 20;

/** Returns the place of a cell, or undefined for links that are not cells. */
function placeOf({ dataset }: HTMLAnchorElement): Place | undefined {
  const [row, column] = (dataset['place'] ?? '').split(':').map(Number);
  return row === undefined || column === undefined ? undefined : { row, column };
}

/**
 * Shows clusters as rows and add-ons as columns. Renders only the visible rows. One cell is the tab stop of the grid; arrow keys move the
 * focus between cells.
 */
export function Grid(props: { fleet: Fleet; match: Match; rows: Uint32Array; query: string; order: string }): JSX.Element {
  const { fleet, match, rows, query, order } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const [height, setHeight] = useState(800);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const wantsFocus = useRef(false);
  const moved = useMemo(() => new Set(fleet.changed), [fleet]);

  const cellAt = ({ row, column }: Place): HTMLElement | null | undefined =>
    box.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    cellAt(active)?.focus({ preventScroll: true });
  }, [active, scrolled]);

  // The next key press may arrive before the next render, so start at the cell that has the focus, and focus the target cell at once if it
  // is already rendered.
  const onKeyDown = (event: KeyboardEvent) => {
    const element = box.current;
    const at = event.target instanceof HTMLAnchorElement ? placeOf(event.target) : undefined;
    const next = at && placeAfter(event.key, at, { rows: rows.length, columns: match.columns.length }, PAGE_ROWS);
    if (next === undefined || element === null) return;
    event.preventDefault();
    scrollTo(element, next.row);
    const cell = cellAt(next);
    cell?.focus({ preventScroll: true });
    wantsFocus.current = !cell;
    setScrolled(element.scrollTop);
    setActive(next);
  };

  const { from, to, before, after } = rowWindow(rows.length, ROW_HEIGHT, scrolled, height);
  const activeRow = active.row < from || active.row >= to ? from : active.row;
  return (
    <div
      class="grid rows"
      style={{ '--columns': match.columns.length }}
      ref={box}
      onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <table>
        <ColumnHeads fleet={fleet} match={match} query={query} order={order} />
        <tbody>
          {before > 0 && <tr style={{ height: `${before}px` }} />}
          {[...rows.subarray(from, to)].map((row, offset) => (
            <Row
              key={fleet.clusters[row]?.name ?? ''}
              fleet={fleet}
              match={match}
              row={row}
              position={from + offset}
              activeColumn={activeRow === from + offset ? Math.min(active.column, match.columns.length - 1) : undefined}
              moved={moved}
            />
          ))}
          {after > 0 && <tr style={{ height: `${after}px` }} />}
        </tbody>
      </table>
      {rows.length === 0 && (
        <p class="empty">
          No cluster matches. <a href={addressWith({ q: '' })}>Show all {fleet.clusters.length} clusters</a>
        </p>
      )}
    </div>
  );
}

/** Scrolls just far enough that the row is visible below the head. */
function scrollTo(box: HTMLElement, row: number): void {
  const top = row * ROW_HEIGHT;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + ROW_HEIGHT + HEAD_HEIGHT > box.scrollTop + box.clientHeight) {
    box.scrollTop = top + ROW_HEIGHT + HEAD_HEIGHT - box.clientHeight;
  }
}

interface RowProps {
  readonly fleet: Fleet;
  readonly match: Match;
  readonly row: number;
  /** The position of the row among all rows in the order that is shown. */
  readonly position: number;
  /** The column of the cell that is the tab stop of the grid; undefined if that cell is in another row. */
  readonly activeColumn: number | undefined;
  readonly moved: ReadonlySet<number>;
}

/** One cluster: its state, its total, and a cell for each add-on. */
function Row({ fleet, match, row, position, activeColumn, moved }: RowProps): JSX.Element {
  const cluster = fleet.clusters[row]?.name ?? '';
  return (
    <tr>
      <th scope="row" title={cluster}>
        <Glyph state={fleet.clusters[row]?.state ?? 'unreported'} alone /> <a href={formatPage({ page: 'cluster', cluster })}>{cluster}</a>
      </th>
      <RowTotal fleet={fleet} row={row} columns={match.columns} />
      {match.columns.map((column, at) => {
        const index = cellIndex(fleet, row, column);
        return (
          <Cell
            key={column}
            fleet={fleet}
            index={index}
            cluster={cluster}
            addon={fleet.addons[column]?.name ?? ''}
            place={`${position}:${at}`}
            isActive={at === activeColumn}
            isFaint={!match.hasCell(index)}
            hasMoved={moved.has(index)}
          />
        );
      })}
    </tr>
  );
}

/** Shows how many of the cluster's add-ons are available, and the worst state of the others. */
function RowTotal({ fleet, row, columns }: { fleet: Fleet; row: number; columns: readonly number[] }): JSX.Element {
  let installed = 0;
  let available = 0;
  let worst = 0;
  for (const column of columns) {
    const state = fleet.states[cellIndex(fleet, row, column)] ?? 0;
    if (state === ABSENT) continue;
    installed++;
    if (state === AVAILABLE) available++;
    if ((STATE_RANKS[state] ?? 0) > (STATE_RANKS[worst] ?? 0)) worst = state;
  }
  const { tone, word } = lookOf(CELL_STATES[worst] ?? 'absent');
  const isWell = available === installed;
  return (
    <td class="row-total">
      <span class={isWell ? 'dim' : `tone-${tone}`} title={isWell ? 'all are available' : `worst: ${word}`}>
        {available}/{installed}
      </span>
    </td>
  );
}

const ABSENT = CELL_STATES.indexOf('absent');
const AVAILABLE = CELL_STATES.indexOf('available');

interface CellProps {
  readonly fleet: Fleet;
  readonly index: number;
  readonly cluster: string;
  readonly addon: string;
  readonly place: string;
  readonly isActive: boolean;
  readonly isFaint: boolean;
  readonly hasMoved: boolean;
}

function Cell({ fleet, index, cluster, addon, place, isActive, isFaint, hasMoved }: CellProps): JSX.Element {
  const state = CELL_STATES[fleet.states[index] ?? 0] ?? 'absent';
  const version = fleet.texts.at(fleet.versions[index]);
  const reason = fleet.texts.at(fleet.reasons[index]);
  const away = isAway(fleet, index) ? `→ ${fleet.texts.at(fleet.targets[index])}` : '';
  // The accessible name of the link contains the visible text, as voice control requires.
  const says = [lookOf(state).word, `${version} ${away}`.trim(), reason].filter(Boolean).join(', ');
  return (
    <td class={hasMoved ? 'moved' : ''}>
      <a
        href={formatPage({ page: 'cell', cluster, addon })}
        data-place={place}
        data-state={state}
        tabIndex={isActive ? 0 : -1}
        title={`${addon} on ${cluster}: ${says}`}
        aria-label={`${addon} on ${cluster}: ${says}`}
        style={isFaint ? { opacity: '0.35' } : {}}
      >
        <Glyph state={state} />
        <span>
          {version}
          {away !== '' && <span class="away"> {away}</span>}
        </span>
      </a>
    </td>
  );
}
