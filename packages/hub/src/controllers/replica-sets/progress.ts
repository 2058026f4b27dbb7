import type { ManifestWorkSpec } from '@outrigger/api';
import { type Condition, TIME_ROUNDING_MS, findCondition, parseTime } from '@outrigger/core';
import type { ReplicaSetWorkProjection } from '../../resources/replica-set-works.js';

/** The progress of one work towards its current spec, according to its agent. */
export interface WorkProgress {
  /** `applying`: the agent has not reported this generation of the work yet. */
  readonly phase: 'applying' | 'progressing' | 'failed' | 'succeeded';
  /** The latest instant at which the phase can have started, in milliseconds since the epoch. Stored times have whole seconds. */
  readonly since: number;
}

/** Whether a condition rule of the template computes Progressing. Agents report that condition only if there is such a rule. */
export function reportsProgress({ manifestConfigs = [] }: ManifestWorkSpec): boolean {
  return manifestConfigs.some(({ conditionRules = [] }) => conditionRules.some(({ condition }) => condition === 'Progressing'));
}

/**
 * Evaluates the reports about a work. A work that reports Progressing is judged by Progressing and Degraded. A work that cannot report
 * Progressing has succeeded when its objects are applied and available. Conditions from an older generation are ignored.
 */
export function progressOf(work: ReplicaSetWorkProjection, needsProgressing: boolean): WorkProgress {
  const { conditions, generation, writtenAt = 0 } = work;
  const isCurrent = (condition: Condition | undefined): condition is Condition => condition?.observedGeneration === generation;
  const since = (...seen: readonly Condition[]): number =>
    TIME_ROUNDING_MS + Math.max(writtenAt, ...seen.map(({ lastTransitionTime }) => parseTime(lastTransitionTime) ?? 0));
  const applying: WorkProgress = { phase: 'applying', since: since() };

  const applied = findCondition(conditions, 'Applied');
  if (!isCurrent(applied) || applied.status !== 'True') return applying;
  const progressing = findCondition(conditions, 'Progressing');
  if (!progressing && !needsProgressing) {
    const available = findCondition(conditions, 'Available');
    const isUp = isCurrent(available) && available.status === 'True';
    return isUp ? { phase: 'succeeded', since: since(applied, available) } : { phase: 'progressing', since: since(applied) };
  }
  const degraded = findCondition(conditions, 'Degraded');
  if (!isCurrent(progressing) || (degraded && !isCurrent(degraded))) return applying;
  if (progressing.status === 'False') return { phase: 'succeeded', since: since(progressing) };
  const hasFailed = progressing.status === 'True' && degraded?.status === 'True';
  return { phase: hasFailed ? 'failed' : 'progressing', since: since(progressing) };
}
