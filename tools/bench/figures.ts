/** A number with a unit in the prose of a document. */
export interface Figure {
  readonly text: string;
  readonly value: number;
  readonly unit: string;
  /** The digits after the decimal point. */
  readonly digits: number;
}

const FIGURE = /(?<![\d.,\w])(\d[\d,]*(?:\.(\d+))?) ?(µs|ms|s|MB|kB|GB|%|×(?! ?\d))(?!\w)/g;

/**
 * Returns the figures in the prose of a document. Skips code, links, tables that are generated from results, and parts that are marked as
 * not from a result.
 */
export function figuresIn(text: string): readonly Figure[] {
  const prose = text
    .replace(/<!-- measured: (\w+) -->[^]*?<!-- end of \1 -->/g, '')
    .replace(/<!-- not from a result: [^]*?<!-- end of \w+ -->/g, '')
    .replace(/```[^]*?```/g, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']');
  return [...prose.matchAll(FIGURE)].map(([whole, number = '', decimals = '', unit = '']) => ({
    text: whole,
    value: Number(number.replaceAll(',', '')),
    unit,
    digits: decimals.length,
  }));
}

/**
 * Returns the figures of a document that no result supports. A result supports a figure if one of its numbers has a unit of the same kind
 * and rounds to the figure. `defined` are figures that are not measured, such as limits and settings.
 */
export function unsupported(text: string, results: readonly unknown[], defined: ReadonlySet<string> = new Set()): readonly string[] {
  const quantities = results.flatMap((result) => quantitiesIn(result));
  const isSupported = ({ value, unit, digits }: Figure): boolean => {
    const { kind, scale } = UNITS[unit] ?? { kind: unit, scale: 1 };
    return quantities.some((one) => one.kind === kind && Math.abs(one.value / scale - value) <= 0.5 * 10 ** -digits + 1e-9);
  };
  return figuresIn(text)
    .filter((figure) => !defined.has(figure.text) && !isSupported(figure))
    .map((figure) => figure.text);
}

/** A number of a result: a time in milliseconds, a size in megabytes, a share in percent, or a ratio. */
interface Quantity {
  readonly kind: 'time' | 'size' | 'share' | 'ratio';
  readonly value: number;
}

const UNITS: Readonly<Record<string, { readonly kind: Quantity['kind']; readonly scale: number }>> = {
  µs: { kind: 'time', scale: 1e-3 },
  ms: { kind: 'time', scale: 1 },
  s: { kind: 'time', scale: 1_000 },
  kB: { kind: 'size', scale: 1 / 1_024 },
  MB: { kind: 'size', scale: 1 },
  GB: { kind: 'size', scale: 1_024 },
  '%': { kind: 'share', scale: 1 },
  '×': { kind: 'ratio', scale: 1 },
  times: { kind: 'ratio', scale: 1 },
  ratio: { kind: 'ratio', scale: 1 },
};

/** The unit of each field in the result of a fleet benchmark, by the end of the field's name. */
const FIELDS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/(Ms|MsPerAddOn)$/, 'ms'],
  [/[sS]econds$/, 's'],
  [/Mb$/, 'MB'],
  [/(^heapKb|KbPer)/, 'kB'],
  [/PercentOfCore$/, '%'],
  [/^installToCeiling$/, '×'],
];

function quantitiesIn(value: unknown, field = ''): readonly Quantity[] {
  if (typeof value === 'number') {
    const unit = FIELDS.find(([end]) => end.test(field))?.[1];
    return unit === undefined ? [] : [quantity(value, unit)];
  }
  if (typeof value !== 'object' || value === null) return [];
  const { value: measured, unit } = value as { readonly value?: unknown; readonly unit?: unknown };
  const own =
    typeof measured === 'number' && typeof unit === 'string' && unit.split(' ')[0] ? [quantity(measured, unit.split(' ')[0] ?? '')] : [];
  return [
    ...own,
    ...perAddOn(value),
    ...Object.entries(value).flatMap(([name, inner]) => quantitiesIn(inner, Array.isArray(value) ? field : name)),
  ];
}

/** Returns the processor time of the API server per add-on. The result contains only the total. */
function perAddOn(value: object): readonly Quantity[] {
  const { serverCpuMs, managerCpuMs, managerCpuMsPerAddOn } = value as Readonly<Record<string, number | undefined>>;
  if (serverCpuMs === undefined || !managerCpuMs || managerCpuMsPerAddOn === undefined) return [];
  return [quantity((serverCpuMs * managerCpuMsPerAddOn) / managerCpuMs, 'ms')];
}

function quantity(value: number, unit: string): Quantity {
  const { kind, scale } = UNITS[unit] ?? { kind: 'ratio' as const, scale: 1 };
  return { kind, value: value * scale };
}
