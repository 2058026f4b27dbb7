import type { AnalysisState, OpenedGate, RolloutEntry, RolloutWait } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import type { DueMeasurement, GateDecision } from '@outrigger/rules/policy';
import { askGates, type GateAnswer, type PlacedGroup, type StepInput } from '@outrigger/rules/rollout';
import { entryGates } from '../controllers/fleet/gates.js';
import type { FleetState } from '../controllers/fleet/state.js';

/** A gate that the rollout reaches. */
export interface GateMeeting {
  readonly kind: RolloutWait['kind'];
  /** `<policy>/<name>`. */
  readonly name: string;
  readonly group: string | undefined;
  /** When the gate starts to hold clusters. */
  readonly at: number;
  /** The number of clusters that the gate holds at that time. */
  readonly clusters: number;
  /** When the gate opens; undefined if it does not open without a decision. An approval is assumed to be given at once. */
  opensAt: number | undefined;
  readonly message: string | undefined;
}

/** The rollout to which the gates of a run apply. */
export interface GatedEntry {
  readonly fleet: FleetState;
  readonly entry: string;
  readonly target: number;
  /** Whether the target completed earlier in this entry, so that no gate holds clusters. */
  readonly isWayBack: boolean;
  readonly before: RolloutEntry | undefined;
  readonly state: StepInput;
}

/**
 * The gates of one run, evaluated by the function that the fleet controller uses. Approvals are assumed to be given as soon as they are
 * needed, and measurements are assumed to pass. An answer is reused until its recheck time has come or a group has finished.
 */
export class RunGates {
  readonly meetings: GateMeeting[] = [];
  lastOpenedAt = 0;
  readonly #subject: GatedEntry;
  readonly #approvals: GateDecision[] = [];
  /** The measurements that the last evaluation requested. */
  #due: GateAnswer['measurements'] = [];
  #recorded: Pick<RolloutEntry, 'waitingFor' | 'openedGates' | 'analysis'> | undefined;
  #last: { readonly answer: GateAnswer; readonly shape: string } | undefined;

  constructor(subject: GatedEntry) {
    this.#subject = subject;
  }

  answer(groups: readonly PlacedGroup[], now: number): GateAnswer {
    const shape = shapeOf(groups);
    const { answer, shape: earlier } = this.#last ?? {};
    if (answer && earlier === shape && (answer.recheckAt === undefined || answer.recheckAt > now)) return answer;
    const next = this.#evaluate(groups, now);
    this.#last = { answer: next, shape };
    return next;
  }

  /** Whether the state of the groups has changed since the last answer. If so, the pass after the next record evaluates the gates again. */
  isOutdated(groups: readonly PlacedGroup[]): boolean {
    return this.#last?.shape !== shapeOf(groups);
  }

  /** Discards the last answer, because a cluster has joined the queue. */
  forget(): void {
    this.#last = undefined;
  }

  #evaluate(groups: readonly PlacedGroup[], now: number): GateAnswer {
    // After an assumed approval, the next evaluation may reveal another approval gate, so evaluate again, assuming at most MAX_APPROVALS
    // approvals.
    for (let attempt = 0; ; attempt++) {
      this.#measure(now);
      const answer = this.#ask(groups, now);
      this.#note(answer, now);
      const { waitingFor, openedGates, analysis } = answer;
      this.#recorded = { waitingFor, openedGates, analysis };
      this.#due = answer.measurements;
      const isAssumed = attempt < MAX_APPROVALS && this.#approve(answer.waitingFor, now);
      if (!isAssumed && !this.#due.some(({ dueAt }) => dueAt <= now)) return answer;
    }
  }

  #ask(groups: readonly PlacedGroup[], now: number): GateAnswer {
    const { fleet, entry, target, isWayBack, state } = this.#subject;
    const decisions = [...fleet.decisions, ...this.#approvals];
    const gates = entryGates({ ...fleet, decisions }, now, entry, this.#before(), { target, isWayBack });
    return gates ? askGates(state, groups, gates) : OPEN;
  }

  /** The record of the entry as it would be during the run. */
  #before(): RolloutEntry | undefined {
    const { before, entry, target } = this.#subject;
    return this.#recorded ? { ...before, name: entry, targetRevision: target, ...this.#recorded } : before;
  }

