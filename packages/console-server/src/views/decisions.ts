import { type RolloutApproval, rolloutApprovals } from '@outrigger/api';
import type { ActivityItem } from '@outrigger/console-contract';
import type { FleetState } from '../state/state.js';
import { linkTo } from './links.js';

const REASONS: Readonly<Record<RolloutApproval['spec']['decision'], { readonly reason: string; readonly verb: string }>> = {
  Approved: { reason: 'GateApproved', verb: 'approved' },
  Rejected: { reason: 'RevisionRejected', verb: 'rejected' },
  Overridden: { reason: 'GateOverridden', verb: 'overrode' },
  Retried: { reason: 'RevisionRetried', verb: 'retried' },
};

/** The decisions about gates that users made, from the RolloutApprovals that the hub keeps. */
export function decisionItems({ approvals }: FleetState): readonly ActivityItem[] {
  return [...approvals.values()].map(({ metadata, spec }) => {
    const { addOn, entry, revision, gate, group, decision, comment, expires, by } = spec;
    const { reason, verb } = REASONS[decision];
    const where = `${gate}${group === undefined ? '' : ` of group ${group}`}`;
    const until = expires === undefined ? '' : `, until ${expires}`;
    return {
      id: `approval/${metadata.name ?? ''}`,
      at: metadata.creationTimestamp ?? '',
      type: decision === 'Rejected' || decision === 'Overridden' ? 'Warning' : 'Normal',
      reason,
      message: `${by} ${verb} ${where} for revision ${revision} of ${entry}${until}${comment === undefined ? '' : `: ${comment}`}`,
      addOn,
      by,
      count: 1,
      object: linkTo(rolloutApprovals, metadata.name ?? ''),
    };
  });
}
