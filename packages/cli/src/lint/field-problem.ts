import { patternWords } from '@outrigger/api';
import type { FieldError } from '@outrigger/core/schema';
import { nearest } from '@outrigger/rules/explanation';
import { stepsOf, valueAt } from './path.js';

/** Formats a schema violation: `spec.x: "150%": use a number, or 0% to 100%`. Returns undefined for errors that name no field. */
export function fieldProblem(error: FieldError, object: unknown): string | undefined {
  // An error without a field says that rules were not checked, or that no alternative of a schema matched. Such an error is redundant,
  // because a separate error names the field.
  if (error.field === '<nil>') return undefined;
  return `${error.field}: ${explained(error, valueAt(object, stepsOf(error.field)))}`;
}

function explained(error: FieldError, value: unknown): string {
  const detail = withoutRegex(error.detail.replace(`${error.field} in body `, ''));
  switch (error.type) {
    case 'Required':
      return detail === '' ? 'a value is required, and there is none' : detail;
    case 'Unsupported':
      return unsupported(value, detail);
    case 'Duplicate':
      return `${shown(error.value)} is there twice: remove or rename one`;
    case 'TypeInvalid':
      return wrongType(value, detail);
    case 'Invalid':
      return invalid(isShort(value) ? value : (error.value ?? value), detail);
    default:
      return detail === '' ? error.type : detail.replace(/^may not be/, 'must not be');
  }
}

function invalid(value: unknown, detail: string): string {
  const pattern = /^should match '(.*)'$/s.exec(detail)?.[1];
  const words = pattern === undefined ? undefined : patternWords(pattern);
  if (words !== undefined) return `${shown(value)}: ${words}`;
  if (detail.startsWith('must be of type ')) return wrongType(value, detail);
  return isShort(value) ? `${shown(value)}: ${detail.replace(/^should /, 'must ')}` : detail.replace(/^should /, 'must ');
}

function unsupported(value: unknown, detail: string): string {
  const supported = [...detail.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, one = '']) => one);
  if (supported.length === 0) return `${shown(value)} is not supported${detail === '' ? '' : `: ${detail}`}`;
  const near = typeof value === 'string' ? nearest(value, supported) : undefined;
  return `${shown(value)} is not supported: ${near === undefined ? '' : `did you mean ${near}? `}${near === undefined ? 'use' : 'Use'} ${listed(supported)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  int32: 'a whole number',
  int64: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

export function wrongType(value: unknown, detail: string): string {
  const wanted = /^must be of type ([\w,]+)/.exec(detail)?.[1];
  if (wanted === undefined) return detail;
  const words = wanted.split(',').map((type) => TYPES[type] ?? type);
  const must = `must be ${words.join(' or ')}`;
  if (typeof value === 'string' && value.includes('{{'))
    return `${must}, and a variable always gives a string: write the value itself; templates that differ in it are different versions`;
  if (typeof value === 'string' && wanted !== 'string') {
    const isPlain = wanted === 'boolean' ? /^(true|false)$/.test(value) : /^(integer|number|int)/.test(wanted) && /^-?\d+$/.test(value);
    return `${must}, not the string ${shown(value)}${isPlain ? `: write ${value} without quotes` : ''}`;
  }
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  if (isScalar && wanted === 'string') return `${must}, not ${String(value)}: write it in quotes`;
  return `${must}, not ${described(value)}`;
}

function described(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null || value === undefined) return 'empty';
  return typeof value === 'object' ? 'a map' : shown(value);
}

/** Removes the regular expression that follows the explanation in Kubernetes' messages about names. */
export function withoutRegex(detail: string): string {
  return detail.replace(/, regex used for validation is '[^']*'/g, '');
}

function isShort(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
