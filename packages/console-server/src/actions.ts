import { type AddOnRollout, addOnRollouts } from '@outrigger/api';
import type { Action, ActionResult } from '@outrigger/console-contract';
import { type JsonObject, isJsonObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { ViewFailure } from './http/messages.js';
import { commandOf } from './views/offers.js';

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The action in the body of a request; rejects whatever is not exactly one. */
export function parseAction(body: string): Action {
  const value = parseJson(body);
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
      throw invalid('action must be pause, resume, roll-back, follow or confirm-removal');
  }
}

/** Sends the action as the user; Kubernetes checks the user's rights and records the user in its audit log. */
export async function perform(client: Client, action: Action, dryRun: boolean): Promise<ActionResult> {
  const { addOn } = action;
  const rollout = await client.get(addOnRollouts, { name: addOn });
  const { spec, message } = changeOf(action, rollout);
  await client.patch(addOnRollouts, { name: addOn }, { type: 'merge', patch: { spec } }, { fieldManager: 'outrigger-console', dryRun });
  return { message, command: commandOf(action) };
}

function changeOf(action: Action, { status }: AddOnRollout): { readonly spec: JsonObject; readonly message: string } {
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
