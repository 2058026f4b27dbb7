import { type Action, DECISION_VERBS, type DecideAction } from '@outrigger/console-contract';
import { type JsonObject, isJsonObject, parseJson } from '@outrigger/core';
import { ViewFailure } from './http/messages.js';

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Parses the action in a request body. Rejects any body that is not exactly one valid action. */
export function parseAction(body: string): Action {
  const value = parseJson(body);
  if (value === undefined) throw invalid('the body is not JSON');
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
    case 'decide':
      return decision(value, addOn);
    default:
      throw invalid('action must be pause, resume, roll-back, follow, confirm-removal, decide, pause-all or resume-all');
  }
}

const GATE = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/([a-z0-9]([-a-z0-9]*[a-z0-9])?|onFailure)$/;
const MAX_HOURS = 24;

function decision(value: JsonObject, addOn: string): DecideAction {
  const verb = DECISION_VERBS.find((one) => one === value['verb']);
  if (verb === undefined) throw invalid(`verb must be ${DECISION_VERBS.join(', ')}`);
  const gate = text(value['gate'], 'gate', 320);
  if (!GATE.test(gate)) throw invalid('gate must be <policy>/<name>');
  const group = value['group'] === undefined ? undefined : text(value['group'], 'group', 63);
  const comment = value['comment'] === undefined ? undefined : text(value['comment'], 'comment', 1_024);
  if (verb === 'override' && comment === undefined) throw invalid('an override needs a comment that says why');
  const hours = value['hours'] === undefined ? undefined : positive(value['hours'], 'hours');
  if (hours !== undefined && (verb !== 'override' || hours > MAX_HOURS)) throw invalid(`hours is for an override, at most ${MAX_HOURS}`);
  return {
    action: 'decide',
    verb,
    addOn,
    entry: text(value['entry'], 'entry', 320),
    revision: positive(value['revision'], 'revision'),
    gate,
    ...(group === undefined ? {} : { group }),
    ...(comment === undefined ? {} : { comment }),
    ...(hours === undefined ? {} : { hours }),
  };
}

function text(value: unknown, field: string, longest: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return value;
  throw invalid(`${field} must be a text of 1 to ${longest} characters`);
}

function positive(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw invalid(`${field} must be a whole number from 1 on`);
}

function invalid(message: string): ViewFailure {
  return new ViewFailure('bad-request', message);
}
