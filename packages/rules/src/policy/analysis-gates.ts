import type { AnalysisState } from '@outrigger/api';
import { TIME_ROUNDING_MS, countText, earliest, parseTime, roundUpToSecond, toTime } from '@outrigger/core';
import { type AnalysisGate, type AnalysisStanding, analysisStanding } from './analysis.js';
import { type AnalysisKey, MAX_ANALYSIS_STATES, addMeasurement, isStateOf, looksOf, withStates } from './analysis-states.js';
import type { CompiledPolicy } from './compile.js';
import type { GateDecisions } from './decisions.js';
import { type GateGroup, type Hold, type RecordedGates, groupKey, waitingIn } from './hold.js';
import { type ComparedTimes, comparedTimes } from './compared-times.js';
import { type AnswerAt, type Measured, type ProviderAnswer, judgeMeasurement } from './measurement.js';

/** A measurement that a group still needs. */
export interface DueMeasurement {
  readonly analysis: AnalysisGate;
  readonly gate: string;
  readonly group: string;
  readonly revision: number;
  /** The number of measurements taken before this one. */
  readonly look: number;
  readonly dueAt: number;
  /**
   * For each cluster, the earlier time for which `compare` also queries a value. For a moved cluster this time is just before its own
   * admission; for a peer, just before the admission of one of the moved clusters.
   */
  readonly comparedAt: ComparedTimes;
  readonly moved: readonly string[];
  readonly peers: readonly string[];
}

/** The provider's answers to one measurement. */
export interface TakenMeasurement {
  readonly gate: string;
  readonly group: string;
  readonly revision: number;
  readonly look: number;
  /** The time at which the answer arrived. */
  readonly at: number;
  readonly now: ProviderAnswer;
  /** The answers for the earlier times in `comparedAt`. */
  readonly before?: readonly AnswerAt[] | undefined;
  readonly comparedAt: ComparedTimes;
  /** The clusters that had moved when the measurement was requested. */
  readonly moved: readonly string[];
  readonly peers: readonly string[];
}

export interface AnalysisOutcome {
  readonly holds: readonly Hold[];
  readonly due: readonly DueMeasurement[];
  /** The analysis states for the next record. */
  readonly states: readonly AnalysisState[];
  /** The first analysis that failed or, if none failed, the first that was inconclusive. It halts the rollout. */
  readonly failure: AnalysisFailure | undefined;
  /** The earliest time at which a gate override of an analysis expires. */
  readonly changesAt: number | undefined;
}

export interface AnalysisFailure {
  readonly gate: string;
  readonly group: string;
  readonly result: 'Failed' | 'Inconclusive';
  readonly message: string;
}

export interface AnalysisInput {
  readonly policies: readonly CompiledPolicy[];
  readonly decisions: GateDecisions | undefined;
  readonly revision: number;
  readonly groups: readonly GateGroup[];
  readonly before: RecordedGates | undefined;
  /** The measurements that providers have answered and that the record does not contain yet. */
  readonly taken: readonly TakenMeasurement[];
  readonly admittedAt?: ((cluster: string) => number | undefined) | undefined;
  readonly now: number;
}

interface NamedAnalysis {
  readonly name: string;
  readonly analysis: AnalysisGate;
}

/**
 * Evaluates the analysis gates of an entry. A group is measured when all of its clusters are admitted; the groups after it, or the end of
 * the rollout, wait for the result.
 */
