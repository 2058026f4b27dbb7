import { describe, expect, it } from 'vitest';
import { parseAction } from './parse-action.js';

const decide = { action: 'decide', verb: 'approve', addOn: 'hello', entry: 'default/all', revision: 7, gate: 'careful/go' };

describe('an action', () => {
  it.each([
    { action: 'pause', addOn: 'hello' },
    { action: 'resume', addOn: 'hello' },
    { action: 'follow', addOn: 'hello' },
    { action: 'roll-back', addOn: 'hello', revision: 3 },
    { action: 'confirm-removal', addOn: 'hello', count: 3 },
    { action: 'pause-all' },
    { action: 'resume-all' },
    decide,
    { ...decide, group: 'production', comment: 'tested' },
    { ...decide, verb: 'override', comment: 'fix', hours: 24 },
  ])('%j is accepted as it is, without other fields', (action) => {
    expect(parseAction(JSON.stringify({ ...action, by: 'admin', spec: {}, dryRun: true }))).toEqual(action);
  });

  it.each([
    ['', 'the body is not JSON'],
    ['[]', 'addOn must be'],
    [{ action: 'drop', addOn: 'hello' }, 'action must be'],
    [{ action: 'pause' }, 'addOn must be'],
    [{ action: 'pause', addOn: '../x' }, 'addOn must be'],
    [{ action: 'roll-back', addOn: 'hello', revision: 0 }, 'revision must be'],
    [{ action: 'confirm-removal', addOn: 'hello', count: '3' }, 'count must be'],
    [{ ...decide, verb: 'delete' }, 'verb must be approve, reject, override, retry'],
    [{ ...decide, verb: 'constructor' }, 'verb must be'],
    [{ ...decide, gate: 'careful' }, 'gate must be <policy>/<name>'],
    [{ ...decide, gate: 'a/../b' }, 'gate must be <policy>/<name>'],
    [{ ...decide, entry: '' }, 'entry must be'],
    [{ ...decide, entry: 'x'.repeat(321) }, 'entry must be'],
    [{ ...decide, revision: 1.5 }, 'revision must be'],
    [{ ...decide, comment: 'x'.repeat(1_025) }, 'comment must be'],
    [{ ...decide, verb: 'override' }, 'an override needs a comment'],
    [{ ...decide, verb: 'override', comment: ' ' }, 'comment must be'],
    [{ ...decide, verb: 'override', comment: 'fix', hours: 25 }, 'hours is for an override, at most 24'],
    [{ ...decide, hours: 1 }, 'hours is for an override'],
  ])('%j is rejected', (body, message) => {
    expect(() => parseAction(typeof body === 'string' ? body : JSON.stringify(body))).toThrow(message);
  });
});
