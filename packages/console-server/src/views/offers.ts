import { shell } from '@outrigger/core';
import type { AddOnRollout, RolloutEntry } from '@outrigger/api';
import { type Action, DECISION_VERBS, type DecideAction, type DecisionVerb, type OfferedAction } from '@outrigger/console-contract';
import { type DecidableGate, decidableGates } from '@outrigger/rules/decisions';
import { isHalted, isPinned, waysBack } from '@outrigger/rules/rollout';
import type { Sight } from './sight.js';

/** The equivalent `outrigger` command. */
export function commandOf(action: Action): string {
  switch (action.action) {
    case 'pause':
      return shell`outrigger rollout pause ${action.addOn}`;
    case 'resume':
      return shell`outrigger rollout resume ${action.addOn}`;
    case 'roll-back':
      return shell`outrigger rollback ${action.addOn} --to-revision ${action.revision}`;
    case 'follow':
      return shell`outrigger rollback ${action.addOn} --clear`;
    case 'pause-all':
      return 'outrigger pause --all';
    case 'resume-all':
      return 'outrigger resume --all';
    case 'confirm-removal':
      return shell`outrigger rollout confirm ${action.addOn}`;
    case 'decide':
      return decideCommand(action);
  }
}

function decideCommand({ verb, addOn, gate, group, entry, comment, hours }: DecideAction): string {
  return [
    shell`outrigger rollout ${verb} ${addOn} --gate ${gate}`,
    ...(group === undefined ? [] : [shell`--group ${group}`]),
    shell`--entry ${entry}`,
    ...(comment === undefined ? [] : [shell`-m ${comment}`]),
    ...(hours === undefined ? [] : [shell`--for ${hours}h`]),
  ].join(' ');
}

export function offer(action: Action, label: string, question?: string): OfferedAction {
  return { action, label, command: commandOf(action), ...(question === undefined ? {} : { question }) };
}

/** Returns the actions that apply to the rollout in its current state. Empty if the user may not change rollouts. */
export function rolloutOffers(sight: Sight, addOn: string, rollout: AddOnRollout | undefined): readonly OfferedAction[] {
  if (rollout === undefined || !sight.mayChangeRollouts) return [];
  const pending = rollout.status?.pendingRemoval;
  const back = (rollout.status?.entries ?? []).some(isHalted) ? wayBackOffer(addOn, rollout) : undefined;
  return [
    ...(back === undefined ? [] : [back]),
    rollout.spec?.paused === true
      ? offer({ action: 'resume', addOn }, 'Resume')
      : offer({ action: 'pause', addOn }, 'Pause', `Clusters of ${addOn} that are in flight finish; no further cluster starts.`),
    ...(isPinned(rollout.spec) ? [followOffer(addOn)] : []),
    ...(pending === undefined ? [] : [confirmOffer(addOn, pending.count, pending.of)]),
  ];
}

/** Offers the rollback of an add-on to the revision that is its way back. Returns undefined if there is no way back. */
export function wayBackOffer(addOn: string, { status }: AddOnRollout): OfferedAction | undefined {
  const { revision } = waysBack(status?.entries ?? []);
  if (revision === undefined) return undefined;
  const version = status?.history?.find((item) => item.revision === revision)?.version;
  return offer(
    { action: 'roll-back', addOn, revision },
    `Roll back to ${version || `revision ${revision}`}`,
    `Every cluster of ${addOn} goes to revision ${revision}${version ? ` (${version})` : ''} and stays there.`,
  );
}

export function followOffer(addOn: string): OfferedAction {
  const question = `${addOn} leaves the revision it is pinned at and follows its declaration again.`;
  return offer({ action: 'follow', addOn }, 'Follow the declaration', question);
}

export function confirmOffer(addOn: string, count: number, of: number): OfferedAction {
  return offer({ action: 'confirm-removal', addOn, count }, 'Confirm removal', `${addOn} will be removed from ${count} of ${of} clusters.`);
}

const LABELS: Readonly<Record<DecisionVerb, string>> = { approve: 'Approve', reject: 'Reject', override: 'Override', retry: 'Retry' };

/** A gate of an entry, and the decisions to offer for it. A decision is offered only if it applies to the gate now. */
export interface OfferedGate {
  /** `<policy>/<gate>`. */
  readonly gate: string;
  readonly group?: string | undefined;
  readonly verbs: readonly DecisionVerb[];
}

/** Returns the decisions that apply now to one gate of an entry. Empty if the user may not create RolloutApprovals. */
export function decisionOffers(sight: Sight, addOn: string, entry: RolloutEntry, offered: OfferedGate): readonly OfferedAction[] {
  if (!sight.mayDecide) return [];
  const { gate, group = '', verbs } = offered;
  return DECISION_VERBS.filter((verb) => verbs.includes(verb)).flatMap((verb) =>
    decidableGates(entry, verb)
      .filter((one) => one.gate === gate && (one.group === undefined || one.group === group))
      .map((one) => decisionOffer(addOn, verb, one)),
  );
}

function decisionOffer(addOn: string, verb: DecisionVerb, { entry, revision, gate, group }: DecidableGate): OfferedAction {
  const action: DecideAction = { action: 'decide', verb, addOn, entry, revision, gate, ...(group === undefined ? {} : { group }) };
  const what = `revision ${revision} of ${addOn} at the gate ${gate}${group === undefined ? '' : ` of group ${group}`} (${entry})`;
  return { ...offer(action, LABELS[verb], questionOf(verb, what)), reason: verb === 'override' ? 'required' : 'optional' };
}

function questionOf(verb: DecisionVerb, what: string): string {
  switch (verb) {
    case 'approve':
      return `Approves ${what}. The gate opens when it has all the approvals that its policy requires.`;
    case 'reject':
      return `Rejects ${what}. No further cluster gets this revision until the rejection is retried.`;
    case 'override':
      return `Opens ${what}, although its policy holds the clusters.`;
    case 'retry':
      return `Lifts the rejection of ${what}. The gate is asked again.`;
  }
}
