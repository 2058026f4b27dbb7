import { describe, expect, it } from 'vitest';
import {
  guessPlural,
  parseApiVersion,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from './names.js';

const x64 = 'x'.repeat(64);
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
  "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('names', () => {
  it.each(['a', '0', 'my-name', '123-abc', 'x'.repeat(63)])('%s is a DNS label', (name) => expect(validateDns1123Label(name)).toEqual([]));
  const badLabels: readonly [string, string[]][] = [
    ['', [LABEL]],
    ['A', [LABEL]],
    ['-a', [LABEL]],
    ['a-', [LABEL]],
    ['a\n', [LABEL]],
    ['a.b', ['must not contain dots']],
    [x64, ['must be no more than 63 characters']],
  ];
  it.each(badLabels)('%j is no DNS label', (name, want) => expect(validateDns1123Label(name)).toEqual(want));

  it.each(['a', 'a.b', 'example.com', `${x64}.a`])('%s is a DNS subdomain', (name) => expect(validateDns1123Subdomain(name)).toEqual([]));
  it.each(['', 'a..b', '.a', 'a_b', 'é'])('%j is no DNS subdomain', (name) => {
    expect(validateDns1123Subdomain(name)).toEqual([
      expect.stringContaining("(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]"),
    ]);
  });
  it('a subdomain has at most 253 bytes', () => {
    expect(validateDns1123Subdomain('a'.repeat(254))).toEqual(['must be no more than 253 characters']);
  });

  it('a DNS-1035 label starts with a letter', () => {
    expect(validateDns1035Label('abc-123')).toEqual([]);
    expect(validateDns1035Label('1a')).toHaveLength(1);
  });

  it.each(['simple', 'now-with-dashes', '1.2.3.4', 'example.com/MyName', 'UPPER_case.1'])('%s is a qualified name', (name) => {
    expect(validateQualifiedName(name)).toEqual([]);
  });
  const badNames: readonly [string, string[]][] = [
    ['', ['name part must be non-empty', 'name part must consist of alphanumeric']],
    ['a/b/c', ['a valid label key must consist of']],
    ['/name', ['prefix part must be non-empty']],
    ['Example.com/name', ['prefix part a lowercase RFC 1123 subdomain']],
    ['example.com/', ['name part must be non-empty', 'name part must consist of']],
    [x64, ['name part must be no more than 63 bytes']],
    ['a b', ['name part must consist of']],
  ];
  it.each(badNames)('%j is no qualified name', (name, want) => {
    expect(validateQualifiedName(name)).toEqual(want.map((text): unknown => expect.stringContaining(text)));
  });

  it.each(['', 'a', 'MyValue', 'my_value', '12345', 'a'.repeat(63)])('%j is a label value', (value) =>
    expect(validateLabelValue(value)).toEqual([]),
  );
  it.each(['-', 'a b', 'a/b', 'a-', x64])('%j is no label value', (value) => expect(validateLabelValue(value)).toHaveLength(1));
  it('counts bytes, as the server does', () => expect(validateLabelValue('é'.repeat(32))[0]).toBe('must be no more than 63 bytes'));
});

describe('parseApiVersion', () => {
  it('splits group and version', () => {
    expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
    expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(() => parseApiVersion('a/b/c')).toThrow('unexpected GroupVersion string: a/b/c');
  });
});

describe('guessPlural', () => {
  it.each([
    ['Pod', 'pods'],
    ['NetworkPolicy', 'networkpolicies'],
    ['Ingress', 'ingresses'],
    ['Endpoints', 'endpoints'],
    ['ManagedClusterAddOn', 'managedclusteraddons'],
    ['Gateway', 'gatewaies'],
  ])('%s gives %s, as the API machinery guesses', (kind, want) => expect(guessPlural(kind)).toBe(want));
});
