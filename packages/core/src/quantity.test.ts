import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuantity, Quantity } from './quantity.js';

describe('parseQuantity', () => {
  it.each([
    ['0', '0'],
    ['0Ki', '0'],
    ['1', '1'],
    ['1.0', '1'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+5', '5'],
    ['-5', '-5'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1000m', '1'],
    ['1u', '1u'],
    ['0.000000001', '1n'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['1Ki', '1Ki'],
    ['1024Ki', '1Mi'],
    ['0.5Mi', '512Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['1023', '1023'],
    ['100Ki', '100Ki'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1500e-3', '1500e-3'],
    ['12e6', '12e6'],
    ['1E', '1E'],
    ['1Ei', '1Ei'],
    ['100000000000000000000', '9223372036854775807'],
    ['1000E', '1000E'],
    ['1e30', '1e30'],
    ['1e-100000', '1e-9'],
    ['9999Ei', '9223372036854775807'],
  ])('%s is canonically %s', (text, want) => expect(parseQuantity(text).toString()).toBe(want));

  it.each([
    ['', 'quantities must match'],
    ['abc', 'quantities must match'],
    ['.', 'quantities must match'],
    ['1 Gi', 'quantities must match'],
    ['1.2.3', 'quantities must match'],
    ['--1', 'quantities must match'],
    ['1Kb', "unable to parse quantity's suffix"],
    ['1ki', "unable to parse quantity's suffix"],
    ['1m3', "unable to parse quantity's suffix"],
    ['1e', "unable to parse quantity's suffix"],
    ['1'.repeat(300), 'quantities must match'],
  ])('refuses %j', (text, message) => expect(() => parseQuantity(text)).toThrow(message));
});

describe('quantities as numbers', () => {
  const amounts = fc.bigInt(-(10n ** 18n), 10n ** 18n).map((nanos) => new Quantity(nanos));

  it('compare by amount, whatever the notation', () => {
    expect(parseQuantity('1Gi').compare(parseQuantity('1G'))).toBe(1);
    expect(parseQuantity('1000m').compare(parseQuantity('1'))).toBe(0);
    expect(parseQuantity('-1').compare(parseQuantity('1n'))).toBe(-1);
  });
  it('add and subtract exactly, in the format of the first', () => {
    expect(parseQuantity('0.1').add(parseQuantity('0.2')).toString()).toBe('300m');
    expect(parseQuantity('1Gi').subtract(parseQuantity('512Mi')).toString()).toBe('512Mi');
    expect(parseQuantity('0').add(parseQuantity('1Gi')).toString()).toBe('1Gi');
  });
  it('as JavaScript numbers', () => {
    expect(parseQuantity('1500m').toNumber()).toBe(1.5);
    expect(parseQuantity('1Gi').toNumber()).toBe(1024 ** 3);
    expect(parseQuantity('1500m').isInteger).toBe(false);
  });
  it('addition is undone by subtraction and ordered like its operands', () => {
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, c) => {
        expect(a.add(b).subtract(b).nanos).toBe(a.nanos);
        expect(a.add(c).compare(b.add(c))).toBe(a.compare(b));
      }),
    );
  });
  it('the canonical form is read back as the same amount, and is a fixed point', () => {
    const formats = fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const);
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 80n), 2n ** 80n), formats, (nanos, format) => {
        const text = new Quantity(nanos, format).toString();
        expect(parseQuantity(text).nanos).toBe(nanos);
        expect(parseQuantity(text).toString()).toBe(text);
      }),
    );
  });
});
