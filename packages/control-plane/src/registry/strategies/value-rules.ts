import { fieldError, type FieldError, isIpv4, isIpv6 } from '@outrigger/core/schema';

/** Rules that many fields of built-in kinds share, with kube-apiserver's messages. The schema check reports values of another type. */

export function notNegative(field: string, value: unknown): FieldError[] {
  return typeof value === 'number' && value < 0 ? [fieldError.invalid(field, value, 'must be greater than or equal to 0')] : [];
}

export function portNumber(field: string, value: number): FieldError[] {
  return value >= 1 && value <= 65_535 ? [] : [fieldError.invalid(field, value, 'must be between 1 and 65535, inclusive')];
}

export const BAD_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
export const BAD_RANGE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export function isIpAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

/** Validates a port of a container, by number or by name. A missing port counts as 0, which is not valid. */
export function portReference(field: string, value: unknown): FieldError[] {
  return typeof value === 'string' ? portName(field, value) : portNumber(field, typeof value === 'number' ? value : 0);
}

export function portName(field: string, name: string): FieldError[] {
  const problems = [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
  return problems.map((problem) => fieldError.invalid(field, name, problem));
}

const BAD_PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates a value that must be a percentage or a number that is not negative. */
export function countOrPercent(field: string, value: unknown): FieldError[] {
  if (typeof value !== 'string') return notNegative(field, value);
  return /^[0-9]+%$/.test(value) ? [] : [fieldError.invalid(field, value, BAD_PERCENT)];
}

/** Validates that a percentage is at most that of all pods. */
export function notAboveAll(field: string, value: unknown): FieldError[] {
  const isAbove = typeof value === 'string' && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100;
  return isAbove ? [fieldError.invalid(field, value, 'must not be greater than 100%')] : [];
}
