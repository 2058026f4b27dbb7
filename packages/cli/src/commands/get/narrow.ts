import { parseLabelSelector, errorMessage } from '@outrigger/core';
import { usageError } from '../../failure.js';
import type { TableColumn } from '../../terminal/table.js';
import type { GetOptions } from './command.js';
import type { Listing } from './listing.js';

/** Filters and sorts the rows according to the options. */
export function narrowed<Row>(listing: Listing<Row>, options: GetOptions, nowMs: number): readonly Row[] {
  const { rows, isWell, object, labels = (row: Row) => object(row).metadata.labels } = listing;
  const selector = options.selector === undefined ? undefined : readSelector(options.selector);
  if (options.unhealthy && !isWell) throw usageError('--unhealthy: this kind has no state');
  const kept = rows.filter((row) => (selector?.matches(labels(row)) ?? true) && !(options.unhealthy && isWell?.(row)));
  return options.sortBy === undefined ? kept : sorted(kept, listing, options.sortBy, nowMs);
}

function readSelector(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    // Remove the parts of the message that do not help a user, such as the regular expression.
    const cause = errorMessage(error)
      .replace(/ \((e\.g\.|regex used) .*$/, '')
      .replace('<nil>: Invalid value: ', '');
    throw usageError(`--selector ${text}: ${cause}; write labels such as env=prod, or 'env in (prod, stage)'`);
  }
}

/** The fields that kubectl users sort by, in addition to the columns. */
const PATHS: Readonly<Record<string, 'name' | 'creationTimestamp'>> = {
  '.metadata.name': 'name',
  '.metadata.creationTimestamp': 'creationTimestamp',
};

function sorted<Row>(rows: readonly Row[], { columns, object }: Listing<Row>, sortBy: string, nowMs: number): readonly Row[] {
  const path = PATHS[sortBy.replaceAll(/[{}]/g, '')];
  const all = columns(nowMs);
  const column = all.find(({ title }) => title.toLowerCase() === sortBy.toLowerCase());
  if (path === undefined && !column)
    throw usageError(`--sort-by ${sortBy}: there is no such column; the columns are ${all.map(({ title }) => title).join(', ')}`);
  const key = (row: Row): string => (path === undefined && column ? cellKey(column, row) : (object(row).metadata[path ?? 'name'] ?? ''));
  return [...rows].sort((a, b) => key(a).localeCompare(key(b), 'en', { numeric: true }));
}

const SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** Returns the sort key of a cell: its text, or the number of seconds for an age, so that 2m sorts before 1h. */
function cellKey<Row>(column: TableColumn<Row>, row: Row): string {
  const cell = column.cell(row);
  const text = typeof cell === 'string' ? cell : (cell?.text ?? '');
  if (!/^(\d+[dhms])+$/.test(text)) return text;
  return String([...text.matchAll(/(\d+)([dhms])/g)].reduce((sum, [, count, unit = 's']) => sum + Number(count) * (SECONDS[unit] ?? 0), 0));
}
