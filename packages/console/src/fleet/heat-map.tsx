import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatPage } from '../address/address.js';
import { navigate } from '../address/router.js';
import { CELL_STATES } from '@outrigger/console-contract';
import { lookOf, type Tone } from '../parts/states.js';
import { cellAt, type HeatMapLayout, heatMapLayout, visibleRows } from './heat-map-layout.js';
import type { Match } from './match.js';
import { type Place, placeAfter } from './place.js';
import { cellIndex, type Fleet } from './fleet.js';

/**
 * The share of a cell that the bar of a state fills, so that in small cells states differ in the length of their bar, not only in colour.
 */
const FILL: Readonly<Record<Tone, number>> = { none: 0, good: 0.16, move: 0.5, wait: 0.34, warn: 0.72, bad: 1 };

const LOOKS = CELL_STATES.map((state) => lookOf(state));

/** The number of rows that Page Up and Page Down move. */
const PAGE_ROWS = 50;

/** Draws the cells of a large fleet on a canvas. Only visible cells are drawn, once per frame. */
export function HeatMap({ fleet, match, rows }: { fleet: Fleet; match: Match; rows: Uint32Array }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [place, setPlace] = useState<Place | undefined>();
  const [pointer, setPointer] = useState<{ x: number; y: number } | undefined>();
  const layout = heatMapLayout(rows.length, match.columns.length, width);
  const draw = useDrawing(box, canvas, { fleet, match, rows, layout, place, width }, setWidth);

  const open = (at: Place | undefined) => {
    const target = at === undefined ? undefined : namesAt(fleet, match, rows, at);
    if (target !== undefined) navigate(formatPage({ page: 'cell', cluster: target.cluster, addon: target.addon }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') open(place);
    const shown = { rows: rows.length, columns: match.columns.length };
    const next = placeAfter(event.key, place ?? { row: 0, column: 0 }, shown, PAGE_ROWS);
    if (next === undefined) return;
    event.preventDefault();
    if (box.current !== null) scrollTo(box.current, next.row, layout);
    setPointer(undefined);
    setPlace(next);
  };
  const placeOf = (event: MouseEvent): Place | undefined => {
    const bounds = box.current?.getBoundingClientRect();
    if (bounds === undefined) return undefined;
    return cellAt(layout, event.clientX - bounds.left, event.clientY - bounds.top + (box.current?.scrollTop ?? 0));
  };

  const names = place === undefined ? undefined : namesAt(fleet, match, rows, place);
  return (
    <div>
      <div class="map-heads" aria-hidden="true">
        {match.columns.map((column) => (
          <span key={column} style={{ width: `${layout.cellWidth}px` }} title={fleet.addons[column]?.name}>
            {fleet.addons[column]?.name}
          </span>
        ))}
      </div>
      <div
        class="map"
        style={{ height: `min(70vh, 900px, ${layout.height + 2}px)` }}
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={`Heat map of ${rows.length} clusters and ${match.columns.length} add-ons. Arrow keys move, Enter opens a cell.`}
        onScroll={draw}
        onKeyDown={onKeyDown}
        onMouseMove={(event) => {
          setPlace(placeOf(event));
          setPointer({ x: event.clientX, y: event.clientY });
        }}
        onMouseLeave={() => setPointer(undefined)}
        onClick={(event) => open(placeOf(event))}
      >
        <canvas ref={canvas} />
        <div class="map-height" style={{ height: `${layout.height}px` }} />
      </div>
      <p class="small dim map-says" aria-live="polite">
        {names === undefined ? `Each line is a cluster, each column an add-on. Longer bars need a person sooner.` : names.says}
      </p>
      {pointer !== undefined && names !== undefined && (
        <div class="tip" style={{ left: `${Math.min(pointer.x + 14, innerWidth - 330)}px`, top: `${pointer.y + 14}px` }}>
          {names.says}
        </div>
      )}
    </div>
  );
}

/** Draws the scene when it changes, when the element is resized, and when the colour scheme changes. Returns the function that draws. */
function useDrawing(
  box: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLCanvasElement | null>,
  wanted: Scene,
  onWidth: (width: number) => void,
): () => void {
  const scene = useRef(wanted);
  scene.current = wanted;
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (canvas.current !== null && box.current !== null) paint(canvas.current, box.current, scene.current);
    });
  };
  useEffect(draw, [wanted.fleet, wanted.match, wanted.rows, wanted.width, wanted.place]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => onWidth(element.clientWidth));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', draw);
      cancelAnimationFrame(frame.current);
    };
  }, []);
  return draw;
}

/** Scrolls a row that is not visible to the middle. */
function scrollTo(box: HTMLElement, row: number, { cellHeight }: HeatMapLayout): void {
  const y = row * cellHeight;
  if (y < box.scrollTop || y + cellHeight > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
}

function namesAt(fleet: Fleet, match: Match, rows: Uint32Array, { row, column }: Place) {
  const cluster = fleet.clusters[rows[row] ?? -1]?.name;
  const at = match.columns[column];
  const addon = at === undefined ? undefined : fleet.addons[at]?.name;
  if (cluster === undefined || addon === undefined || at === undefined) return undefined;
  const index = cellIndex(fleet, rows[row] ?? 0, at);
  const state = lookOf(CELL_STATES[fleet.states[index] ?? 0] ?? 'absent').word;
  const facts = [state, fleet.texts.at(fleet.versions[index]), fleet.texts.at(fleet.reasons[index])].filter(Boolean);
  return { cluster, addon, says: `${addon} on ${cluster}: ${facts.join(', ')}` };
}

interface Scene {
  readonly fleet: Fleet;
  readonly match: Match;
  readonly rows: Uint32Array;
  readonly layout: HeatMapLayout;
  readonly place: Place | undefined;
  /** The width for which the layout was computed. */
  readonly width: number;
}

function paint(canvas: HTMLCanvasElement, box: HTMLElement, { fleet, match, rows, layout, place }: Scene): void {
  const height = box.clientHeight;
  const width = box.clientWidth;
  const density = devicePixelRatio;
  if (canvas.width !== width * density || canvas.height !== height * density) {
    canvas.width = width * density;
    canvas.height = height * density;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  const colours = tones(canvas);
  const { from, to, y } = visibleRows(layout, box.scrollTop, height);
  // Draw in one pass per state, which keeps the number of colour changes small.
  for (const [state, look] of LOOKS.entries()) {
    const long = Math.round((layout.cellWidth - 3) * FILL[look.tone]);
    if (long === 0) continue;
    context.fillStyle = colours[look.tone];
    for (let position = from; position < to; position++) {
      const row = rows[position] ?? 0;
      for (let column = 0; column < match.columns.length; column++) {
        const index = cellIndex(fleet, row, match.columns[column] ?? 0);
        if (fleet.states[index] !== state) continue;
        context.fillRect(column * layout.cellWidth, y + (position - from) * layout.cellHeight, long, layout.cellHeight - 1);
      }
    }
  }
  if (place !== undefined) {
    context.strokeStyle = colours.none;
    context.strokeRect(
      place.column * layout.cellWidth - 0.5,
      place.row * layout.cellHeight - box.scrollTop - 1,
      layout.cellWidth - 2,
      layout.cellHeight + 1,
    );
  }
}

function tones(element: Element): Readonly<Record<Tone, string>> {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    good: colour('good-soft'),
    move: colour('move'),
    wait: colour('wait'),
    warn: colour('warn'),
    bad: colour('bad'),
    none: colour('ink'),
  };
}
