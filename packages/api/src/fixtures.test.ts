import { readdirSync, readFileSync } from 'node:fs';
import type { KubeObject } from '@outrigger/core';
import { createRuleCompiler } from '@outrigger/core/cel';
import { fieldErrorText } from '@outrigger/core/schema';
import { parseYamlDocument } from '@outrigger/core/yaml';
import { describe, expect, it } from 'vitest';
import { createValidator } from './validation.js';

/** Another suite applies these files to a real API server. If the two suites disagree, one of them is wrong. */
const FIXTURES = new URL('../../../test/fixtures/', import.meta.url);
const validator = createValidator(createRuleCompiler());

interface Fixture {
  readonly file: string;
  readonly text: string;
  readonly object: KubeObject;
}

function fixtures(folder: 'valid' | 'invalid'): readonly Fixture[] {
  const base = new URL(`${folder}/`, FIXTURES);
  return readdirSync(base).map((file) => {
    const text = readFileSync(new URL(file, base), 'utf8');
    return { file, text, object: parseYamlDocument(text, { file }) as KubeObject };
  });
}

describe('valid objects', () => {
  it.each(fixtures('valid'))('$file', ({ object }) => {
    const checked = validator.check(object);
    expect(checked?.errors.map(fieldErrorText)).toEqual([]);
    expect(checked?.unknownFields).toEqual([]);
  });

  it.each(fixtures('valid'))('$file stays unchanged once it was accepted', ({ object }) => {
    const first = validator.check(object);
    const again = first && validator.check(first.object, first.object);
    expect(again?.object).toEqual(first?.object);
    expect(again?.errors).toEqual([]);
  });
});

describe('invalid objects', () => {
  it.each(fixtures('invalid'))('$file', ({ object, text }) => {
    const expected = /^# expect: (.+)$/m.exec(text)?.[1] ?? 'a first line that says what is expected';
    const fields = validator.check(object)?.errors.map((error) => error.field);
    expect(fields).toContainEqual(expect.stringContaining(expected));
  });

  it('may be edited in other fields once they are stored: an update is checked by its changes', () => {
    const stored = fixtures('invalid').find(({ file }) => file === 'cma-rollout-deadline-without-unit.yaml')?.object as KubeObject;
    const edited = { ...stored, metadata: { ...stored.metadata, annotations: { note: 'touched' } } };
    expect(validator.check(edited, stored)?.errors).toEqual([]);
    expect(validator.check(edited)?.errors).not.toEqual([]);
  });
});
