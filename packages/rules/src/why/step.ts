import type { Condition } from '@outrigger/core';
import type { AddOnState } from '../explanation/state.js';

/** The fields of a condition that determine the step. */
export type StepCondition = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The conditions for the steps that come before an add-on's health, in the order of the steps. */
export type BrokenCondition = 'Configured' | 'Progressing' | 'RegistrationApplied' | 'ManifestApplied';

/**
 * The first step that has not succeeded for an installed add-on, according to its conditions; `available` if all steps have succeeded.
 * `outrigger why` and the console both derive the state of an add-on from this step.
 */
export type ReportedStep<C extends StepCondition> =
  | { readonly type: 'removing' }
  | { readonly type: 'broken'; readonly condition: BrokenCondition; readonly found: C }
  | { readonly type: 'dependency-missing'; readonly found: C }
  /** No manager renders the add-on. */
  | { readonly type: 'unrendered' }
  | { readonly type: 'progressing'; readonly found: C }
  /** Neither an agent nor another manager has reported whether the add-on is available. */
  | { readonly type: 'unreported' }
  | { readonly type: 'unavailable'; readonly found: C }
  /** The add-on is available, but degraded because of an optional dependency. */
  | { readonly type: 'degraded'; readonly found: C }
  | { readonly type: 'available'; readonly found: C };

export interface StepInput<C extends StepCondition> {
  readonly isDeleting: boolean;
  readonly isUnrendered: boolean;
  readonly find: (type: BrokenCondition | 'Available' | 'Degraded') => C | undefined;
}

export function reportedStep<C extends StepCondition>({ isDeleting, isUnrendered, find }: StepInput<C>): ReportedStep<C> {
  if (isDeleting) return { type: 'removing' };
  const broken = brokenStep(find);
  if (broken) return broken;
  const degraded = find('Degraded');
  if (degraded?.status === 'True' && degraded.reason === 'RequiredDependencyNotSatisfied')
    return { type: 'dependency-missing', found: degraded };
  if (isUnrendered) return { type: 'unrendered' };
  const progressing = find('Progressing');
  if (progressing?.status === 'True') return { type: 'progressing', found: progressing };
  const available = find('Available');
  if (!available) return { type: 'unreported' };
  if (available.status !== 'True') return { type: 'unavailable', found: available };
  return degraded?.status === 'True' ? { type: 'degraded', found: degraded } : { type: 'available', found: available };
}

/** Returns the state of an installed add-on. If the cluster is unreachable, so is the add-on, because its report may be outdated. */
export function stateOfStep(step: ReportedStep<StepCondition>, isReachable: boolean): Exclude<AddOnState, 'absent'> {
  if (step.type === 'removing') return 'removing';
  if (!isReachable) return 'unreachable';
  switch (step.type) {
    case 'broken':
      return 'failed';
    case 'dependency-missing':
    case 'unrendered':
      return 'blocked';
    case 'unreported':
      return 'waiting';
    case 'unavailable':
      return step.found.status === 'Unknown' ? 'unknown' : 'unavailable';
    case 'progressing':
    case 'degraded':
    case 'available':
      return step.type;
  }
}

const BROKEN: readonly { readonly condition: BrokenCondition; readonly isBroken: (found: StepCondition) => boolean }[] = [
  { condition: 'Configured', isBroken: ({ status, reason }) => status === 'False' && reason !== 'ConfigurationsNotConfigured' },
  { condition: 'Progressing', isBroken: ({ reason }) => reason === 'Failed' },
  { condition: 'RegistrationApplied', isBroken: ({ status, reason }) => status === 'False' && reason === 'SetPermissionFailed' },
  { condition: 'ManifestApplied', isBroken: ({ status }) => status === 'False' },
];

/** Returns the first step that has not succeeded, among the steps that come before the add-on's health. */
export function brokenStep<C extends StepCondition>(
  find: StepInput<C>['find'],
): Extract<ReportedStep<C>, { readonly type: 'broken' }> | undefined {
  for (const { condition, isBroken } of BROKEN) {
    const found = find(condition);
    if (found && isBroken(found)) return { type: 'broken', condition, found };
  }
  return undefined;
}
