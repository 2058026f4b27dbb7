import { isBase64, isCidr, isDuration, isEmail, isHostname, isIpv4, isIpv6, isMac, isRequestUri } from './format-rules.js';

type Format = (text: string) => boolean;

const matches =
  (pattern: RegExp): Format =>
  (text) =>
    pattern.test(text);

const uuid = (third: string, fourth: string): Format =>
  matches(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i'));

const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * The formats that a CustomResourceDefinition can enforce, by name without dashes. An API server ignores all other formats, including
 * `int32` and `int64`.
 */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', uuid('[0-9a-f]{4}', '[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}', '[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && SHORT_NAME.test(text)],
  ['k8slongname', (text) => text.length <= 253 && LONG_NAME.test(text)],
]);

/** Returns the predicate for a format, or undefined if API servers do not enforce it. */
export function formatNamed(name: string | undefined): Format | undefined {
  return name === undefined ? undefined : FORMATS.get(name.replaceAll('-', ''));
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`);
}

const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether a string is an RFC 3339 time with a day that exists in its month. */
function isDateTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  if (month < 1 || month > 12 || day < 1) return false;
  if (day > 28 && day > daysIn(Number(text.slice(0, 4)), month)) return false;
  return twoDigits(text, 11) <= 23 && twoDigits(text, 14) <= 59 && twoDigits(text, 17) <= 59;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, c, i) => total + (10 - i) * (c === 'X' ? 10 : Number(c)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, c, i) => total + (i % 2 === 0 ? 1 : 3) * Number(c), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!CARD.test(digits)) return false;
  const luhn = [...digits].reverse().reduce((total, c, i) => total + (i % 2 === 0 ? Number(c) : doubled(Number(c))), 0);
  return luhn % 10 === 0;
}
const CARD = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function doubled(digit: number): number {
  return digit < 5 ? digit * 2 : digit * 2 - 9;
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return parts !== null && parts.slice(1).every((part) => !(part.length > 1 && part.startsWith('0')) && Number(part) <= 255);
}
