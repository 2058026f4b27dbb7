import { type AddOnRollout, FLEET_ROLLOUT, addOnRollouts } from '@outrigger/api';
import type { Action, ActionResult } from '@outrigger/console-contract';
import { type JsonObject, apiVersionOf, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { ViewFailure } from './http/messages.js';
import { commandOf } from './views/offers.js';

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Parses the action in a request body; rejects everything that is not exactly one valid action. */
export function parseAction(body: string): Action {
  const value = parseJson(body);
  const name = isJsonObject(value) ? value['action'] : undefined;
  if (name === 'pause-all' || name === 'resume-all') return { action: name };
  const addOn = isJsonObject(value) ? value['addOn'] : undefined;
  if (!isJsonObject(value) || typeof addOn !== 'string' || !NAME.test(addOn)) throw invalid('addOn must be the name of an add-on');
  switch (value['action']) {
    case 'pause':
    case 'resume':
    case 'follow':
      return { action: value['action'], addOn };
    case 'roll-back':
      return { action: 'roll-back', addOn, revision: positive(value['revision'], 'revision') };
    case 'confirm-removal':
      return { action: 'confirm-removal', addOn, count: positive(value['count'], 'count') };
    default:
      throw invalid('action must be pause, resume, roll-back, follow, confirm-removal, pause-all or resume-all');
  }
}

/** Sends the action as the user; Kubernetes checks the user's permissions and records the user in its audit log. */
export async function perform(client: Client, action: Action, dryRun: boolean): Promise<ActionResult> {
  if (action.action === 'pause-all' || action.action === 'resume-all') return steerFleet(client, action, dryRun);
  const { addOn } = action;
  const rollout = await client.get(addOnRollouts, { name: addOn });
  const { spec, message } = changeOf(action, rollout);
  await client.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec } }, { fieldManager: 'outrigger-console', dryRun });
  return { message, command: commandOf(action) };
}

/** Pauses or resumes all rollouts of the fleet with one object: the AddOnRollout that applies to all add-ons. */
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

type FleetAction = Extract<Action, { readonly action: 'pause-all' | 'resume-all' }>;

function changeOf(action: Exclude<Action, FleetAction>, { status }: AddOnRollout): { readonly spec: JsonObject; readonly message: string } {
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
        message: `${addOn} goes to revision ${action.revision} and is held there`,
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
      return { spec: { confirmRemoval: action.count }, message: `${addOn} will be removed from ${action.count} clusters` };
    }
  }
}

function positive(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw invalid(`${field} must be a whole number from 1 on`);
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalid('the body is not JSON');
  }
}

function invalid(message: string): ViewFailure {
  return new ViewFailure('bad-request', message);
}