  /** Notes which gates start and stop holding clusters. */
  #note({ waitingFor }: GateAnswer, now: number): void {
    const holding = new Set(waitingFor.map(gateKey));
    for (const meeting of this.meetings) {
      if (meeting.opensAt !== undefined || holding.has(gateKey(meeting))) continue;
      meeting.opensAt = now;
      this.lastOpenedAt = now;
    }
    for (const wait of waitingFor) {
      if (this.meetings.some((meeting) => meeting.opensAt === undefined && gateKey(meeting) === gateKey(wait))) continue;
      const { kind, name, group, clusters = 0, message } = wait;
      this.meetings.push({ kind, name, group, at: now, clusters, opensAt: undefined, message });
    }
  }

  /**
   * Adds the approvals that the waiting approval gates need, except gates that open at a known time. Returns whether any approval was
   * added.
   */
  #approve(waits: readonly RolloutWait[], now: number): boolean {
    const { fleet, entry, target } = this.#subject;
    if (fleet.decisionsEnforcedSince === undefined) return false;
    const asked = waits.filter(({ kind, until, loosened }) => kind === 'Approval' && until === undefined && loosened !== true);
    const before = this.#approvals.length;
    for (const { name, group } of asked) {
      const key = { gate: name, ...(group === undefined ? {} : { group }) };
      if (this.#approvals.some((one) => one.gate === name && one.group === group)) continue;
      for (let i = 0; i < this.#required(name); i++) {
        const by = `assumed approver ${i + 1}`;
        const common = { addOn: fleet.managementAddOn.key.name, entry, revision: target, decision: 'Approved' as const, by };
        this.#approvals.push({ ...common, ...key, name: `${name}-${i}`, createdAt: now, endsAt: undefined });
      }
    }
    return this.#approvals.length > before;
  }

  #required(gate: string): number {
    for (const { name, approvals } of this.#subject.fleet.policies) {
      const found = approvals.find((one) => `${name}/${one.name}` === gate);
      if (found) return found.required;
    }
    return 1;
  }

  /** Takes the measurements that are due, assuming that each passes. */
  #measure(now: number): void {
    const taken = this.#due.filter(({ dueAt }) => dueAt <= now);
    if (taken.length === 0) return;
    const analysis = taken.reduce((states, due) => passed(states, due, now), this.#recorded?.analysis ?? []);
    this.#recorded = { ...this.#recorded, analysis };
    this.#due = [];
  }
}

function passed(states: readonly AnalysisState[], { gate, group, revision }: DueMeasurement, now: number): readonly AnalysisState[] {
  const isIt = (one: AnalysisState): boolean => one.name === gate && one.group === group && one.revision === revision;
  const before = states.find(isIt) ?? { name: gate, group, revision };
  const next: AnalysisState = { ...before, passed: (before.passed ?? 0) + 1, result: 'Pass', at: toTime(now) };
  return [next, ...states.filter((one) => !isIt(one))];
}

const MAX_APPROVALS = 100;
const NO_WAITS: readonly RolloutWait[] = [];
const NO_GATES: readonly OpenedGate[] = [];
const OPEN: GateAnswer = {
  held: new Set(),
  holdsEnd: false,
  mayInstall: () => true,
  waitingFor: NO_WAITS,
  openedGates: NO_GATES,
  analysis: [],
  measurements: [],
  failure: undefined,
  recheckAt: undefined,
};

function gateKey({ kind, name, group }: { readonly kind: string; readonly name: string; readonly group?: string | undefined }): string {
  return `${kind} ${name} ${group ?? ''}`;
}

/** The state of the groups on which gates depend: which groups wait, and which have finished. */
function shapeOf(groups: readonly PlacedGroup[]): string {
  return groups
    .map(({ counts, retargets }) => {
      if (counts.waiting + retargets.length > 0) return 'w';
      return counts.progressing + counts.soaking > 0 ? 'm' : 'f';
    })
    .join('');
}