export function analysisGates(input: AnalysisInput): AnalysisOutcome {
  const { policies, decisions, groups, before, now } = input;
  const gates = policies.flatMap(({ name, analyses }) => analyses.map((analysis) => ({ name: `${name}/${analysis.name}`, analysis })));
  const recorded = before?.analysis ?? [];
  if (gates.length === 0) return { holds: [], due: [], states: recorded, failure: undefined, changesAt: undefined };
  if (gates.length > MAX_ANALYSIS_STATES) return tooMany(groups, gates.length, recorded);
  const holds: Hold[] = [];
  const due: DueMeasurement[] = [];
  const changed: AnalysisState[] = [];
  let failure: AnalysisFailure | undefined;
  let changesAt: number | undefined;
  for (const gate of gates) {
    const { name, analysis } = gate;
    const override = decisions?.override(name, now);
    changesAt = earliest(changesAt, override?.endsAt);
    for (const [i, one] of groups.entries()) {
      if (one.size === 0) continue;
      const measured = measureGroup(input, gate, i, gates.length);
      const { state, standing } = measured;
      if (state && measured.isChanged) changed.push(state);
      if (measured.due) due.push(measured.due);
      if (!analysis.isEnforced || override || standing === 'Passed') continue;
      const isStopped = standing !== 'Measuring';
      const message = isStopped ? stoppedMessage(analysis, standing, state) : measuringMessage(analysis, state);
      const group = groupKey(one);
      if (isStopped && isWorse(standing, failure)) failure = { gate: name, group, result: standing, message };
      holds.push({
        wait: { kind: 'Analysis', name, group, message, digest: analysis.digest },
        held: waitingIn(isStopped ? groups : groups.slice(i + 1)),
        isReached: isMeasured(one),
        holdsCompletion: true,
      });
    }
  }
  return { holds, due, states: withStates(recorded, changed), failure, changesAt };
}

/**
 * Whether this result must replace the result `found` earlier. A failed analysis may start a rollback, so an inconclusive analysis must not
 * hide a failed one.
 */
function isWorse(result: AnalysisFailure['result'], found: AnalysisFailure | undefined): boolean {
  return found === undefined || (result === 'Failed' && found.result === 'Inconclusive');
}

interface MeasuredGroup {
  readonly state: AnalysisState | undefined;
  readonly isChanged: boolean;
  readonly standing: AnalysisStanding;
  readonly due: DueMeasurement | undefined;
}

/**
 * Returns the state of one analysis for the group at this position. The state includes a measurement that was taken since the last record.
 */
function measureGroup(input: AnalysisInput, { name, analysis }: NamedAnalysis, position: number, analyses: number): MeasuredGroup {
  const { decisions, revision, groups, before, now } = input;
  const one = groups[position] as GateGroup;
  const key: AnalysisKey = { name, group: groupKey(one), revision };
  const found = before?.analysis?.find((state) => isStateOf(state, key));
  const retriedAt = decisions?.retriedAt(name) ?? Number.NEGATIVE_INFINITY;
  const recorded = found && (parseTime(found.at) ?? now) >= retriedAt ? found : undefined;
  if (!found && hasLaterState(input, key, position)) {
    return { state: undefined, isChanged: false, standing: 'Passed', due: undefined };
  }
  const begun = begin(recorded, key, one, now);
  const look = looksOf(begun);
  const taken = begun?.since === undefined ? undefined : input.taken.find((answer) => isAnswerTo(answer, key, look));
  const state = begun && taken ? addMeasurement(begun, judgeMeasurement(analysis, measuredOf(taken, analyses)), taken.at) : begun;
  const standing = analysisStanding(analysis, state);
  const isDue = standing === 'Measuring' && state?.since !== undefined && isMeasured(one);
  return { state, isChanged: state !== found, standing, due: isDue ? dueOf(input, { name, analysis }, one, state) : undefined };
}

/**
 * Whether a later group has a state for this analysis. If so, this group has passed the analysis even if it has no state: the record drops
 * old states, and the later group started only after this group had passed. A group that failed keeps its state until it is measured again.
 */
function hasLaterState({ groups, before }: AnalysisInput, { name, revision }: AnalysisKey, position: number): boolean {
  const states = before?.analysis ?? [];
  return groups.slice(position + 1).some((later) => states.some((state) => isStateOf(state, { name, group: groupKey(later), revision })));
}

