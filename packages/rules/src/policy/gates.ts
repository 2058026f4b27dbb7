import type { AnalysisState, OpenedGate, RolloutWait } from '@outrigger/api';
import { countText, defined, earliest, parseTime, roundUpToSecond, toTime } from '@outrigger/core';
import { type AnalysisFailure, type DueMeasurement, type TakenMeasurement, analysisGates } from './analysis-gates.js';
import { approvalGates } from './approval-gates.js';
import type { CompiledPolicy } from './compile.js';
import { type DecidedRollout, GateDecisions, type GateDecision } from './decisions.js';
import { type GateCluster, type GateGroup, type Hold, type RecordedGates, waitingIn } from './hold.js';
import { WindowGates } from './window-gates.js';

/** The time in milliseconds for which a loosened gate continues to hold clusters after it was removed or changed. */
export const LOOSENING_MS: number = 5 * 60_000;
export const LOOSENING_TEXT = 'was removed or changed while it held clusters; it opens 5 minutes later';
export const UNTRUSTED_CLOCK_TEXT = "the manager's clock is more than 30 s off the API server's";

/** All inputs that determine which gates hold the clusters of one entry. */
export interface GateInput {
  /** The policies that govern the add-on; `unknown` while the manager has not listed them or cannot read them. */
  readonly policies: readonly CompiledPolicy[] | 'unknown';
  readonly decisions: readonly GateDecision[];
  /** Whether the API server checks who writes decisions; if it does not, decisions are ignored. */
  readonly areDecisionsEnforced: boolean;
  /** Whether the manager's clock is within 30 s of the API server's clock. Otherwise windows are treated as closed. */
  readonly isClockTrusted: boolean;
  readonly rollout: DecidedRollout;
  /** Whether the target completed earlier in this entry's timeline. If so, no gate holds the clusters that return to it. */
  readonly isWayBack: boolean;
  /** The groups in the order of the rollout. */
  readonly groups: readonly GateGroup[];
  readonly before: RecordedGates | undefined;
  /** The measurements that providers have answered and that the record does not contain yet. */
  readonly taken?: readonly TakenMeasurement[];
  /** Returns the time at which a cluster was admitted to the target, if it is known. */
  readonly admittedAt?: ((cluster: string) => number | undefined) | undefined;
  readonly now: number;
}

/** The result of evaluating the gates of an entry at one instant. Gates only prevent admissions; they never cause one. */
export interface GateVerdict {
  /** Clusters that must not be admitted to the target now. */
  readonly held: ReadonlySet<string>;
  /** Whether a gate prevents the entry from completing although all of its clusters have finished. */
  readonly holdsCompletion: boolean;
  /** Whether a joining cluster may get the last completed revision. */
  readonly mayInstall: (cluster: GateCluster) => boolean;
  /** The gates that hold clusters, for the rollout's status. */
  readonly waitingFor: readonly RolloutWait[];
  readonly openedGates: readonly OpenedGate[];
  /** The decision with which a user rejected the revision for this entry. */
  readonly rejection: GateDecision | undefined;
  /** The analysis that failed or was inconclusive and halts the rollout. */
  readonly failure: AnalysisFailure | undefined;
  /** The analysis states for the rollout's status. */
  readonly analysis: readonly AnalysisState[];
  /** Measurements that the groups still need; each may be taken at or after its `dueAt`. */
  readonly measurements: readonly DueMeasurement[];
  /** Names of the policies in force, for the rollout's status. */
  readonly policies: readonly string[];
  /** Notes to report about problems that do not prevent admissions, such as clusters without a known time zone. */
  readonly notes: readonly string[];
  /** The time at which the result may change even if no object changes. */
  readonly recheckAt: number | undefined;
}

/**
 * Evaluates the gates of all policies that govern an add-on, for one entry. Callers must also call this function without policies while the
 * rollout's status has `waitingFor`, because the gates of a deleted policy open only 5 minutes after the deletion.
 */
