import type { AnalysisState } from '@outrigger/api';
import { parseTime, toTime } from '@outrigger/core';
import { type AnalysisGate, analysisStanding } from './analysis.js';
import type { CompiledPolicy } from './compile.js';
import type { Decisions } from './decisions.js';
import { type GateGroup, type Hold, type RecordedGates, groupKey, waitingIn } from './hold.js';

/** A measurement that a group still needs. */
export interface DueMeasurement {
  readonly policy: string;
  readonly analysis: AnalysisGate;
  readonly group: string;
  readonly dueAt: number;
  /** The measurements so far. */
  readonly state: AnalysisState | undefined;
}

export interface AnalysisOutcome {
  readonly holds: readonly Hold[];
  readonly due: readonly DueMeasurement[];
  /** The first analysis that failed or was inconclusive; it halts the rollout. */
  readonly failure: AnalysisFailure | undefined;
  /** When the first override of an analysis gate expires. */
  readonly changesAt: number | undefined;
}

export interface AnalysisFailure {
  readonly gate: string;
  readonly group: string;
  readonly result: 'Failed' | 'Inconclusive';
  readonly message: string;
}

/** A group is measured once all of its clusters are admitted; later groups, or the end of the rollout, wait for the result. */
export function analysisGates(input: {
  readonly policies: readonly CompiledPolicy[];
  readonly decisions: Decisions | undefined;
  readonly revision: number;
  readonly groups: readonly GateGroup[];
  readonly before: RecordedGates | undefined;
  readonly now: number;
}): AnalysisOutcome {
  const { policies, decisions, revision, groups, before, now } = input;
  const holds: Hold[] = [];
  const due: DueMeasurement[] = [];
  let failure: AnalysisFailure | undefined;
  let changesAt: number | undefined;
  const gates = policies.flatMap(({ name: policy, analyses }) =>
    analyses.map((analysis) => ({ policy, analysis, name: `${policy}/${analysis.name}` })),
  );
  for (const { policy, analysis, name } of gates) {
    const override = decisions?.override(name, now);
    if (override?.endsAt !== undefined) changesAt = Math.min(changesAt ?? override.endsAt, override.endsAt);
    for (const [i, one] of groups.entries()) {
      if (one.size === 0) continue;
      const group = groupKey(one);
      const isIt = (item: { readonly name: string; readonly group?: string }): boolean => item.name === name && item.group === group;
      const state = before?.analysis?.find((item) => isIt(item) && item.revision === revision);
      const standing = analysisStanding(analysis, state);
      const isReached = one.isReached && one.waiting.length === 0;
      const since = parseTime(before?.waitingFor?.find((item) => isIt(item) && item.kind === 'Analysis')?.since) ?? now;
      if (isReached && standing === 'Measuring') {
        const last = parseTime(state?.at);
        due.push({
          policy,
          analysis,
          group,
          state,
          dueAt: last === undefined ? since + analysis.initialDelayMs : last + analysis.intervalMs,
        });
      }
      if (!analysis.isEnforced || override || standing === 'Passed') continue;
      const later = groups.slice(i + 1);
      const isStopped = standing !== 'Measuring';
      if (isStopped) failure ??= { gate: name, group, result: standing, message: stoppedMessage(analysis, standing, state) };
      holds.push({
        wait: {
          kind: 'Analysis',
          name,
          group,
          message: isStopped ? stoppedMessage(analysis, standing, state) : measuringMessage(analysis, state),
          digest: analysis.digest,
        },
        held: waitingIn(isStopped ? groups : later),
        isReached,
        holdsCompletion: true,
      });
    }
  }
  return { holds, due, failure, changesAt };
}

function measuringMessage({ count, isEnforced }: AnalysisGate, state: AnalysisState | undefined): string {
  const { passed = 0, failed = 0, inconclusive = 0 } = state ?? {};
  const taken = passed + failed;
  const unclear = inconclusive > 0 ? `, ${inconclusive} inconclusive` : '';
  return `${isEnforced ? 'measuring' : 'observing'}: ${taken} of ${count} measurements${unclear}`;
}

function stoppedMessage(
  { failureLimit, inconclusiveLimit }: AnalysisGate,
  standing: 'Failed' | 'Inconclusive' | 'Passed',
  state: AnalysisState | undefined,
): string {
  const last = state?.message === undefined ? '' : `: ${state.message}`;
  if (standing === 'Failed') return `${state?.failed ?? 0} measurements failed, ${failureLimit} may${last}`;
  return `${state?.inconclusive ?? 0} measurements were inconclusive, the limit is ${inconclusiveLimit}${last}`;
}

/** Adds the outcome of a measurement to the rollout's status, which keeps the latest 20 analyses. */
export function withMeasurement(
  states: readonly AnalysisState[],
  measured: { readonly gate: string; readonly group: string; readonly revision: number },
  outcome: { readonly result: 'Pass' | 'Fail' | 'Inconclusive'; readonly message: string; readonly at: number },
): readonly AnalysisState[] {
  const isIt = (one: AnalysisState): boolean =>
    one.name === measured.gate && one.group === measured.group && one.revision === measured.revision;
  const old = states.find(isIt);
  const add = (result: typeof outcome.result, count: number | undefined): number => (count ?? 0) + (outcome.result === result ? 1 : 0);
  const next: AnalysisState = {
    name: measured.gate,
    group: measured.group,
    revision: measured.revision,
    passed: add('Pass', old?.passed),
    failed: add('Fail', old?.failed),
    inconclusive: add('Inconclusive', old?.inconclusive),
    result: outcome.result,
    at: toTime(outcome.at),
    message: outcome.message,
  };
  return [next, ...states.filter((one) => !isIt(one))].slice(0, MAX_STATES);
}

const MAX_STATES = 20;
