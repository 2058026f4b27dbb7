import { readFileSync } from 'node:fs';
import { isJsonObject, type KubeObject } from '@outrigger/core';
import { createRuleCompiler } from '@outrigger/core/cel';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { hubWith, NOW, SETTINGS, writing } from './admission/fixtures.js';
import { mutate } from './admission/mutate.js';
import { review } from './admission/review.js';
import { convertObject } from './conversion/convert.js';
import { createValidator } from './validation.js';

const VALID = new URL('../../../test/fixtures/valid/', import.meta.url);
const JUNK: readonly unknown[] = [null, 'x'.repeat(300), [null], {}];
const validator = createValidator(createRuleCompiler());

/** Yields all variants of an object in which a single value is replaced with an invalid one. */
function* spoiled(value: unknown, rebuild: (inner: unknown) => unknown): Generator<unknown> {
  for (const junk of JUNK) yield rebuild(junk);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* spoiled(item, (inner) => rebuild(value.with(index, inner)));
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) yield* spoiled(member, (inner) => rebuild({ ...value, [key]: inner }));
  }
}

const FILES = [
  'cluster-management-add-on-label-selector-rollout',
  'seed-004-upgrade',
  'seed-004-template-shape-of-upstream',
  'managed-cluster',
];

describe('one spoiled value anywhere in the spec', () => {
  it.each(FILES)('%s: rules and conversions accept every object that the schema accepts', (file) => {
    const object = parseYamlDocument(readFileSync(new URL(`${file}.yaml`, VALID), 'utf8')) as KubeObject & { readonly spec: unknown };
    let taken = 0;
    for (const spoilt of spoiled(object.spec, (spec) => ({ ...object, spec })) as Iterable<KubeObject>) {
      expect(() => mutate(writing(spoilt), NOW)).not.toThrow();
      const checked = validator.check(spoilt);
      if (!checked || checked.errors.length > 0) continue;
      taken++;
      expect(() => review(writing(checked.object, object), hubWith({}), SETTINGS)).not.toThrow();
      expect(() => review(writing(object, checked.object), hubWith({}), SETTINGS)).not.toThrow();
      if (object.apiVersion.startsWith('addon.')) {
        const beta = object.apiVersion.replace('v1alpha1', 'v1beta1');
        expect(convertObject(convertObject(checked.object, beta), object.apiVersion)).toEqual(checked.object);
      }
    }
    expect(taken).toBeGreaterThan(0);
  });
});

/** Yields all variants of a value from which a single member or item is missing. */
function* lacking(value: unknown, rebuild: (inner: unknown) => unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield rebuild(value.toSpliced(index, 1));
      yield* lacking(item, (inner) => rebuild(value.with(index, inner)));
    }
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...others } = value;
      yield rebuild(others);
      yield* lacking(member, (inner) => rebuild({ ...value, [key]: inner }));
    }
  }
}

const HASHED = { namespace: 'ns', name: 'c', specHash: 'h' };
const CONFIG = { group: 'g', resource: 'r', namespace: 'ns', name: 'c' };
const BETA: readonly (KubeObject & { readonly content: object })[] = [
  {
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
    kind: 'ManagedClusterAddOn',
    metadata: { name: 'a', namespace: 'c1' },
    content: {
      spec: { installVersion: 'v1', configs: [CONFIG] },
      status: {
        configReferences: [
          { group: 'g', resource: 'r', lastObservedGeneration: 1, desiredConfig: HASHED, lastAppliedConfig: HASHED },
          { group: 'g', resource: 's', desiredConfig: HASHED },
        ],
        registrations: [
          { type: 'kubeClient', kubeClient: { subject: { user: 'u', groups: ['g'] }, driver: 'csr' } },
          { type: 'customSigner', customSigner: { signerName: 'example.com/signer', subject: { user: 'u', organizationUnits: ['o'] } } },
        ],
        relatedObjects: [{ group: 'g', resource: 'r', name: 'n' }],
        healthCheck: { mode: 'Lease' },
      },
    },
  },
  {
    apiVersion: 'addon.open-cluster-management.io/v1beta1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'a' },
    content: {
      spec: { addOnMeta: { displayName: 'A' }, defaultConfigs: [CONFIG, { group: 'g', resource: 's', name: '__reserved_no_default__' }] },
      status: { defaultConfigReferences: [{ group: 'g', resource: 'r', desiredConfig: HASHED }], defaultVersion: 'v1' },
    },
  },
];

describe('one missing or spoiled value anywhere in an object of v1beta1', () => {
  it.each(BETA)('$kind: if the schema accepts it, the schema of the stored version does too', ({ content, ...object }) => {
    const build = (inner: unknown): unknown => ({ ...object, ...(isJsonObject(inner) ? inner : {}) });
    let taken = 0;
    for (const variant of [...lacking(content, build), ...spoiled(content, build)] as readonly KubeObject[]) {
      const checked = validator.check(variant);
      if (!checked || checked.errors.length > 0) continue;
      taken++;
      const stored = convertObject(checked.object, 'addon.open-cluster-management.io/v1alpha1');
      expect({ variant, errors: validator.check(stored)?.errors }).toEqual({ variant, errors: [] });
    }
    expect(taken).toBeGreaterThan(10);
  });
});
