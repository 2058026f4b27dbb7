import { type JsonObject, type ManagedFieldsEntry, compareVersions, deepEqual } from '@outrigger/core';
import { isConvertedByUs } from '@outrigger/hub';
import type { Definition, DefinitionSpec } from './definition.js';
import { type MergedDefinition, mergeDefinition } from './merge-definition.js';
import type { MergeSchemaOptions } from './merge-schema.js';
import { FOUND_ANNOTATION, INSTALLED_BY_ANNOTATION, recordOf, recordedSpec } from './record.js';
import { takeBack } from './three-way.js';

export const INSTALL_MANAGER = 'outrigger-install';
/** The field manager for restored CRDs. It is not in OUR_MANAGERS, because a restored CRD belongs to the program that installed it. */
export const RESTORE_MANAGER = 'outrigger-uninstall';

const OUR_MANAGERS: readonly string[] = [INSTALL_MANAGER, 'outrigger-hub', 'outrigger-cli'];

export interface DefinitionPlan {
  /** The CRD to apply server-side, with the resource version of the installed CRD that the plan is based on. */
  readonly object: Definition;
  readonly notes: readonly string[];
}

/** Computes the CRD to apply from our CRD and the installed CRD. `release` is the version of this command. */
export function planDefinition(
  ours: Definition,
  installed: Definition | undefined,
  release: string,
  { withRules = true }: { readonly withRules?: boolean } = {},
): DefinitionPlan {
  const annotations = { [INSTALLED_BY_ANNOTATION]: release };
  if (!installed) return { object: { ...ours, metadata: { ...ours.metadata, annotations } }, notes: [] };
  const record = isOurs(installed) ? undefined : withoutUs(ours, installed);
  const merged = mergeDefinition(installed.spec, ours.spec, { prefer: preferenceFor(installed, record, release), withRules });
  const { group, scope, names, versions } = merged.spec;
  const object = {
    apiVersion: ours.apiVersion,
    kind: ours.kind,
    metadata: {
      ...ours.metadata,
      resourceVersion: installed.metadata.resourceVersion,
      annotations: { ...annotations, ...(record ? { [FOUND_ANNOTATION]: recordOf(record) } : {}) },
    },
    spec: { group, scope, names, versions },
  } as Definition;
  return { object, notes: [...conflictNotes(ours, merged), ...servedNotes(installed, merged.spec, record !== undefined)] };
}

/**
 * Whether only Outrigger has installed the CRD: no other program's CRD is recorded, and no other field manager has written its versions.
 */
export function isOurs(installed: Definition): boolean {
  return installed.metadata.annotations?.[FOUND_ANNOTATION] === undefined && isWrittenByUs(installed);
}

/** Whether only our commands or our manager have written the versions. */
function isWrittenByUs({ metadata }: Definition): boolean {
  const writers = (metadata.managedFields ?? []).filter(ownsVersions).map(({ manager }) => manager ?? '');
  return writers.length > 0 && writers.every((manager) => OUR_MANAGERS.includes(manager));
}

function ownsVersions({ fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = (fieldsV1 as JsonObject | undefined)?.['f:spec'] as JsonObject | undefined;
  return spec?.['f:versions'] !== undefined;
}

/**
 * Returns which CRD the merge prefers: the installed CRD if another program or a newer release installed it, so that an older release does
 * not revert changes; otherwise our CRD.
 */
function preferenceFor(installed: Definition, record: DefinitionSpec | undefined, release: string): MergeSchemaOptions['prefer'] {
  if (record) return 'installed';
  const newest = installed.metadata.annotations?.[INSTALLED_BY_ANNOTATION] ?? release;
  return (compareVersions(newest, release, []) ?? 0) > 0 ? 'installed' : 'ours';
}

/** Returns the installed spec without our changes: the recorded spec, with the changes that other programs have made since. */
function withoutUs(ours: Definition, installed: Definition): DefinitionSpec {
  const record = recordedSpec(installed);
  if (!record) return installed.spec;
  const { spec: after } = mergeDefinition(record, ours.spec, { prefer: 'installed', withRules: true });
  const spec = takeBack(record, after, withoutOurConversion(installed, after)) as DefinitionSpec;
  // If only Outrigger wrote the versions, use the recorded ones, because another release of this command may have added other fields.
  return isWrittenByUs(installed) ? { ...spec, versions: record.versions } : spec;
}

/**
 * Returns the installed spec without the conversion webhook that our manager publishes, and without the versions that are served because of
 * this webhook.
 */
function withoutOurConversion(installed: Definition, after: DefinitionSpec): DefinitionSpec {
  if (!isConvertedByUs(installed)) return installed.spec;
  const { conversion: _, ...rest } = installed.spec;
  const versions = rest.versions.map((version) => {
    const found = after.versions.find(({ name }) => name === version.name);
    return found ? { ...version, served: found.served } : version;
  });
  return { ...rest, ...(after.conversion ? { conversion: after.conversion } : {}), versions };
}

/** Returns the CRD as it was before the install, or undefined if no other program's CRD is recorded. */
export function planRestoration(ours: Definition, installed: Definition): Definition | undefined {
  if (installed.metadata.annotations?.[FOUND_ANNOTATION] === undefined) return undefined;
  const annotations = Object.fromEntries(
    Object.entries(installed.metadata.annotations).filter(([name]) => !name.startsWith(OUR_ANNOTATIONS)),
  );
  const { managedFields: _, ...metadata } = installed.metadata;
  return { ...installed, metadata: { ...metadata, annotations }, spec: withoutUs(ours, installed) };
}

const OUR_ANNOTATIONS = 'outrigger.dev/';

function conflictNotes({ spec: { names } }: Definition, { conflicts }: MergedDefinition): readonly string[] {
  return conflicts.map(({ version, path, text }) => `${names.kind} ${version}: ${path} ${text}; the installed definition stays`);
}

function servedNotes(installed: Definition, merged: DefinitionSpec, isFound: boolean): readonly string[] {
  if (!isFound) return [];
  const isChanged = !deepEqual(installed.spec.versions, merged.versions);
  const unserved = merged.versions.filter(({ served }) => !served).map(({ name }) => name);
  return [
    ...(isChanged ? [`${merged.names.kind}: another program installed this definition; it keeps everything and gets our fields`] : []),
    ...(unserved.length > 0 ? [`${merged.names.kind}: ${unserved.join(', ')} is not served here, as found`] : []),
  ];
}
