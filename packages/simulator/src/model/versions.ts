import type { LogEntry, Stored, Violation } from './log.js';
import { type AddOnStatus, KIND, conditionOf, statusOf } from './reading.js';

const UNKNOWN = 'unknown';

/** The version fields of an add-on's status. */
interface Versions {
  readonly last: string;
  readonly install: string;
  readonly current: string;
}

/** addons.md §4: the version fields change only as the state machine allows. */
export function judgeVersions({ kind, id, pass, before, after, index }: LogEntry): readonly Violation[] {
  if (kind !== KIND.addOns || pass?.controller !== 'addon' || !after) return [];
  const [was, is] = [versionsOf(before), versionsOf(after)];
  const isDone = conditionOf(after, 'Progressing')?.reason === 'Succeed';
  const problem = problemOf(was, is, isDone);
  if (problem === undefined) return [];
  const text = ({ last, install, current }: Versions): string => `'${last}'/'${install}'/'${current}'`;
  return [{ rule: 'versions', message: `${id}: ${text(was)} becomes ${text(is)}: ${problem}`, index }];
}

function problemOf(was: Versions, is: Versions, isDone: boolean): string | undefined {
  if (is.install === was.install) {
    if (is.last !== was.last) return 'lastVersion changes although the version acted on does not';
    if (is.current === was.current) return undefined;
    return is.current === is.install && isDone ? undefined : 'currentVersion changes to a version that is not done';
  }
  const isKnown = was.install === '' || was.install === was.current;
  if (is.last !== was.install && (isKnown || is.last !== UNKNOWN)) return `lastVersion must be '${was.install}'`;
  if (is.current === UNKNOWN || (is.current === is.install && isDone)) return undefined;
  return 'currentVersion must be unknown until the version is done';
}

function versionsOf(addOn: Stored | undefined): Versions {
  const { lastVersion = '', installVersion = '', currentVersion = '' } = statusOf<AddOnStatus>(addOn);
  return { last: lastVersion, install: installVersion, current: currentVersion };
}
