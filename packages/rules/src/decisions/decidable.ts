import type { AddOnRollout, RolloutApproval, RolloutEntry, RolloutWait } from '@outrigger/api';
import { toTime } from '@outrigger/core';

/** The maximum lifetime of a gate override. */
export const MAX_OVERRIDE_MS: number = 24 * 3_600_000;

/** The decisions that a user can make about a gate. */
export type DecisionVerb = 'approve' | 'reject' | 'override' | 'retry';

const DECISIONS: Readonly<Record<DecisionVerb, RolloutApproval['spec']['decision']>> = {
  approve: 'Approved',
  reject: 'Rejected',
  override: 'Overridden',
  retry: 'Retried',
};

/** The subject of a decision: a gate of one entry, for one revision. */
export interface DecidableGate {
  readonly entry: string;
  readonly revision: number;
  readonly gate: string;
  readonly group: string | undefined;
}

/** The gates of an entry about which a user can make this decision now. */
export function decidableGates(entry: RolloutEntry, verb: DecisionVerb): readonly DecidableGate[] {
  const { name, targetRevision, waitingFor = [], rejected = [] } = entry;
  if (verb === 'retry') {
    const recorded = rejected.flatMap(({ gate, revision }): readonly DecidableGate[] =>
      gate === undefined || revision === undefined ? [] : [{ entry: name, revision, gate, group: undefined }],
    );
    // Keep only the newest rejection for each gate, because earlier rejections concern content that the declaration no longer requests.
    if (recorded.length > 0) return [...new Map(recorded.toReversed().map((one) => [one.gate, one])).values()];
  }
  if (targetRevision === undefined) return [];
  const found = waitingFor
    .filter((wait) => verbsFor(wait).includes(verb))
    .map((wait) => ({ entry: name, revision: targetRevision, gate: wait.name, group: groupOf(wait, verb) }));
  return [...new Map(found.map((one) => [`${one.gate} ${one.group ?? ''}`, one])).values()];
}

const VERBS: Readonly<Record<RolloutWait['kind'], readonly DecisionVerb[]>> = {
  Window: ['override'],
  Approval: ['approve', 'reject'],
  Analysis: ['override'],
  Policies: [],
  Clock: [],
};

/** The decisions that a user can make about a gate that holds clusters. The list is empty for a gate that opens without a decision. */
export function verbsFor(wait: RolloutWait): readonly DecisionVerb[] {
  const { kind, name, loosened } = wait;
  if (loosened === true || !name.includes('/')) return [];
  if (isRejection(wait)) return ['retry'];
  // A newer manager may have recorded a kind of gate that this version does not know.
  return Object.hasOwn(VERBS, kind) ? VERBS[kind] : [];
}

/** Whether this item of `waitingFor` records a user's rejection, and not an approval gate that waits for approvals. */
export function isRejection({ kind, message = '' }: RolloutWait): boolean {
  return kind === 'Approval' && message.startsWith('rejected by');
}

/** Only approvals and rejections apply to one group; an override or a retry applies to the gate in all groups. */
function groupOf({ group }: RolloutWait, verb: DecisionVerb): string | undefined {
  return verb === 'override' || verb === 'retry' ? undefined : group;
}

export interface MadeDecision {
  readonly verb: DecisionVerb;
  /** The name of the user who decides, as the API server knows it. */
  readonly by: string;
  readonly comment: string | undefined;
  /** The wall time at which a gate override expires; ignored for the other verbs. */
  readonly endsAt: number;
}

/** Builds the RolloutApproval that records a decision. The rollout owns it, so the garbage collector deletes it after the rollout. */
export function approvalOf(
  { apiVersion, kind, metadata }: AddOnRollout,
  { entry, revision, gate, group }: DecidableGate,
  { verb, by, comment, endsAt }: MadeDecision,
): RolloutApproval {
  const { name = '', uid = '' } = metadata;
  return {
    apiVersion: 'outrigger.dev/v1alpha1',
    kind: 'RolloutApproval',
    metadata: { generateName: `${name}-${revision}-`, ownerReferences: [{ apiVersion, kind, name, uid }] },
    spec: {
      addOn: name,
      entry,
      revision,
      gate,
      ...(group === undefined ? {} : { group }),
      decision: DECISIONS[verb],
      ...(comment === undefined ? {} : { comment }),
      ...(verb === 'override' ? { expires: toTime(endsAt) } : {}),
      by,
    },
  };
}
