import type { Column } from '../resource.js';
import { ageColumn, nameColumn } from './common.js';

/** The columns kubectl shows for a built-in resource. */
export function columnsFor(_group: string, _plural: string): readonly Column[] {
  return [nameColumn, ageColumn];
}