/**
 * Records the admission time of the first cluster of the group. Once all clusters of the group are admitted, this function also records the
 * current time, rounded up to a second, because the initial delay starts then.
 */
function begin(state: AnalysisState | undefined, key: AnalysisKey, group: GateGroup, now: number): AnalysisState | undefined {
  const isAllAdmitted = isMeasured(group);
  if (!group.isReached || (!isAllAdmitted && group.admittedAt === undefined)) return state;
  const admittedAt = state?.admittedAt ?? group.admittedAt;
  const since = state?.since ?? (isAllAdmitted ? toTime(roundUpToSecond(now)) : undefined);
  if (state && state.admittedAt === admittedAt && state.since === since) return state;
  return { ...(state ?? key), ...(admittedAt === undefined ? {} : { admittedAt }), ...(since === undefined ? {} : { since }) };
}

function isMeasured({ isReached, waiting }: GateGroup): boolean {
  return isReached && waiting.length === 0;
}

function isAnswerTo(answer: TakenMeasurement, { name, group, revision }: AnalysisKey, look: number): boolean {
  return answer.gate === name && answer.group === group && answer.revision === revision && answer.look === look;
}

function measuredOf({ now, before, comparedAt, moved, peers }: TakenMeasurement, analyses: number): Measured {
  return { now, ...(before === undefined ? {} : { before }), comparedAt, moved, peers, analyses };
}

function dueOf(
  { groups, revision, admittedAt }: AnalysisInput,
  { name, analysis }: NamedAnalysis,
  one: GateGroup,
  state: AnalysisState,
): DueMeasurement {
  const since = parseTime(state.since) ?? 0;
  const last = parseTime(state.at);
  const first = parseTime(state.admittedAt) ?? since;
  const moved = one.moved ?? [];
  const peers = groups.flatMap(({ waiting }) => waiting.filter(({ operation }) => operation === 'Upgrade').map((cluster) => cluster.name));
  return {
    analysis,
    gate: name,
    group: groupKey(one),
    revision,
    look: looksOf(state),
    dueAt: last === undefined ? since + analysis.initialDelayMs : last + TIME_ROUNDING_MS + analysis.intervalMs,
    comparedAt: analysis.compare ? comparedTimes(moved, peers, (cluster) => admittedAt?.(cluster) ?? first) : {},
    moved,
    peers,
  };
}

function tooMany(groups: readonly GateGroup[], count: number, states: readonly AnalysisState[]): AnalysisOutcome {
  const message = `${count} analyses govern the add-on; the record keeps the results of at most ${MAX_ANALYSIS_STATES}, so no cluster is admitted`;
  const hold: Hold = {
    wait: { kind: 'Policies', name: 'rolloutpolicies', message },
    held: waitingIn(groups),
    isReached: true,
    holdsCompletion: false,
  };
  return { holds: [hold], due: [], states, failure: undefined, changesAt: undefined };
}

function measuringMessage({ count }: AnalysisGate, state: AnalysisState | undefined): string {
  const { passed = 0, failed = 0, inconclusive = 0, message } = state ?? {};
  const unclear = inconclusive > 0 ? `, ${inconclusive} inconclusive` : '';
  const last = message === undefined ? '' : `; the last: ${message}`;
  return `measuring: ${passed + failed} of ${count} measurements${unclear}${last}`;
}

function stoppedMessage(
  { failureLimit, inconclusiveLimit }: AnalysisGate,
  standing: 'Failed' | 'Inconclusive',
  { failed = 0, inconclusive = 0, message }: Partial<AnalysisState> = {},
): string {
  const last = message === undefined ? '' : `: ${message}`;
  if (standing === 'Failed') return `${countText(failed, 'measurement')} failed, ${failureLimit} may${last}`;
  return `${countText(inconclusive, 'measurement')} ${inconclusive === 1 ? 'was' : 'were'} inconclusive, the limit is ${inconclusiveLimit}${last}`;
}
