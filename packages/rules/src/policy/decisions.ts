import type { RolloutApproval, RolloutApprovalSpec } from '@outrigger/api';
import { parseTime } from '@outrigger/core';
import { MAX_OVERRIDE_MS } from '../decisions/index.js';

/** A RolloutApproval in the form that the rules use. */
export interface GateDecision extends Omit<RolloutApprovalSpec, 'expires'> {
  readonly name: string;
  readonly createdAt: number;
  /** The time at which a gate override expires: `expires`, but at most 24 hours after the gate override was created. */
  readonly endsAt: number | undefined;
}

/** Reads a RolloutApproval. */
export function readDecision({ metadata, spec }: RolloutApproval): GateDecision {
  const { expires, ...rest } = spec;
  const createdAt = parseTime(metadata.creationTimestamp) ?? 0;
  const ends = parseTime(expires);
  return {
    ...rest,
    name: metadata.name ?? '',
    createdAt,
    endsAt: spec.decision === 'Overridden' ? Math.min(ends ?? createdAt, createdAt + MAX_OVERRIDE_MS) : undefined,
  };
}

/** Identifies the rollout that decisions apply to. */
export interface DecidedRollout {
  readonly addOn: string;
  readonly entry: string;
  readonly revision: number;
  /**
   * Decisions created before this time are ignored. They belong to an earlier add-on of the same name, or were created before the API
   * server checked who writes decisions.
   */
  readonly createdAt: number;
}

/** The decisions (RolloutApprovals) for one revision of one entry, by gate. */
export class GateDecisions {
  readonly #byGate = new Map<string, GateDecision[]>();

  constructor(all: readonly GateDecision[], { addOn, entry, revision, createdAt }: DecidedRollout) {
    for (const one of all) {
      if (one.addOn !== addOn || one.entry !== entry || one.revision !== revision || one.createdAt < createdAt) continue;
      this.#byGate.set(one.gate, [...(this.#byGate.get(one.gate) ?? []), one]);
    }
  }

  /** The distinct users who approved a gate. If `since` is given, only approvals after that time count. */
  approvers(gate: string, group: string | undefined, since: number | undefined): readonly string[] {
    const approved = this.#of(gate, 'Approved').filter((one) => one.group === group && (since === undefined || one.createdAt > since));
    return [...new Set(approved.map(({ by }) => by))].sort();
  }

  /**
   * Returns the first rejection that no Retried decision for the same gate follows. `policies` are the policies that govern the add-on;
   * rejections of gates of other policies do not count, because the API server only checks that the writer may approve the policy that the
   * gate names.
   */
  rejection(policies: ReadonlySet<string>): GateDecision | undefined {
    const gates = [...this.#byGate.keys()].filter((gate) => policies.has(gate.split('/')[0] ?? ''));
    const standing = gates.flatMap((gate) => {
      const retriedAt = Math.max(-1, ...this.#of(gate, 'Retried').map(({ createdAt }) => createdAt));
      return this.#of(gate, 'Rejected').filter(({ createdAt }) => createdAt > retriedAt);
    });
    return standing.sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1))[0];
  }

  /** The time at which the latest Retried decision for this gate was created; undefined if there is none. */
  retriedAt(gate: string): number | undefined {
    const times = this.#of(gate, 'Retried').map(({ createdAt }) => createdAt);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /** Returns the override of this gate that expires last, or undefined if no gate override is in force. */
  override(gate: string, now: number): GateDecision | undefined {
    const active = this.#of(gate, 'Overridden').filter(({ endsAt = 0 }) => endsAt > now);
    return active.sort((a, b) => (b.endsAt ?? 0) - (a.endsAt ?? 0))[0];
  }

  #of(gate: string, decision: GateDecision['decision']): readonly GateDecision[] {
    return (this.#byGate.get(gate) ?? []).filter((one) => one.decision === decision);
  }
}
