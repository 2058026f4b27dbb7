import { KIND_DEFINITIONS, customResourceDefinition } from '@outrigger/api';
import { type Json, type JsonObject, isJsonObject } from '@outrigger/core';
import { checkStructural } from '@outrigger/core/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition.js';
import { mergeDefinition } from './merge-definition.js';
import { planDefinition, planRestoration } from './plan.js';

const OURS = KIND_DEFINITIONS.map((kind) => customResourceDefinition(kind) as unknown as Definition);

/**
 * How a field of a generated installed schema differs from ours: equal, missing, open to any content, another type, another enum, a
 * required member, or an additional member.
 */
type Change = 'keep' | 'drop' | 'open' | 'retype' | 'enum' | 'require' | 'extend';
const CHANGES: readonly Change[] = ['keep', 'keep', 'keep', 'keep', 'drop', 'open', 'retype', 'enum', 'require', 'extend'];

function changed(schema: JsonObject, next: () => Change, isRoot = true): JsonObject | undefined {
  const change = isRoot ? 'extend' : next();
  if (change === 'drop') return undefined;
  if (change === 'open' && schema['type'] === 'object') return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  if (change === 'retype') return schema['type'] === 'string' ? { type: 'integer' } : { type: 'string' };
  const { properties, items, required: _, 'x-kubernetes-validations': _rules, default: _default, ...rest } = schema;
  const fields = isJsonObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).flatMap(([name, child]) => {
          // Change only `spec` and `status` at the root, because the API server itself defines the other root fields.
          const isFixed = isRoot && !['spec', 'status'].includes(name);
          const made = isFixed ? (child as JsonObject) : changed(child as JsonObject, next, false);
          return made ? [[name, made]] : [];
        }),
      )
    : undefined;
  const more = change === 'extend' && fields ? { later: { type: 'string', enum: ['a', 'b'] } } : {};
  // The items of a list-map stay unchanged, because their key fields must exist and must be required or have a default.
  const child = isJsonObject(items) && schema['x-kubernetes-list-type'] !== 'map' ? (changed(items, next, false) ?? items) : items;
  return {
    ...rest,
    ...(fields ? { properties: { ...fields, ...more } } : {}),
    ...(change === 'require' && fields && Object.keys(fields).length > 0 ? { required: Object.keys(fields).slice(0, 1) } : {}),
    ...(child === undefined ? {} : { items: child }),
    ...(change === 'enum' && schema['type'] === 'string' ? { enum: ['theirs'] } : {}),
  };
}

const installedDefinitions = fc
  .record({
    ours: fc.constantFrom(...OURS),
    changes: fc.infiniteStream(fc.constantFrom(...CHANGES)),
    served: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    stored: fc.nat(2),
    extraVersion: fc.boolean(),
    missingVersion: fc.boolean(),
    conversion: fc.constantFrom<JsonObject>(
      { strategy: 'None' },
      { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://else' } } },
    ),
    columns: fc.subarray(['AGE', 'OTHER', 'AVAILABLE', 'DISPLAY NAME']),
    shortNames: fc.subarray(['x', 'y']),
  })
  .map(({ ours, changes, served, stored, extraVersion, missingVersion, conversion, columns, shortNames }) => {
    const found = ours.spec.versions.slice(missingVersion && ours.spec.versions.length > 1 ? 1 : 0).map((version) => ({
      ...version,
      schema: { openAPIV3Schema: changed(version.schema?.openAPIV3Schema ?? {}, () => changes.next().value as Change) ?? {} },
      additionalPrinterColumns: columns.map((name) => ({ name, type: 'string', jsonPath: '.theirs' })),
    }));
    const all = extraVersion ? [...found, { ...(found[0] as DefinitionVersion), name: 'v9' }] : found;
    const versions = all.map((version, index) => ({
      ...version,
      storage: index === stored % all.length,
      served: served[index] ?? true,
    }));
    const spec = { ...ours.spec, names: { ...ours.spec.names, shortNames }, conversion, versions } as unknown as DefinitionSpec;
    return { ours, spec };
  });

/** Returns every field path of a schema with its type, and every enum value. */
function fieldsOf(schema: Json | undefined, path = ''): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const values = Array.isArray(schema['enum']) ? schema['enum'].map((value: Json) => `${path}=${JSON.stringify(value)}`) : [];
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    `${path}:${String(schema['type'])}`,
    ...values,
    ...properties.flatMap(([name, child]) => fieldsOf(child, `${path}.${name}`)),
    ...fieldsOf(schema['items'], `${path}[]`),
    ...fieldsOf(schema['additionalProperties'], `${path}{}`),
  ];
}

const installedAs = (ours: Definition, spec: DefinitionSpec): Definition => ({
  ...ours,
  metadata: {
    ...ours.metadata,
    resourceVersion: '7',
    annotations: { theirs: 'stays' },
    managedFields: [{ manager: 'operator', operation: 'Update', fieldsV1: { 'f:spec': { 'f:versions': {} } } }] as never,
  },
  spec,
});

/** Returns the CRD as the API server would store it after a server-side apply. */
function afterApply(found: Definition, applied: Definition): Definition {
  const managedFields = [{ manager: 'outrigger-install', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:versions': {} } } }] as never;
  const annotations = { ...found.metadata.annotations, ...applied.metadata.annotations };
  return { ...found, metadata: { ...found.metadata, annotations, managedFields }, spec: { ...found.spec, ...applied.spec } };
}

/** Checks generated CRDs. A failure reports only the seed and path, because a counterexample is a whole CRD. */
function everyDefinition(check: (one: { readonly ours: Definition; readonly spec: DefinitionSpec }) => void): void {
  fc.assert(fc.property(installedDefinitions, check), {
    reporter: ({ failed, seed, counterexamplePath, errorInstance }) => {
      if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance });
    },
  });
}

