import { type JsonObject, objectOrEmpty } from '@outrigger/core';
import type { DefinitionSpec, DefinitionVersion } from './definition.js';
import { type MergeSchemaOptions, type SchemaConflict, mergeSchema } from './merge-schema.js';

export interface MergedDefinition {
  readonly spec: DefinitionSpec;
  /** The parts of our CRD that conflict with the installed CRD, per version. */
  readonly conflicts: readonly (SchemaConflict & { readonly version: string })[];
}

/**
 * Returns the installed CRD with the additions of our CRD. Every version, field, enum value, printer column and name is kept; the served
 * versions, the stored version and the conversion stay unchanged. A version that only our CRD has is served only if it needs no conversion,
 * that is, if the versions of the kind are equal and the installed CRD has no conversion webhook.
 */
export function mergeDefinition(installed: DefinitionSpec, ours: DefinitionSpec, options: MergeSchemaOptions): MergedDefinition {
  const conflicts: (SchemaConflict & { version: string })[] = [];
  const kept = installed.versions.map((version) => {
    const own = ours.versions.find(({ name }) => name === version.name);
    if (!own) return version;
    const merged = mergeVersion(version, own, options);
    conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, version: version.name })));
    return merged.version;
  });
  const isConverted = installed.conversion?.strategy === 'Webhook';
  const added = ours.versions
    .filter(({ name }) => !installed.versions.some((version) => version.name === name))
    .map((version) => ({ ...version, storage: false, served: version.served && !isConverted }));
  return { spec: { ...installed, names: mergedNames(installed, ours), versions: [...kept, ...added] }, conflicts };
}

function mergeVersion(
  installed: DefinitionVersion,
  ours: DefinitionVersion,
  options: MergeSchemaOptions,
): { readonly version: DefinitionVersion; readonly conflicts: readonly SchemaConflict[] } {
  const [theirs, own] = [installed.schema?.openAPIV3Schema, ours.schema?.openAPIV3Schema];
  const merged = theirs && own ? mergeSchema(theirs, own, options) : { schema: theirs ?? own, conflicts: [] };
  const columns = mergedColumns(installed, ours, options);
  const version = {
    ...installed,
    ...(merged.schema ? { schema: { ...installed.schema, openAPIV3Schema: merged.schema } } : {}),
    // With `prefer: 'installed'`, no status subresource is added, because the API server would then ignore a status that other clients send
    // with the object.
    ...(options.prefer === 'ours' && ours['subresources']
      ? { subresources: { ...subresourcesOf(ours), ...subresourcesOf(installed) } }
      : {}),
    ...(columns.length > 0 ? { additionalPrinterColumns: columns } : {}),
  };
  const lacksStatus = subresourcesOf(ours)['status'] !== undefined && subresourcesOf(version)['status'] === undefined;
  const conflict = { path: 'status', text: 'is no subresource here, and is one in our definition' };
  return { version, conflicts: lacksStatus ? [...merged.conflicts, conflict] : merged.conflicts };
}

function subresourcesOf({ subresources }: JsonObject): JsonObject {
  return objectOrEmpty(subresources);
}

/**
 * Returns the printer columns of both CRDs, the installed ones first. With `prefer: 'ours'`, our columns come first, in our order, and
 * replace installed ones with the same name.
 */
function mergedColumns(
  { additionalPrinterColumns: installed = [] }: DefinitionVersion,
  { additionalPrinterColumns: ours = [] }: DefinitionVersion,
  { prefer }: MergeSchemaOptions,
): NonNullable<DefinitionVersion['additionalPrinterColumns']> {
  const [first, second] = prefer === 'ours' ? [ours, installed] : [installed, ours];
  return [...first, ...second.filter(({ name }) => !first.some((column) => column.name === name))];
}

function mergedNames({ names: installed }: DefinitionSpec, { names: ours }: DefinitionSpec): DefinitionSpec['names'] {
  const union = (field: 'shortNames' | 'categories'): JsonObject => {
    const all = [...new Set([...(installed[field] ?? []), ...(ours[field] ?? [])])];
    return all.length > 0 ? { [field]: all } : {};
  };
  return { ...installed, ...union('shortNames'), ...union('categories') };
}
