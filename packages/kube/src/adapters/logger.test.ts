import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';

describe('log lines', () => {
  function logged(fields: Record<string, unknown>): Record<string, unknown> {
    const lines: string[] = [];
    createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } })
      .child({ controller: 'fleet' })
      .info(fields, 'a message');
    expect(lines).toEqual([expect.stringMatching(/^\{.*\}\n$/)]);
    return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  }

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each([
    ['a text with quotes and line breaks', 'a "b"\nc', 'a "b"\nc'],
    ['a nested value', { a: [1, { b: true }] }, { a: [1, { b: true }] }],
    ['a circular value', circular, expect.stringMatching(/^\(not loggable: /)],
    ['a number that JSON does not have', 10n, expect.stringMatching(/^\(not loggable: /)],
    ['an undefined value', undefined, undefined],
  ])('one line for %s', (_, value, written) => {
    const line = logged({ value });
    expect(line).toMatchObject({ level: 30, controller: 'fleet', message: 'a message' });
    expect(line['value']).toEqual(written);
  });

  it('errors keep their type, their own fields and the messages of their causes, at any depth', () => {
    const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E1' });
    const expected = { type: 'TypeError', message: 'outer: inner', code: 'E1', stack: expect.stringContaining('caused by') as string };
    expect(logged({ error })['error']).toMatchObject(expected);
    expect(logged({ details: { error } })['details']).toMatchObject({ error: expected });
  });

  it('an error that is its own cause ends', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(logged({ error })['error']).toMatchObject({ message: 'loop' });
  });
});
