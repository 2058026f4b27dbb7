import { CostPool, errorMessage, parseDuration } from '@outrigger/core';
import { CelBudgetError, CelEvaluationError, compileExpression } from '@outrigger/core/cel';
import { parseCron } from '../calendar/cron.js';
import { AGENT_ANNOTATION_PREFIX } from '../constants.js';
import { zoneOf } from '../calendar/zone.js';
import type { PolicyAnalysis, PolicyWindow, RolloutPolicy } from '../generated/outrigger.js';
import { parseTemplateText } from '../template/placeholders.js';
import { ALLOWED, allowedWith, invalid } from './result.js';
import type { AdmissionResult, AdmissionSettings } from './types.js';

/** The variables that a query may contain. */
export const QUERY_VARIABLES = ['ADDON', 'REVISION', 'ENTRY'] as const;
/** The variables that the expression `success` may use. `result` is the measured value. */
export const SUCCESS_VARIABLES = { result: 'double' } as const;

/** The metrics providers and notification addresses that flags of the manager define. If a list is undefined, its names are not checked. */
type Outside = Pick<AdmissionSettings, 'analysisProviders' | 'notificationUrls'>;

/** An error in one field of a RolloutPolicy. */
export interface PolicyProblem {
  readonly field: string;
  readonly problem: string;
}

/**
 * Returns the errors in a RolloutPolicy that its schema cannot find: in schedules, time zones, queries and expressions, and in the names of
 * metrics providers and notification addresses. The manager treats a policy with errors as unreadable and admits no cluster of the add-ons
 * that the policy governs.
 */
export function rolloutPolicyProblems({ spec }: RolloutPolicy, outside: Outside = {}): readonly PolicyProblem[] {
  const windows = (spec.windows ?? []).flatMap((window, index) => windowProblems(window, `spec.windows[${index}]`));
  const analyses = (spec.analysis ?? []).flatMap((analysis, index) =>
    analysisProblems(analysis, `spec.analysis[${index}]`, outside.analysisProviders),
  );
  const notify = (spec.notify ?? []).flatMap(({ url }, index) => notifyProblems(url, `spec.notify[${index}]`, outside.notificationUrls));
  return [...windows, ...analyses, ...notify];
}

export function reviewRolloutPolicy(object: RolloutPolicy, old: RolloutPolicy | undefined, settings: AdmissionSettings): AdmissionResult {
  const before = new Set(old ? rolloutPolicyProblems(old, settings).map(({ field, problem }) => `${field}: ${problem}`) : []);
  const added = rolloutPolicyProblems(object, settings).filter(({ field, problem }) => !before.has(`${field}: ${problem}`));
  const [first] = added;
  if (first) return invalid(first.field, added.map(({ field, problem }, i) => (i === 0 ? problem : `${field}: ${problem}`)).join('; '));
  const warnings = overlapWarnings(object);
  return warnings.length > 0 ? allowedWith({ warnings }) : ALLOWED;
}

function windowProblems({ schedule, timeZone, timeZoneFrom }: PolicyWindow, path: string): readonly PolicyProblem[] {
  const found: PolicyProblem[] = [];
  if (schedule !== undefined) {
    const parsed = parseCron(schedule);
    if ('problem' in parsed) found.push({ field: `${path}.schedule`, problem: parsed.problem });
  }
  if (timeZone !== undefined && !zoneOf(timeZone)) {
    found.push({ field: `${path}.timeZone`, problem: `"${timeZone}" is no IANA time zone; use a name such as Europe/Berlin or UTC` });
  }
  if (timeZoneFrom?.annotation?.startsWith(`${AGENT_ANNOTATION_PREFIX}/`)) {
    const problem = 'agents write annotations with this prefix, and a cluster must not choose when it is admitted; use another annotation';
    found.push({ field: `${path}.timeZoneFrom.annotation`, problem });
  }
  return found;
}

function analysisProblems(
  { provider, query, success }: PolicyAnalysis,
  path: string,
  providers: readonly string[] | undefined,
): readonly PolicyProblem[] {
  const found: PolicyProblem[] = [];
  const parsed = parseTemplateText(query);
  if ('problem' in parsed) found.push({ field: `${path}.query`, problem: parsed.problem });
  else {
    for (const part of parsed.parts) {
      if (typeof part === 'string' || (QUERY_VARIABLES as readonly string[]).includes(part.variable)) continue;
      const known = QUERY_VARIABLES.map((name) => `{{${name}}}`).join(', ');
      found.push({ field: `${path}.query`, problem: `unknown variable {{${part.variable}}}; a query may use ${known}` });
    }
  }
  if (success !== undefined) {
    const problem = successProblem(success);
    if (problem !== undefined) found.push({ field: `${path}.success`, problem });
  }
  if (providers && !providers.includes(provider)) {
    const known = providers.length > 0 ? `it has ${[...providers].sort().join(', ')}` : 'it has none';
    found.push({ field: `${path}.provider`, problem: `the manager has no metrics provider "${provider}"; ${known}` });
  }
  return found;
}

function notifyProblems(url: string, path: string, known: readonly string[] | undefined): readonly PolicyProblem[] {
  if (!known || known.includes(url)) return [];
  const names = known.length > 0 ? `it has ${[...known].sort().join(', ')}` : 'it has none';
  return [{ field: `${path}.url`, problem: `the manager has no address "${url}" for notifications; ${names}` }];
}

/** Compiles the expression and evaluates it once, because the type of the result may be known only at run time. */
function successProblem(success: string): string | undefined {
  try {
    const compiled = compileExpression(success, { variables: SUCCESS_VARIABLES, result: 'bool' });
    const value = compiled.evaluate({ result: 0.5 }, new CostPool(SAMPLE_COST));
    return typeof value === 'boolean' ? undefined : `the expression must give true or false, not ${JSON.stringify(value)}`;
  } catch (error) {
    // The expression may fail for this sample value but not for others, so this is not an error.
    if (error instanceof CelEvaluationError || error instanceof CelBudgetError) return undefined;
    return errorMessage(error);
  }
}

const SAMPLE_COST = 100_000;

/**
 * Warns about windows that start again before they close. The overlapping periods are merged, but usually indicate a mistake in the
 * duration.
 */
function overlapWarnings({ spec }: RolloutPolicy): readonly string[] {
  return (spec.windows ?? []).flatMap(({ schedule, duration }, index) => {
    const parsed = schedule === undefined ? undefined : parseCron(schedule);
    if (!parsed || 'problem' in parsed || duration === undefined) return [];
    const { minutes, hours } = parsed.schedule;
    const starts = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
    const [first = 0] = starts;
    const shortest = Math.min(...starts.map((start, i) => (starts[i + 1] ?? first + DAY_MINUTES) - start));
    if (parseDuration(duration) <= shortest * MINUTE_MS) return [];
    return [`spec.windows[${index}]: the schedule starts again before ${duration} are over; overlapping windows unite`];
  });
}

const DAY_MINUTES = 1440;
const MINUTE_MS = 60_000;
