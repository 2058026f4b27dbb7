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
