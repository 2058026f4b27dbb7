import type { Forecast, Progress } from '@outrigger/console-contract';
import type { JSX } from 'preact';
import { formatClock } from '../parts/time.js';
import { useWidth } from '../parts/use-width.js';

const HEIGHT = 168;
const LEFT = 40;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 24;
const MOST_POINTS = 400;
/** Below this width, two full dates do not fit below the chart. */
const NARROW = 420;

interface Chart {
  readonly progress: Progress;
  readonly forecast: Forecast;
  readonly failureBudget: number | undefined;
  readonly from: number;
  readonly to: number;
  /** The time that the replay shows; undefined for the current time. */
  readonly at: number | undefined;
}

/** Shows succeeded and failed clusters over time, the failure budget, and the expected end. */
export function BurnUp(chart: Chart): JSX.Element {
  const [box, width] = useWidth<HTMLDivElement>();
  return (
    <div class="chart" ref={box}>
      {width > 0 && <Drawing chart={chart} width={width} />}
    </div>
  );
}

function Drawing({ chart, width }: { chart: Chart; width: number }): JSX.Element {
  const { progress, forecast, failureBudget, from, to, at } = chart;
  const endsAt = forecast.endsAt === undefined ? undefined : Date.parse(forecast.endsAt);
  const until = Math.max(to, endsAt ?? 0);
  const total = Math.max(1, progress.selected);
  const x = (time: number) => LEFT + ((Math.min(time, until) - from) / (until - from)) * (width - LEFT - RIGHT);
  const y = (count: number) => TOP + (1 - count / total) * (HEIGHT - TOP - BOTTOM);
  const steps = (pick: (point: Progress['points'][number]) => number): string =>
    `M${x(from)} ${y(0)}${drawn(progress.points)
      .map((point) => `H${x(Date.parse(point.at)).toFixed(1)}V${y(pick(point)).toFixed(1)}`)
      .join('')}H${x(to).toFixed(1)}`;
  const last = progress.points.at(-1);
  const done = last?.done ?? 0;
  const failed = last?.failed ?? 0;
  const shown = steps((point) => point.done);
  const ends = forecast.endsAt === undefined ? '' : `, expected end ${formatClock(Date.parse(forecast.endsAt))}`;
  const clock = (time: number, day?: number) => formatClock(time, day, width < NARROW);
  return (
    <svg
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`${done} of ${progress.selected} clusters have arrived and ${failed} have failed since ${formatClock(from)}${ends}`}
    >
      <path class="axis" d={`M${LEFT} ${y(total)}H${width - RIGHT}M${LEFT} ${y(0)}H${width - RIGHT}`} />
      <text class="tick" x={LEFT - 6} y={y(total) + 4} text-anchor="end">
        {total.toLocaleString()}
      </text>
      <text class="tick" x={LEFT - 6} y={y(0) + 4} text-anchor="end">
        0
      </text>
      <path class="area" d={`${shown}V${y(0)}Z`} />
      <path class="curve" d={shown} />
      {failureBudget !== undefined && failureBudget > 0 && failureBudget < total && (
        <>
          <path class="limit" d={`M${LEFT} ${y(failureBudget)}H${width - RIGHT}`} />
          <text class="tick limit-text" x={width - RIGHT} y={y(failureBudget) - 4} text-anchor="end">
            failure budget {failureBudget}
          </text>
        </>
      )}
      {failed > 0 && <path class="curve failed" d={steps((point) => point.failed)} />}
      {endsAt !== undefined && endsAt > to && <path class="guess" d={`M${x(to)} ${y(done)}L${x(endsAt)} ${y(total)}`} />}
      {at !== undefined && <path class="cursor" d={`M${x(at)} ${TOP}V${HEIGHT - BOTTOM}`} />}
      <text class="tick" x={LEFT} y={HEIGHT - 7}>
        {clock(from)}
      </text>
      <text class="tick" x={x(until)} y={HEIGHT - 7} text-anchor="end">
        {clock(until, from)}
      </text>
    </svg>
  );
}

/** Returns evenly selected points, always with the last one. They are enough for a line that is a few hundred pixels wide. */
function drawn(points: Progress['points']): Progress['points'] {
  const step = points.length / MOST_POINTS;
  return step <= 1
    ? points
    : points.filter((_, index) => index === points.length - 1 || Math.floor((index + 1) / step) > Math.floor(index / step));
}
