import { ApiError, type ApiReason, type Logger } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import type { Action } from '../decision.js';
import { NotLeadingError } from '../leader/fence.js';
import { FailureLog } from './failure-log.js';
import { CHILDREN, child } from './fixtures.js';

const base = { api: 'hub', kind: CHILDREN, id: 'x' } as const;
const target = { key: { namespace: 'toy', name: 'a' }, precondition: { uid: 'u' } } as const;
const create: Action = { ...base, type: 'create', object: child('a', 0) };
const patch: Action = { ...base, ...target, type: 'patch', patch: {} };
const replace: Action = { ...base, type: 'replace', object: child('a', 0) };
const remove: Action = { ...base, ...target, type: 'delete' };
const apply: Action = { ...base, type: 'apply', object: child('a', 0), fieldManager: 'toy' };

function recorded(): { readonly failures: FailureLog; readonly lines: string[] } {
  const lines: string[] = [];
  const note =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push(`${level} ${message}${'error' in fields ? `: ${String(fields.error)}` : ''}`);
  const log: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error'), child: () => log };
  return { failures: new FailureLog(log), lines };
}

describe('the log of failures', () => {
  it.each<{ name: string; action: Action; reason: ApiReason }>([
    { name: 'a create of an object that another client created first', action: create, reason: 'AlreadyExists' },
    { name: 'a patch of an object that another client changed first', action: patch, reason: 'Conflict' },
    { name: 'a patch of an object that another client deleted first', action: patch, reason: 'NotFound' },
    { name: 'a replace of an object that another client changed first', action: replace, reason: 'Conflict' },
    { name: 'a replace of an object that another client deleted first', action: replace, reason: 'NotFound' },
    { name: 'a delete of an object that another client deleted first', action: remove, reason: 'NotFound' },
    { name: 'a delete of an object that another client replaced first', action: remove, reason: 'Conflict' },
    { name: 'an apply to an object that another client changed first', action: apply, reason: 'Conflict' },
  ])('does not report $name, but reports a cache that does not catch up, once', ({ action, reason }) => {
    const { failures, lines } = recorded();
    const error = new ApiError(reason, 'refused');
    for (let setbacks = 1; setbacks < 10; setbacks++) failures.report('toy/a', error, action, setbacks);
    failures.recovered('toy/a');
    expect(lines).toEqual([]);
    for (let setbacks = 1; setbacks < 20; setbacks++) failures.report('toy/a', error, action, setbacks);
    failures.recovered('toy/a');
    expect(lines).toEqual(['warn action failed: refused', 'info recovered']);
  });

  it.each<{ name: string; action: Action; reason: ApiReason }>([
    { name: 'a create the server forbids', action: create, reason: 'Forbidden' },
    { name: 'a create in a namespace that does not exist', action: create, reason: 'NotFound' },
    { name: 'an object of another owner in the way of an adoption', action: { ...create, adopt: true }, reason: 'AlreadyExists' },
    { name: 'a patch the server finds invalid', action: patch, reason: 'Invalid' },
    { name: 'an apply to a namespace that does not exist', action: apply, reason: 'NotFound' },
  ])('reports $name at once, and once', ({ action, reason }) => {
    const { failures, lines } = recorded();
    for (let setbacks = 1; setbacks < 20; setbacks++) failures.report('toy/a', new ApiError(reason, 'refused'), action, setbacks);
    expect(lines).toEqual(['warn action failed: refused']);
  });

  it('reports nothing when a manager stopped leading', () => {
    const { failures, lines } = recorded();
    for (let setbacks = 1; setbacks < 20; setbacks++) failures.report('toy/a', new NotLeadingError(), create, setbacks);
    expect(lines).toEqual([]);
  });
});