export function evaluateGates(input: GateInput): GateVerdict {
  const { policies, groups, now, isWayBack } = input;
  const names = policies === 'unknown' ? [] : policies.map(({ name }) => name).sort();
  if (isWayBack) return wayBack(input, names);
  if (policies === 'unknown') return unknownPolicies(input);
  const decisions = new GateDecisions(input.decisions, input.rollout);
  const counted = input.areDecisionsEnforced ? decisions : undefined;
  const windows = new WindowGates(policies, counted, now);
  const parts = { policies, decisions: counted, revision: input.rollout.revision, groups, before: input.before, now };
  const inWindows = input.isClockTrusted ? windows.holds(groups) : { holds: untrustedClock(windows, groups), changesAt: undefined };
  const approvals = approvalGates(parts);
  const analyses = analysisGates({ ...parts, taken: input.taken ?? [], admittedAt: input.admittedAt });
  const rejection = counted?.rejection(new Set(names));
  const holds = [
    ...policies.flatMap(({ name, problem }) => (problem === undefined ? [] : [everything(groups, 'Policies', problem, name)])),
    ...(rejection ? [rejectionHold(rejection, groups, policies)] : []),
    ...inWindows.holds,
    ...approvals.holds,
    ...analyses.holds,
  ];
  const loosened = looseningHolds(input, policies);
  return verdict(input, [...holds, ...loosened], {
    policies: names,
    openedGates: approvals.opened,
    rejection,
    failure: analyses.failure,
    analysis: analyses.states,
    measurements: analyses.due,
    notes: windows.zoneProblems(groups.flatMap(({ waiting }) => waiting)),
    mayInstall: (cluster) =>
      !loosened.some(({ wait }) => wait.holdsInstalls) &&
      (input.isClockTrusted ? windows.gateOf(cluster, 'Install').isOpen : !windows.concerns(cluster, 'Install')),
    recheckAt: earliest(
      inWindows.changesAt,
      windows.overridesEndAt,
      approvals.changesAt,
      analyses.changesAt,
      ...analyses.due.flatMap(({ dueAt }) => (dueAt > now ? [dueAt] : [])),
      opening(loosened),
    ),
  });
}

/**
 * Returns the verdict for a way back, on which no gate holds clusters. Keeps the loosened gates in `waitingFor`, because they hold clusters
 * again if the entry gets another target before they open.
 */
function wayBack(input: GateInput, names: readonly string[]): GateVerdict {
  const analysis = input.before?.analysis ?? [];
  if (input.policies === 'unknown') return { ...OPEN, waitingFor: (input.before?.waitingFor ?? []).filter(isLoosened), analysis };
  const loosened = looseningHolds({ ...input, groups: [] }, input.policies);
  return verdict(input, loosened, { policies: names, analysis, recheckAt: opening(loosened) });
}

/**
 * Returns the verdict while the policies are unknown. It holds all clusters, and keeps the recorded `waitingFor`, because the gates that
 * are named there may still exist.
 */
function unknownPolicies(input: GateInput): GateVerdict {
  const { before, groups } = input;
  const found = verdict(input, [everything(groups, 'Policies', UNKNOWN, 'rolloutpolicies')], {});
  const kept = (before?.waitingFor ?? []).filter(({ kind }) => kind !== 'Policies');
  return { ...found, waitingFor: [...found.waitingFor, ...kept], openedGates: before?.openedGates ?? [], analysis: before?.analysis ?? [] };
}

const UNKNOWN = 'the rollout policies are not known yet, so no cluster is admitted';
const OPEN: GateVerdict = {
  held: new Set(),
  holdsCompletion: false,
  mayInstall: () => true,
  waitingFor: [],
  openedGates: [],
  rejection: undefined,
  failure: undefined,
  analysis: [],
  measurements: [],
  policies: [],
  notes: [],
  recheckAt: undefined,
};

function verdict({ before, now }: GateInput, holds: readonly Hold[], rest: Partial<GateVerdict>): GateVerdict {
  const isBlind = holds.some(({ wait }) => wait.kind === 'Policies');
  return {
    ...OPEN,
    ...rest,
    ...(isBlind ? { mayInstall: () => false } : {}),
    held: new Set(holds.flatMap(({ held }) => held)),
    holdsCompletion: holds.some((hold) => hold.holdsCompletion && hold.isReached),
    waitingFor: holds.flatMap((hold) => recorded(hold, before, now)),
  };
}

/**
 * Returns the item of `waitingFor` for a gate. Omits a gate that the rollout has not reached, and a gate that neither holds clusters nor
 * prevents the completion. A loosened gate has an item even if no cluster waits now, because it also holds clusters that start to wait
 * before it opens.
 */
