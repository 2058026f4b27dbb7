const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const WHOLE = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const TERM = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g;
const MAX_LENGTH = 200;
const MAX_NANOS = 2n ** 63n - 1n;
const NANOS_PER_MS = 1_000_000n;

/** Returns the nanoseconds of a duration in Go's notation (`1h30m`, `-1.5s`, `300ms`, `0`). Throws an error with Go's message. */
export function parseDurationNanos(text: string): bigint {
  if (/^[-+]?0$/.test(text)) return 0n;
  if (text.length > MAX_LENGTH || !WHOLE.test(text)) throw new Error(`time: invalid duration ${JSON.stringify(text.slice(0, MAX_LENGTH))}`);
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(TERM)) {
    const scale = UNITS.get(unit) ?? 0n;
    nanos +=
      BigInt(whole === '' ? '0' : whole) * scale + (BigInt(fraction === '' ? '0' : fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > MAX_NANOS) throw new Error(`time: invalid duration ${JSON.stringify(text)}`);
  return text.startsWith('-') ? -nanos : nanos;
}

/** Returns the milliseconds of a duration in Go's notation, as in `metav1.Duration` fields. */
export function parseDuration(text: string): number {
  const nanos = parseDurationNanos(text);
  return Number(nanos / NANOS_PER_MS) + Number(nanos % NANOS_PER_MS) / Number(NANOS_PER_MS);
}

/** Formats a duration in Go's canonical notation: `1h30m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) throw new Error(`${milliseconds} is no duration`);
  return formatDurationNanos(BigInt(Math.round(milliseconds * Number(NANOS_PER_MS))));
}

export function formatDurationNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const absolute = nanos < 0n ? -nanos : nanos;
  if (absolute < 1000n) return `${sign}${absolute}ns`;
  if (absolute < NANOS_PER_MS) return `${sign}${decimal(absolute, 1000n)}µs`;
  if (absolute < 1_000_000_000n) return `${sign}${decimal(absolute, NANOS_PER_MS)}ms`;
  const minutes = absolute / 60_000_000_000n;
  const seconds = `${decimal(absolute % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
