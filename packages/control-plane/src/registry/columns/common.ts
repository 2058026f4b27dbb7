import { compileLabelSelector, parseTime } from '@outrigger/core';
import { isFields, type Fields } from '../draft.js';
import type { Column } from '../resource.js';

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  value: ({ metadata }) => metadata.name ?? '',
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  value: ({ metadata }, now) => since(metadata.creationTimestamp, now),
};

/** Formats an age as kubectl does: `5m3s`, `2d4h`, `3y12d`. */
export function since(time: string | undefined, now: number): string {
  const from = parseTime(time);
  return from === undefined ? '<unknown>' : duration(now - from);
}

export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return joined(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return joined(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return joined(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? joined(years, 'y', days % 365, 'd') : `${years}y`;
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

export const createdAtColumn: Column = {
  name: 'Created At',
  type: 'date',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  value: ({ metadata }) => metadata.creationTimestamp ?? '',
};

export interface ColumnOptions {
  readonly type?: Column['type'];
  readonly wide?: boolean;
  /** The text of an empty cell; `<none>` if absent. */
  readonly none?: string;
}

/** Returns a column of text. */
export function column(name: string, cell: (object: Fields, now: number) => unknown, options: ColumnOptions = {}): Column {
  const { type = 'string', wide = false, none = '<none>' } = options;
  return {
    name,
    type,
    ...(wide ? { priority: 1 } : {}),
    value: (object, now) => shown(cell(object as unknown as Fields, now), type, none),
  };
}

export function wide(name: string, cell: (object: Fields, now: number) => unknown, options: ColumnOptions = {}): Column {
  return column(name, cell, { wide: true, ...options });
}

export function count(name: string, cell: (object: Fields) => unknown): Column {
  return column(name, cell, { type: 'integer' });
}

function shown(value: unknown, type: Column['type'], none: string): string | number | boolean | null {
  if (type === 'integer' || type === 'number') return typeof value === 'number' ? value : 0;
  if (type === 'boolean') return value === true;
  if (typeof value === 'number') return value;
  return value === undefined || value === null || value === '' ? none : String(value);
}

/** Returns a nested member, or undefined. */
export function at(object: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => (isFields(value) && Object.hasOwn(value, step) ? value[step] : undefined), object);
}

export function selectorText(selector: unknown): string {
  if (!isFields(selector)) return '';
  const isLabelSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  return compileLabelSelector(isLabelSelector ? selector : { matchLabels: selector as Record<string, string> }).toString();
}
