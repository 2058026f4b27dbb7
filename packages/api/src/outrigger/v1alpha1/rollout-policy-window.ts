import type { ValidationRule } from '@outrigger/core/schema';
import { atomicList, enumeration, object, optional, required, string, withDefault } from '../../schema/builders.js';
import { QUALIFIED_NAME_PATTERN, labelSelector } from '../../schema/common.js';
import type { FieldDefinition, TypeDefinition } from '../../schema/types.js';
import { duration } from './rollout-policy-parts.js';

/** Matches any five fields. The admission review parses the values, ranges, steps and lists in them. */
const CRON_PATTERN = '^ *[^ ]+( +[^ ]+){4} *$';

const SHORT_MONTH = '(0?[2469]|11|feb|apr|jun|sep|nov)';
const FEBRUARY = '(0?2|feb)';
const list = (item: string): string => `${item}(,${item})*`;

/**
 * Returns a pattern that matches schedules that never start, such as those for February 30, because no month in the schedule has any of its
 * days. The day of week in such a schedule starts with `*`, so it adds no days.
 */
const neverFires = (day: string, month: string): string => `(?i)^ *[^ ]+ +[^ ]+ +${list(day)} +${list(month)} +[*][^ ]* *$`;
const NEVER_FIRES = [
  neverFires('3[01](-3[01](/[0-9]+)?)?', `${FEBRUARY}(-${FEBRUARY}(/[0-9]+)?)?`),
  neverFires('31(-31(/[0-9]+)?)?', `(${SHORT_MONTH})`),
];
const SCHEDULE_FIRES: ValidationRule = {
  rule: NEVER_FIRES.map((pattern) => `!self.matches('${pattern}')`).join(' && '),
  message: 'the schedule never fires: no month it names has that day',
};

/** Matches a wall-clock time in the time zone of the window, or an instant with an offset. */
const MOMENT_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?$';
const OFFSET_PATTERN = '.*(Z|[+-][0-9]{2}:[0-9]{2})$';
const EXISTING_DAY: ValidationRule = {
  rule: "timestamp(self.matches('^.{16}:.*') ? self.substring(0, 19) + 'Z' : self.substring(0, 16) + ':00Z') > timestamp('1970-01-01T00:00:00Z')",
  message: 'no such day or time of day',
};
const moment = (): TypeDefinition => string({ maxLength: 32, pattern: MOMENT_PATTERN, 'x-kubernetes-validations': [EXISTING_DAY] });
const hasOffset = (field: string): string => `self.${field}.matches('${OFFSET_PATTERN}')`;
const wall = (field: string): string => `timestamp((self.${field}.matches('^.{16}:.*') ? self.${field} : self.${field} + ':00') + 'Z')`;
const instant = (field: string): string =>
  `timestamp(self.${field}.matches('^.{16}:.*') ? self.${field} : self.${field}.substring(0, 16) + ':00' + self.${field}.substring(16))`;
/** The length of the period. Wall-clock times are computed as UTC, so a change to or from daylight saving time is not considered. */
const period = `(${hasOffset('until')} ? ${instant('until')} - ${instant('from')} : ${wall('until')} - ${wall('from')})`;

const zoneFrom: TypeDefinition = object('WindowTimeZoneSource', 'Where each cluster names its time zone.', {
  annotation: required(
    'Annotation of the ManagedCluster whose value is an IANA time zone. If it is missing or unknown, `timeZone` applies.',
    string({ minLength: 1, maxLength: 316, pattern: QUALIFIED_NAME_PATTERN }),
  ),
});

/** Returns the schema of a window: times at which clusters may or may not be admitted. */
export function window(name: FieldDefinition): TypeDefinition {
  return object(
    'PolicyWindow',
    'A time in which clusters may be admitted, or may not. Clusters in flight finish.',
    {
      name,
      effect: required(
        '`Allow`: clusters are admitted only inside. `Deny`: clusters are not admitted inside.',
        enumeration('Allow', 'Deny'),
      ),
      schedule: optional(
        'Five-field cron: minute, hour, day of month, month, day of week. The window opens at these times for `duration`.',
        string({ minLength: 9, maxLength: 256, pattern: CRON_PATTERN, 'x-kubernetes-validations': [SCHEDULE_FIRES] }),
      ),
      duration: optional('How long the window stays open, in elapsed time, such as `4h`.', duration()),
      from: optional('Start of a single period: `2026-12-20T00:00` in the time zone, or with an offset `2026-12-20T00:00:00Z`.', moment()),
      until: optional('End of a single period, written like `from`.', moment()),
      timeZone: optional(
        'IANA time zone, such as `Europe/Berlin`. Default: UTC.',
        string({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' }),
      ),
      timeZoneFrom: optional('Takes the time zone from each cluster.', zoneFrom),
      clusters: optional('Labels of the ManagedClusters that it is about; all if absent.', labelSelector),
      for: optional(
        'The changes that it is about.',
        withDefault(atomicList(enumeration('Upgrade', 'Install', 'Remove'), { minItems: 1, maxItems: 3 }), ['Upgrade']),
      ),
      lastAdmission: optional('No cluster is admitted this long before an Allow window closes.', duration()),
    },
    [
      {
        rule: 'has(self.schedule) != (has(self.from) || has(self.until))',
        message: 'set `schedule` with `duration`, or `from` with `until`',
      },
      { rule: 'has(self.schedule) == has(self.duration)', message: '`schedule` and `duration` belong together', fieldPath: '.duration' },
      { rule: 'has(self.from) == has(self.until)', message: '`from` and `until` belong together', fieldPath: '.until' },
      {
        rule: `!has(self.from) || !has(self.until) || (${hasOffset('from')} == ${hasOffset('until')})`,
        message: 'write `from` and `until` both with an offset or both without',
        fieldPath: '.until',
      },
      {
        rule: `!has(self.from) || !has(self.until) || (${hasOffset('from')} && ${hasOffset('until')} ? ${instant('from')} < ${instant('until')} : self.from.substring(0, 16) < self.until.substring(0, 16))`,
        message: '`until` must be later than `from`',
        fieldPath: '.until',
      },
      {
        rule: "!has(self.lastAdmission) || self.effect == 'Allow'",
        message: '`lastAdmission` belongs to Allow windows',
        fieldPath: '.lastAdmission',
      },
      {
        rule: '!has(self.lastAdmission) || !has(self.duration) || duration(self.lastAdmission) < duration(self.duration)',
        message: '`lastAdmission` must be shorter than `duration`: the window would never admit a cluster',
        fieldPath: '.lastAdmission',
      },
      {
        rule: `!has(self.lastAdmission) || !has(self.from) || !has(self.until) || ${hasOffset('from')} != ${hasOffset('until')} || duration(self.lastAdmission) < ${period}`,
        message: '`lastAdmission` must be shorter than the time from `from` to `until`: the window would never admit a cluster',
        fieldPath: '.lastAdmission',
      },
    ],
  );
}
