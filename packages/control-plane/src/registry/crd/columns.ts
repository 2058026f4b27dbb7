import { compileJsonPath, type KubeObject } from '@outrigger/core';
import { ageColumn, nameColumn, since } from '../columns/common.js';
import type { Column } from '../resource.js';
import type { DefinitionVersion, PrinterColumn } from './definition.js';

/** The columns a definition asks for; name and age where it asks for none. */
export function customColumns({ additionalPrinterColumns }: DefinitionVersion): readonly Column[] {
  if (!additionalPrinterColumns) return [nameColumn, { ...ageColumn, type: 'date' }];
  return [nameColumn, ...additionalPrinterColumns.map(customColumn)];
}

function customColumn({ name, type, jsonPath, format, description, priority }: PrinterColumn): Column {
  const path = compileJsonPath(jsonPath);
  const cell = cellOf(type);
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(priority ? { priority } : {}),
    value: (object: KubeObject, now) => cell(path.find(object), now),
  };
}

type Cell = (values: readonly unknown[], now: number) => string | number | boolean | null;

/** A value of another type than the column's is not shown. */
function cellOf(type: string): Cell {
  switch (type) {
    case 'integer':
      return ([value]) => (typeof value === 'number' ? Math.trunc(value) : null);
    case 'number':
      return ([value]) => (typeof value === 'number' ? value : null);
    case 'boolean':
      return ([value]) => (typeof value === 'boolean' ? value : null);
    case 'date':
      return ([value], now) => (typeof value === 'string' ? since(value, now) : null);
    default:
      return (values) => (values.length === 0 ? null : values.map(text).join(','));
  }
}

function text(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
