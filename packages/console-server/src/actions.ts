import { type AddOnRollout, FLEET_ROLLOUT, addOnRollouts, rolloutApprovals } from '@outrigger/api';
import type { Action, ActionResult, DecideAction, DecisionVerb } from '@outrigger/console-contract';
import { apiVersionOf, countText } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { approvalOf, decidableGates } from '@outrigger/rules/decisions';
import { userNameOf } from './access/identity.js';
import { ViewFailure } from './http/messages.js';
import { commandOf } from './views/offers.js';

export interface ActionOptions {
  /** Whether the API server only checks the write and stores nothing. */
  readonly dryRun: boolean;
  /** The time in milliseconds since the epoch. */
  readonly now: number;
}

/** Sends the action as the user. Kubernetes checks the user's permissions and records the user in its audit log. */
export async function perform(client: Client, action: Action, { dryRun, now }: ActionOptions): Promise<ActionResult> {
  if (action.action === 'pause-all' || action.action === 'resume-all') return steerFleet(client, action, dryRun);
  if (action.action === 'decide') return decide(client, action, { dryRun, now });
  const { addOn } = action;
  const rollout = await client.get(addOnRollouts, { name: addOn });
  const { spec, message } = changeOf(action, rollout);
  await client.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec } }, { fieldManager: 'outrigger-console', dryRun });
  return { message, command: commandOf(action) };
}

const HOUR_MS = 3_600_000;

const DECIDED: Readonly<Record<DecisionVerb, string>> = {
  approve: 'is approved',
  reject: 'is rejected',
  override: 'is open',
  retry: 'is asked again',
};

/** Creates a RolloutApproval as the user. Fails if the gate no longer waits for this decision about this revision. */
async function decide(client: Client, action: DecideAction, { dryRun, now }: ActionOptions): Promise<ActionResult> {
  const { verb, addOn, entry, revision, gate, group, comment, hours = 1 } = action;
  const rollout = await client.get(addOnRollouts, { name: addOn });
  const found = (rollout.status?.entries ?? [])
    .filter(({ name }) => name === entry)
    .flatMap((one) => decidableGates(one, verb))
    .find((one) => one.gate === gate && one.group === group && one.revision === revision);
  if (found === undefined)
    throw new ViewFailure(
      'conflict',
      `${addOn}: the gate ${gate} no longer waits for this decision about revision ${revision}: look again`,
    );
  const made = { verb, by: await userNameOf(client), comment, endsAt: now + hours * HOUR_MS };
  await client.create(rolloutApprovals, approvalOf(rollout, found, made), { fieldManager: 'outrigger-console', dryRun });
  const of = group === undefined ? '' : ` of group ${group}`;
  return { message: `${addOn}: ${gate}${of} ${DECIDED[verb]} for revision ${revision}`, command: commandOf(action) };
}

/** Pauses or resumes all rollouts of the fleet with one object, the AddOnRollout for all add-ons. */
async function steerFleet(client: Client, action: FleetAction, dryRun: boolean): Promise<ActionResult> {
  const paused = action.action === 'pause-all';
  const object: AddOnRollout = {
    apiVersion: apiVersionOf(addOnRollouts),
    kind: addOnRollouts.kind,
    metadata: { name: FLEET_ROLLOUT },
    spec: { paused },
  };
  await client.apply(addOnRollouts, object, { fieldManager: 'outrigger-pause', force: true, dryRun });
  const message = paused
    ? 'all rollouts are paused: clusters in flight finish, no further cluster starts'
    : 'rollouts go on, except those of add-ons that are paused by name';
  return { message, command: commandOf(action) };
}

type SpecPatch = Readonly<Record<string, boolean | number | null>>;
type FleetAction = Extract<Action, { readonly action: 'pause-all' | 'resume-all' }>;

function changeOf(
  action: Exclude<Action, FleetAction | DecideAction>,
  { status }: AddOnRollout,
): { readonly spec: SpecPatch; readonly message: string } {
  const { addOn } = action;
  switch (action.action) {
    case 'pause':
      return { spec: { paused: true }, message: `${addOn} is paused: clusters in flight finish, no further cluster starts` };
    case 'resume':
      return { spec: { paused: null }, message: `${addOn} goes on` };
    case 'follow':
      return { spec: { pinnedRevision: null, pinnedEntries: null }, message: `${addOn} follows its declaration again` };
    case 'roll-back': {
      const target = status?.history?.find(({ revision }) => revision === action.revision);
      if (target === undefined) throw new ViewFailure('conflict', `${addOn} has no revision ${action.revision} any more`);
      return {
        spec: { pinnedRevision: action.revision, pinnedEntries: null },
        message: `${addOn} goes to revision ${action.revision} and is pinned there`,
      };
    }
    case 'confirm-removal': {
      const waiting = status?.pendingRemoval?.count;
      if (waiting !== action.count)
        throw new ViewFailure(
          'conflict',
          waiting === undefined
            ? `no removal of ${addOn} waits for a confirmation`
            : `${waiting} removals of ${addOn} wait now, not ${action.count}: look again`,
        );
      return { spec: { confirmRemoval: action.count }, message: `${addOn} will be removed from ${countText(action.count, 'cluster')}` };
    }
  }
}
