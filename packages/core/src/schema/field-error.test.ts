import { describe, expect, it } from 'vitest';
import { fieldError, fieldErrorText, invalidError } from './index.js';
import { goFloat, goJson, goLiteral, goNumber, goQuote, goValue } from './go-format.js';

const kind = { group: 'addon.open-cluster-management.io', kind: 'ManagedClusterAddOn' };

describe('invalidError', () => {
  it('formats a single error without brackets', () => {
    const error = invalidError(kind, 'x', [fieldError.required('spec.name')]);
    expect(error.message).toBe('ManagedClusterAddOn.addon.open-cluster-management.io "x" is invalid: spec.name: Required value');
    expect(error.toStatus()).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        name: 'x',
        group: kind.group,
        kind: kind.kind,
        causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.name' }],
      },
    });
  });

  it('formats several errors in brackets, equal ones once, and lists all of them as causes', () => {
    const twice = fieldError.invalid('a', 5, 'no');
    const error = invalidError({ group: '', kind: 'Pod' }, 'p', [twice, fieldError.duplicate('b[1]', { k: 'v' }), twice]);
    expect(error.message).toBe('Pod "p" is invalid: [a: Invalid value: 5: no, b[1]: Duplicate value: {"k":"v"}]');
    expect(error.details?.causes).toHaveLength(3);
    expect(error.details).not.toHaveProperty('group');
  });
});

describe('fieldErrorText', () => {
  const cases: [Parameters<typeof fieldErrorText>[0], string][] = [
    [fieldError.unsupported('m', 'C', ['A', 'B']), 'm: Unsupported value: "C": supported values: "A", "B"'],
    [fieldError.tooLong('s', 63), 's: Too long: may not be more than 63 bytes'],
    [fieldError.tooMany('l', 3, 1), 'l: Too many: 3: must have at most 1 item'],
    [fieldError.forbidden('f', 'no'), 'f: Forbidden: no'],
    [fieldError.notFound('f', 'x'), 'f: Not found: "x"'],
    [fieldError.internal('f', 'oops'), 'f: Internal error: oops'],
    [fieldError.invalid('f', null, 'no'), 'f: Invalid value: null: no'],
    [fieldError.invalid('f', undefined, 'without value'), 'f: Invalid value: without value'],
  ];
  it.each(cases)('%j', (error, want) => expect(fieldErrorText(error)).toBe(want));
});

describe("Go's formats", () => {
  it('quotes as %q does', () => {
    expect(goQuote('a"b\\c\n\x07é日\u200b\u{1f600}\x7f')).toBe('"a\\"b\\\\c\\n\\aé日\\u200b\u{1f600}\\x7f"');
  });
  it('prints numbers as %v does', () => {
    expect([
      goNumber(12345678),
      goNumber(1e20),
      goFloat(12345678.5),
      goFloat(0.00001),
      goFloat(1e7),
      goFloat(0.5),
      goFloat(123456.5),
    ]).toEqual(['12345678', '1e+20', '1.23456785e+07', '1e-05', '1e+07', '0.5', '123456.5']);
  });
  it('prints values as json.Marshal, %v and %#v do', () => {
    const value = { b: [1, 'x'], a: '<&>' };
    expect(goJson(value)).toBe('{"a":"\\u003c\\u0026\\u003e","b":[1,"x"]}');
    expect(goValue(value)).toBe('map[a:<&> b:[1 x]]');
    expect(goLiteral(value)).toBe('map[string]interface {}{"a":"<&>", "b":[]interface {}{1, "x"}}');
  });
});
