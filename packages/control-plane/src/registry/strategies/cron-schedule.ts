import { errorMessage, lazy, parseDurationNanos } from '@outrigger/core';

/** A field of a schedule: its smallest and largest value, and the names of its values from `first` on. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const DESCRIPTORS: readonly string[] = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';

/** Returns the reason why a schedule of a CronJob is invalid, with kube-apiserver's message, or undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    checkSchedule(schedule);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function checkSchedule(schedule: string): void {
  const zone = /^(?:CRON_)?TZ=([^ ]*)(?: (.*))?$/s.exec(schedule);
  if (zone?.[2] === undefined && zone) throw new Error('invalid schedule format: runtime error: slice bounds out of range [:-1]');
  if (zone && !isTimeZone(zone[1] ?? '')) throw new Error(`provided bad location ${zone[1]}: unknown time zone ${zone[1]}`);
  const times = zone ? (zone[2] ?? '').trim() : schedule;
  if (times.startsWith('@')) return checkDescriptor(times);
  const fields = times.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length)
    throw new Error(`expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  for (const [i, bounds] of FIELDS.entries()) for (const range of (fields[i] ?? '').split(',')) if (range !== '') checkRange(range, bounds);
}

function checkDescriptor(descriptor: string): void {
  if (DESCRIPTORS.includes(descriptor)) return;
  if (!descriptor.startsWith(EVERY)) throw new Error(`unrecognized descriptor: ${descriptor}`);
  try {
    parseDurationNanos(descriptor.slice(EVERY.length));
  } catch (error) {
    throw new Error(`failed to parse duration ${descriptor}: ${errorMessage(error)}`);
  }
}

/** Checks `*`, `?`, a value, or `first-last`, each with an optional `/step`. */
function checkRange(text: string, { min, max, names }: Bounds): void {
  const [values = '', stepText, ...more] = text.split('/');
  const [low = '', high, ...surplus] = values.split('-');
  const isAny = low === '*' || low === '?';
  const start = isAny ? min : valueOf(low, names, min);
  if (!isAny && surplus.length > 0) throw new Error(`too many hyphens: ${text}`);
  const last = isAny ? max : high === undefined ? start : valueOf(high, names, min);
  if (more.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : valueOf(stepText);
  const end = stepText !== undefined && high === undefined ? max : last;
  if (start < min) throw new Error(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new Error(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
}

function valueOf(text: string, names: readonly string[] = [], first = 0): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + first;
  const value = Number(text);
  const why = !/^[-+]?[0-9]+$/.test(text) ? 'invalid syntax' : !Number.isSafeInteger(value) ? 'value out of range' : undefined;
  if (why !== undefined) throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`);
  if (value < 0) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/** Returns the reasons why a time zone of a CronJob is invalid. */
export function timeZoneProblems(zone: string): readonly string[] {
  if (zone === '') return ['timeZone must be nil or non-empty string'];
  return [
    ...(zone.toLowerCase() === 'local' ? ['timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'] : []),
    ...(isTimeZone(zone) ? [] : [`unknown time zone ${zone}`]),
  ];
}

/** Whether a time zone exists. Its name is case-sensitive, as the name of a file. Some old names are accepted in any case. */
function isTimeZone(zone: string): boolean {
  if (zone === '' || zone === 'Local') return true;
  if (!/^[A-Za-z][-+\w/]*$/.test(zone)) return false;
  const listed = zones().get(zone.toLowerCase());
  return listed === undefined ? isAlias(zone) : listed === zone;
}

const zones: () => ReadonlyMap<string, string> = lazy(
  () => new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone])),
);

function isAlias(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
