import type { AnalysisState, OpenedGate, RolloutEntry, RolloutWait } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import type { Decision } from '@outrigger/rules/policy';
import { askGates, type GateAnswer, type PlacedGroup, type StepInput } from '@outrigger/rules/rollout';
import { entryGates } from '../controllers/fleet/gates.js';
import type { FleetState } from '../controllers/fleet/state.js';

/** A gate that holds clusters during the rollout. */
export interface GateMeeting {
  readonly kind: RolloutWait['kind'];
  /** `<policy>/<name>`. */
  readonly name: string;
  readonly group: string | undefined;
  /** When the gate starts to hold clusters. */
  readonly at: number;
  /** The number of clusters that the gate holds at that time. */
  readonly clusters: number;
  /** When the gate opens; undefined if it does not open without a decision. An approval is assumed to be given immediately. */
  opensAt: number | undefined;
  readonly message: string | undefined;
}

/** The rollout to which the gates of a run apply. */
export interface GatedEntry {
  readonly fleet: FleetState;
  readonly entry: string;
  readonly target: number;
  /** The target completed earlier in this entry, so no gate holds the move to it. */
  readonly isWayBack: boolean;
  readonly before: RolloutEntry | undefined;
  readonly state: StepInput;
}

/**
 * The gates of one run, evaluated by the fleet controller's own function. Approvals are assumed to be given as soon as they are needed, and
 * measurements to pass. An answer is reused until its `recheckAt` or until a group has finished.
 */
export class RunGates {
  readonly meetings: GateMeeting[] = [];
  lastOpenedAt = 0;
  readonly #subject: GatedEntry;
  readonly #approvals: Decision[] = [];
  /** When the measurements of an analysis have all passed, by gate and group. */
  readonly #measuredAt = new Map<string, number>();
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

  #evaluate(groups: readonly PlacedGroup[], now: number): GateAnswer {
    // Each evaluation may show that a further approval is needed, so the number of approval gates limits the number of evaluations.
    for (let attempt = 0; ; attempt++) {
      this.#measure(now);
      const answer = this.#ask(groups, now);
      this.#note(answer, now);
      const { waitingFor, openedGates, analysis } = answer;
      this.#recorded = { waitingFor, openedGates, analysis };
      const isAssumed = attempt < MAX_APPROVALS && this.#approve(answer.waitingFor, now);
      if (isAssumed) continue;
      const measured = this.#startMeasuring(answer.waitingFor, now);
      if (measured === undefined) return answer;
      return { ...answer, recheckAt: Math.min(measured, answer.recheckAt ?? measured) };
    }
  }

  #ask(groups: readonly PlacedGroup[], now: number): GateAnswer {
    const { fleet, entry, target, isWayBack, state } = this.#subject;
    const decisions = [...fleet.decisions, ...this.#approvals];
    const gates = entryGates({ ...fleet, decisions }, now, entry, this.#before(), { target, isWayBack });
    return gates ? askGates(state, groups, gates) : OPEN;
  }

  /** The entry's record as it would be during the run. */
  #before(): RolloutEntry | undefined {
    const { before, entry, target } = this.#subject;
    return this.#recorded ? { ...before, name: entry, targetRevision: target, ...this.#recorded } : before;
  }

  /** Records gates that start or stop holding clusters. */
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

  /** Adds the approvals for which gates wait, unless the gate opens at a known time. Returns whether approvals were added. */
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

  /** Computes when the measurements of newly reached analyses end. Returns the earliest end that is in the future. */
  #startMeasuring(waits: readonly RolloutWait[], now: number): number | undefined {
    let first: number | undefined;
    for (const wait of waits) {
      if (wait.kind !== 'Analysis') continue;
      const analysis = this.#analysis(wait.name);
      if (!analysis) continue;
      const endsAt = this.#measuredAt.get(gateKey(wait)) ?? now + analysis.initialDelayMs + (analysis.count - 1) * analysis.intervalMs;
      this.#measuredAt.set(gateKey(wait), endsAt);
      if (endsAt > now) first = Math.min(first ?? endsAt, endsAt);
    }
    return first;
  }

  /** Records passed measurements for the analyses whose time has come. */
  #measure(now: number): void {
    for (const wait of this.#recorded?.waitingFor ?? []) {
      const endsAt = this.#measuredAt.get(gateKey(wait));
      const analysis = this.#analysis(wait.name);
      if (endsAt === undefined || endsAt > now || !analysis) continue;
      this.#measuredAt.delete(gateKey(wait));
      const measured = { name: wait.name, ...(wait.group === undefined ? {} : { group: wait.group }), revision: this.#subject.target };
      const passed: AnalysisState = { ...measured, passed: analysis.count, result: 'Pass', at: toTime(now) };
      const isIt = (one: AnalysisState): boolean =>
        one.name === passed.name && one.group === passed.group && one.revision === passed.revision;
      this.#recorded = { ...this.#recorded, analysis: [passed, ...(this.#recorded?.analysis ?? []).filter((one) => !isIt(one))] };
    }
  }

  #analysis(gate: string): { readonly count: number; readonly intervalMs: number; readonly initialDelayMs: number } | undefined {
    for (const { name, analyses } of this.#subject.fleet.policies) {
      const found = analyses.find((one) => `${name}/${one.name}` === gate);
      if (found) return found;
    }
    return undefined;
  }
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

/** The properties of the groups that affect gates: which groups have waiting clusters, and which have finished. */
function shapeOf(groups: readonly PlacedGroup[]): string {
  return groups.map(({ counts }) => (counts.waiting > 0 ? 'w' : counts.progressing + counts.soaking > 0 ? 'm' : 'f')).join('');
}
