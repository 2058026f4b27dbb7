import { shell } from '@outrigger/core';
import { type AddOnRollout } from '@outrigger/api';
import type { Action, OfferedAction } from '@outrigger/console-contract';
import { isPinned } from '@outrigger/rules/rollout';

/** The command of the `outrigger` CLI that does the same. */
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
  }
}

export function offer(action: Action, label: string, question?: string): OfferedAction {
  return { action, label, command: commandOf(action), ...(question === undefined ? {} : { question }) };
}

/** The actions that apply to the current state of the rollout. */
export function rolloutOffers(addOn: string, rollout: AddOnRollout | undefined): readonly OfferedAction[] {
  if (rollout === undefined) return [];
  const isHeld = isPinned(rollout.spec);
  const pending = rollout.status?.pendingRemoval;
  return [
    rollout.spec?.paused === true
      ? offer({ action: 'resume', addOn }, 'Resume')
      : offer({ action: 'pause', addOn }, 'Pause', `Clusters of ${addOn} that are in flight finish; no further cluster starts.`),
    ...(!isHeld
      ? []
      : [
          offer(
            { action: 'follow', addOn },
            'Follow the declaration',
            `${addOn} leaves the revision it is held at and follows its declaration again.`,
          ),
        ]),
    ...(pending === undefined ? [] : [confirmOffer(addOn, pending.count, pending.of)]),
  ];
}

export function confirmOffer(addOn: string, count: number, of: number): OfferedAction {
  return offer({ action: 'confirm-removal', addOn, count }, 'Confirm removal', `${addOn} will be removed from ${count} of ${of} clusters.`);
}
