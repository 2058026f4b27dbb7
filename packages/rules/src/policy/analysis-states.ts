import type { AnalysisState } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import type { MeasurementOutcome } from './measurement.js';

/** The maximum number of analysis states in the record of an entry. The record keeps the newest states. */
export const MAX_ANALYSIS_STATES = 20;

/** The analysis, group and revision that a state describes. */
export interface AnalysisKey {
  readonly name: string;
  readonly group: string;
  readonly revision: number;
}

export function isStateOf(state: AnalysisState, { name, group, revision }: AnalysisKey): boolean {
  return state.name === name && state.group === group && state.revision === revision;
}

/** The number of measurements taken so far, whatever their outcome. The number identifies the next measurement. */
export function looksOf(state: AnalysisState | undefined): number {
  const { passed = 0, failed = 0, inconclusive = 0 } = state ?? {};
  return passed + failed + inconclusive;
}

/** Adds the outcome of a measurement to the state of its analysis. */
export function addMeasurement(state: AnalysisState, { result, message }: MeasurementOutcome, at: number): AnalysisState {
  const add = (counted: MeasurementOutcome['result'], count = 0): number => count + (result === counted ? 1 : 0);
  return {
    ...state,
    passed: add('Pass', state.passed),
    failed: add('Fail', state.failed),
    inconclusive: add('Inconclusive', state.inconclusive),
    result,
    at: toTime(at),
    message,
  };
}

/** The states for the next record: the changed states first, then the recorded ones. The oldest states are dropped. */
export function withStates(recorded: readonly AnalysisState[], changed: readonly AnalysisState[]): readonly AnalysisState[] {
  if (changed.length === 0) return recorded;
  const isReplaced = (state: AnalysisState): boolean =>
    changed.some(({ name, group = '', revision }) => isStateOf(state, { name, group, revision }));
  return [...changed, ...recorded.filter((state) => !isReplaced(state))].slice(0, MAX_ANALYSIS_STATES);
}