describe('a definition that another program has installed', () => {
  it('AT-60 keeps every version, field, enum value, printer column and short name', () => {
    everyDefinition(({ ours, spec }) => {
      const { spec: merged } = mergeDefinition(spec, ours.spec, { prefer: 'installed', withRules: true });
      expect(merged.conversion).toEqual(spec.conversion);
      for (const version of spec.versions) {
        const kept = merged.versions.find(({ name }) => name === version.name);
        expect(kept).toMatchObject({ served: version.served, storage: version.storage });
        expect(fieldsOf(kept?.schema?.openAPIV3Schema)).toEqual(expect.arrayContaining([...fieldsOf(version.schema?.openAPIV3Schema)]));
        expect(kept?.additionalPrinterColumns ?? []).toEqual(expect.arrayContaining([...(version.additionalPrinterColumns ?? [])]));
      }
      expect(merged.names.shortNames ?? []).toEqual(expect.arrayContaining([...(spec.names.shortNames ?? [])]));
      expect(merged.versions.filter(({ storage }) => storage)).toHaveLength(1);
    });
  });

  it('gets every field of ours that its types allow, and reports the others', () => {
    everyDefinition(({ ours, spec }) => {
      const { spec: merged, conflicts } = mergeDefinition(spec, ours.spec, { prefer: 'installed', withRules: true });
      for (const own of ours.spec.versions) {
        const schema = merged.versions.find(({ name }) => name === own.name)?.schema?.openAPIV3Schema;
        const told = conflicts.filter(({ version }) => version === own.name).map(({ path }) => `.${path}`);
        const isTold = (field: string): boolean => told.some((path) => field.startsWith(path));
        const isOpen = (field: string): boolean => openPaths(schema).some((path) => field.startsWith(path));
        const missing = fieldsOf(own.schema?.openAPIV3Schema)
          .filter((field) => !field.includes('='))
          .filter((field) => !fieldsOf(schema).includes(field) && !isTold(field) && !isOpen(field));
        expect(missing).toEqual([]);
      }
    });
  });

  it('stays a structural schema', () => {
    everyDefinition(({ ours, spec }) => {
      for (const { schema } of mergeDefinition(spec, ours.spec, { prefer: 'installed', withRules: true }).spec.versions)
        expect(checkStructural(schema?.openAPIV3Schema as never)).toEqual([]);
    });
  });

  it('does not change the second time, and is restored to the original', () => {
    everyDefinition(({ ours, spec }) => {
      const found = installedAs(ours, spec);
      const once = afterApply(found, planDefinition(ours, found, '1.0.0').object);
      const twice = afterApply(once, planDefinition(ours, once, '1.0.0').object);
      expect(twice).toEqual(once);
      const restored = planRestoration(ours, twice);
      expect(restored?.spec).toEqual(found.spec);
      expect(restored?.metadata.annotations).toEqual({ theirs: 'stays' });
    });
  });

  it('keeps later changes of its own program, and loses only the fields that we added', () => {
    everyDefinition(({ ours, spec }) => {
      const found = installedAs(ours, spec);
      const once = afterApply(found, planDefinition(ours, found, '1.0.0').object);
      const versions = once.spec.versions.map((version) => ({ ...version, deprecated: true }));
      const theirs = {
        ...once,
        metadata: { ...once.metadata, managedFields: found.metadata.managedFields as never },
        spec: { ...once.spec, versions },
      };
      const expected = found.spec.versions.map((version) => ({ ...version, deprecated: true }));
      const restored = planRestoration(ours, theirs)?.spec.versions.filter(({ name }) =>
        found.spec.versions.some((one) => one.name === name),
      );
      expect(restored).toEqual(expected);
    });
  });
});

function openPaths(schema: Json | undefined, path = ''): readonly string[] {
  if (!isJsonObject(schema)) return [];
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [path];
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [...properties.flatMap(([name, child]) => openPaths(child, `${path}.${name}`)), ...openPaths(schema['items'], `${path}[]`)];
}

describe('a definition of our own', () => {
  const [ours] = OURS as [Definition];
  const own = (release: string, spec: DefinitionSpec): Definition => {
    const found = installedAs(ours, spec);
    return {
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { 'outrigger.dev/installed-by': release },
        managedFields: [{ manager: 'outrigger-install', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:versions': {} } } }] as never,
      },
    };
  };
  const older = JSON.parse(JSON.stringify(ours.spec).replaceAll(/"default":"[^"]*"/g, '"default":"older"')) as DefinitionSpec;

  it('is replaced by that of a newer release, and nothing is recorded', () => {
    const { object } = planDefinition(ours, own('1.0.0', older), '1.1.0');
    expect(object.spec.versions).toEqual(ours.spec.versions);
    expect(object.metadata.annotations).toEqual({ 'outrigger.dev/installed-by': '1.1.0' });
  });

  it('of a newer release is kept', () => {
    const { object } = planDefinition(ours, own('1.2.0', older), '1.1.0');
    expect(object.spec.versions).toEqual(older.versions);
  });
});
