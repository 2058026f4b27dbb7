import { CostPool, compileJsonPath, parseTime, type JsonPath, type KubeObject, BoundedCache } from '@outrigger/core';
import { ageColumn, nameColumn, since } from '../columns/common.js';
import type { Column } from '../resource.js';
import type { DefinitionVersion, PrinterColumn } from './definition.js';

/** Compiled columns by their definition, so that equal columns are compiled once per process, even if many control planes serve them. */
const byContent = new BoundedCache<readonly Column[]>({ limit: 256 });

/** The maximum number of values that the path of one cell may visit. A path without recursion visits one value per step. */
const CELL_COST_LIMIT = 10_000;

const DEFAULT_COLUMNS: readonly Column[] = [nameColumn, { ...ageColumn, type: 'date' }];

/**
 * Returns the printer columns of a version of a CRD, up to the first column whose path cannot be parsed. A version without printer columns
 * has the columns name and age.
 */
export function customColumns({ additionalPrinterColumns: asked }: DefinitionVersion): readonly Column[] {
  return asked ? byContent.get(JSON.stringify(asked), () => [nameColumn, ...askedColumns(asked)]) : DEFAULT_COLUMNS;
}

function askedColumns(asked: readonly PrinterColumn[]): readonly Column[] {
  const columns = asked.map((column) => {
    const path = unlessThrown(() => compileJsonPath(column.jsonPath));
    return path && customColumn(column, path);
  });
  const unreadable = columns.indexOf(undefined);
  return columns.slice(0, unreadable < 0 ? columns.length : unreadable).filter((column) => column !== undefined);
}

function customColumn({ name, type, jsonPath, format, description, priority }: PrinterColumn, path: JsonPath): Column {
  const cell = cellOf(type);
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority ? { priority } : {}),
    // If a JSONPath does not match an object (such as `conditions[0]` of an empty list), its cell is empty and the other cells are still
    // shown.
    value: (object: KubeObject, now) => cell(unlessThrown(() => path.find(object, new CostPool(CELL_COST_LIMIT))) ?? [], now),
  };
}

/** Returns undefined if `look` throws. A JSONPath throws only if it is invalid, does not match the object, or visits too many values. */
function unlessThrown<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

type Cell = (values: readonly unknown[], now: number) => string | number | boolean | null;

/**
 * Returns a function that converts values to a cell. As on a real server, a cell shows the first value that its path selects. In a column
 * of numbers, booleans or dates, the cell is empty if this value has another type.
 */
function cellOf(type: string): Cell {
  switch (type) {
    case 'integer':
      return ([value]) => (typeof value === 'number' ? Math.trunc(value) : null);
    case 'number':
      return ([value]) => (typeof value === 'number' ? value : null);
    case 'boolean':
      return ([value]) => (typeof value === 'boolean' ? value : null);
    case 'date':
      return ([value], now) => (typeof value === 'string' ? age(value, now) : null);
    default:
      return ([value]) => (value === undefined ? null : text(value));
  }
}

function age(time: string, now: number): string {
  return parseTime(time) === undefined ? '<invalid>' : since(time, now);
}

function text(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