function recorded(
  { wait, held, isReached, holdsCompletion }: Hold,
  before: RecordedGates | undefined,
  now: number,
): readonly RolloutWait[] {
  if (!isReached || (held.length === 0 && !holdsCompletion && !isLoosened(wait))) return [];
  const isIt = (one: RolloutWait): boolean =>
    one.kind === wait.kind && one.name === wait.name && one.group === wait.group && (one.loosened ?? false) === (wait.loosened ?? false);
  const since = before?.waitingFor?.find(isIt)?.since ?? toTime(now);
  const { kind, name, group, until, message, ...others } = wait;
  return [
    {
      kind,
      name,
      ...(group === undefined ? {} : { group }),
      since,
      ...(until === undefined ? {} : { until }),
      ...(message === undefined ? {} : { message }),
      clusters: held.length,
      ...others,
    },
  ];
}

function everything(groups: readonly GateGroup[], kind: 'Policies' | 'Approval', message: string, name: string): Hold {
  return { wait: { kind, name, message }, held: waitingIn(groups), isReached: true, holdsCompletion: false };
}

/**
 * A rejection holds all clusters. Its item of `waitingFor` has the digest of the gate, so that the rejection also ends 5 minutes after the
 * gate is removed.
 */
function rejectionHold(rejection: GateDecision, groups: readonly GateGroup[], policies: readonly CompiledPolicy[]): Hold {
  const hold = everything(groups, 'Approval', rejectedText(rejection), rejection.gate);
  const digest = digests(policies).get(rejection.gate);
  return digest === undefined ? hold : { ...hold, wait: { ...hold.wait, digest } };
}

function rejectedText({ by, comment }: GateDecision): string {
  return `rejected by ${by}${comment === undefined ? '' : `: ${comment}`}`;
}

/**
 * Returns the hold for the case that the manager's clock is not trusted: windows are treated as closed for all clusters that they apply to.
 */
function untrustedClock(windows: WindowGates, groups: readonly GateGroup[]): readonly Hold[] {
  const concerned = groups.map((group) => ({
    ...group,
    waiting: group.waiting.filter((cluster) => windows.concerns(cluster, cluster.operation)),
  }));
  const held = waitingIn(concerned);
  if (held.length === 0) return [];
  const message = `windows count as closed for ${countText(held.length, 'cluster')}: ${UNTRUSTED_CLOCK_TEXT}`;
  const isReached = concerned.some((group) => group.isReached && group.waiting.length > 0);
  return [{ wait: { kind: 'Clock', name: 'clock', message }, held, isReached, holdsCompletion: false }];
}

/** The digest of each gate's definition, by `<policy>/<name>`. */
export function digests(policies: readonly CompiledPolicy[]): ReadonlyMap<string, string> {
  return new Map(
    policies.flatMap(({ name, windows, approvals, analyses }) =>
      [...windows, ...approvals, ...analyses].map((gate): [string, string] => [`${name}/${gate.name}`, gate.digest]),
    ),
  );
}

/**
 * Returns the loosened gates: those that were removed or edited while they held clusters. Each holds all waiting clusters for 5 more
 * minutes, including clusters that start to wait during that time.
 */
function looseningHolds({ before, groups, now }: GateInput, policies: readonly CompiledPolicy[]): readonly Hold[] {
  const waits = before?.waitingFor ?? [];
  if (waits.length === 0) return [];
  const current = digests(policies);
  const held = waitingIn(groups);
  const found = waits.flatMap((wait): readonly Hold[] => {
    if (isLoosened(wait)) return (parseTime(wait.until) ?? now) > now ? [loosening(wait, held, wait.until)] : [];
    if (wait.digest === undefined || (wait.clusters ?? 0) === 0 || current.get(wait.name) === wait.digest) return [];
    return [loosening(wait, held, toTime(roundUpToSecond(now + LOOSENING_MS)))];
  });
  // A gate that was also rejected has two items in `waitingFor`. Keep one of them.
  return [...new Map(found.map((hold) => [JSON.stringify([hold.wait.kind, hold.wait.name, hold.wait.group]), hold])).values()];
}

function isLoosened({ loosened }: Pick<RolloutWait, 'loosened'>): boolean {
  return loosened === true;
}

/** The earliest time at which one of the loosened gates opens. */
function opening(loosened: readonly Hold[]): number | undefined {
  return earliest(...loosened.map(({ wait }) => parseTime(wait.until)));
}

function loosening({ kind, name, group, digest, holdsInstalls }: RolloutWait, held: readonly string[], until: string | undefined): Hold {
  const message = LOOSENING_TEXT;
  const wait = defined({ kind, name, group, until, message, digest, holdsInstalls: holdsInstalls || undefined, loosened: true });
  return { wait, held, isReached: true, holdsCompletion: false };
}
