import { createRuleCompiler } from '@outrigger/core/cel';
import { checkStructural, compileSchema, type StructuralSchema } from '@outrigger/core/schema';
import { describe, expect, it } from 'vitest';
import { KIND_DEFINITIONS } from './definitions.js';
import * as kinds from './kinds.js';
import { customResourceDefinition } from './schema/crd.js';
import { rootSchema } from './schema/kind.js';

const versions = KIND_DEFINITIONS.flatMap((definition) =>
  definition.versions.map((version) => ({
    name: `${definition.kind} ${version.version}`,
    definition,
    version,
    schema: rootSchema(version),
  })),
);

/** Returns the paths of fields without a description. */
function undescribed(schema: StructuralSchema, path: string): readonly string[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...undescribed(field, `${path}.${name}`),
  ]);
  const items = schema.items ? undescribed(schema.items, `${path}[]`) : [];
  const values = typeof schema.additionalProperties === 'object' ? undescribed(schema.additionalProperties, `${path}{}`) : [];
  return [...inside, ...items, ...values];
}

describe('definitions', () => {
  it.each(versions)('$name is a structural schema', ({ schema }) => {
    expect(checkStructural(schema)).toEqual([]);
  });

  it.each(versions)('$name compiles, rules included', ({ schema }) => {
    expect(() => compileSchema(schema, { rules: createRuleCompiler() })).not.toThrow();
  });

  it.each(versions)('$name describes every field', ({ schema }) => {
    expect(undescribed(schema, '').filter((path) => path !== '.metadata')).toEqual([]);
  });

  it('have one Kind constant for each version that differs', () => {
    const constants = Object.values(kinds).map(
      ({ group, version, kind, plural, namespaced }) => `${group}/${version} ${kind} ${plural} ${namespaced}`,
    );
    const defined = KIND_DEFINITIONS.flatMap(({ group, kind, plural, namespaced, versions: all, converted }) =>
      (converted ? all : all.slice(0, 1)).map(({ version }) => `${group}/${version} ${kind} ${plural} ${namespaced}`),
    );
    expect([...constants].sort()).toEqual([...defined].sort());
  });
});

describe('customResourceDefinition', () => {
  const definition = (kind: string) => {
    const found = KIND_DEFINITIONS.find((candidate) => candidate.kind === kind);
    if (!found) throw new Error(`no kind ${kind}`);
    return found;
  };
  const served = (kind: string, conversion?: Parameters<typeof customResourceDefinition>[1]): readonly string[] =>
    customResourceDefinition(definition(kind), conversion)
      .spec.versions.filter((v) => v.served)
      .map((v) => v.name);

  it.each([
    { name: 'without a conversion webhook', conversion: undefined, want: ['v1alpha1'], strategy: undefined },
    { name: 'the server converts by itself', conversion: 'in-process' as const, want: ['v1alpha1', 'v1beta1'], strategy: 'Webhook' },
    { name: 'a webhook converts', conversion: { url: 'https://localhost/convert' }, want: ['v1alpha1', 'v1beta1'], strategy: 'Webhook' },
  ])('serves the versions that can be served if $name', ({ conversion, want, strategy }) => {
    expect(served('ManagedClusterAddOn', conversion)).toEqual(want);
    expect(customResourceDefinition(definition('ManagedClusterAddOn'), conversion).spec.conversion?.strategy).toBe(strategy);
  });

  it('serves both versions of a kind with equal schemas, with any conversion', () => {
    expect(served('AddOnTemplate')).toEqual(['v1alpha1', 'v1beta1']);
    expect(customResourceDefinition(definition('AddOnTemplate'), { url: 'https://localhost' }).spec.conversion).toBeUndefined();
  });

  it('stores exactly one version', () => {
    const stored = KIND_DEFINITIONS.map((one) => customResourceDefinition(one).spec.versions.filter((version) => version.storage).length);
    expect(new Set(stored)).toEqual(new Set([1]));
  });

  it.each([
    { kind: 'ClusterManagementAddOn', columns: ['DISPLAY NAME', 'STRATEGY', 'DEFAULT VERSION', 'AGE'], shortNames: ['cma', 'cmas'] },
    {
      kind: 'ManagedClusterAddOn',
      columns: ['VERSION', 'AVAILABLE', 'DEGRADED', 'PROGRESSING', 'REASON', 'AGE'],
      shortNames: ['mca', 'mcas'],
    },
    { kind: 'AddOnTemplate', columns: ['ADDON NAME', 'VERSION', 'AGE'], shortNames: undefined },
    {
      kind: 'AddOnRollout',
      columns: ['TARGET', 'SELECTED', 'DONE', 'PROGRESSING', 'FAILED', 'SKIPPED', 'STATE', 'AGE'],
      shortNames: ['aro'],
    },
  ])('prints the columns people know: $kind', ({ kind, columns, shortNames }) => {
    const { spec } = customResourceDefinition(definition(kind));
    expect(spec.versions[0]?.additionalPrinterColumns?.map((column) => column.name)).toEqual(columns);
    expect(spec.names.shortNames).toEqual(shortNames);
  });
});
