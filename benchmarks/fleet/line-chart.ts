export interface Chart {
  readonly title: string;
  readonly unit: string;
  /** The values of the horizontal axis that have labels. The axis is logarithmic. */
  readonly ticks: readonly number[];
  readonly series: readonly { readonly name: string; readonly points: readonly { readonly x: number; readonly y: number }[] }[];
}

const WIDTH = 420;
const HEIGHT = 230;
const PLOT = { left: 48, right: 12, top: 12, bottom: 44 };

/** Returns a figure with lines over a logarithmic horizontal axis, as static SVG. The classes `s0`, `s1` and `s2` color the series. */
export function lineChart({ title, unit, ticks, series }: Chart): string {
  const points = series.flatMap((one) => one.points);
  const top = niceMaximum(Math.max(...points.map(({ y }) => y), 0));
  const [first = 1, last = 1] = [ticks[0], ticks.at(-1)];
  const x = (value: number): number =>
    PLOT.left + ((WIDTH - PLOT.left - PLOT.right) * Math.log(value / first)) / Math.max(Math.log(last / first), Number.EPSILON);
  const y = (value: number): number => HEIGHT - PLOT.bottom - ((HEIGHT - PLOT.top - PLOT.bottom) * value) / top;
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(top * part).toFixed(1);
    return `<line class="axis" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${at}" y2="${at}"/><text x="${PLOT.left - 6}" y="${Number(at) + 4}" text-anchor="end">${label(top * part)}</text>`;
  });
  const labels = ticks.map(
    (tick) => `<text x="${x(tick).toFixed(1)}" y="${HEIGHT - PLOT.bottom + 16}" text-anchor="middle">${label(tick)}</text>`,
  );
  const lines = series.map(({ name, points: ofSeries }, index) => {
    const path = ofSeries.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ');
    const dots = ofSeries.map(
      (point) =>
        `<circle class="s${index}" cx="${x(point.x).toFixed(1)}" cy="${y(point.y).toFixed(1)}" r="3"><title>${name}, ${label(point.x)} clusters: ${Number(point.y.toPrecision(4))} ${unit}</title></circle>`,
    );
    return `<polyline class="s${index}" points="${path}"/>${dots.join('')}`;
  });
  const legend = series.map(({ name }, index) => {
    const at = PLOT.left + index * 125;
    return `<rect class="s${index}" x="${at}" y="${HEIGHT - 14}" width="8" height="8"/><text x="${at + 12}" y="${HEIGHT - 6}">${short(name)}</text>`;
  });
  const heading = unit === '' ? title : `${title}, ${unit}`;
  const drawing = [...grid, ...labels, ...lines, ...legend].join('');
  return `<figure><figcaption>${heading}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${heading}">${drawing}</svg></figure>`;
}

/** Returns 1, 2 or 5 times a power of ten, at least as large as the value. */
function niceMaximum(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10);
}

function label(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

function short(name: string): string {
  return name.length > 20 ? `${name.slice(0, 19)}…` : name;
}
