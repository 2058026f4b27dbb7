import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.js';
import { compileSchema, invalidError, type StructuralSchema } from './index.js';

interface Recorded {
  readonly schema: StructuralSchema;
  readonly cases: readonly {
    readonly body: Readonly<Record<string, unknown>>;
    readonly causes?: readonly string[];
    readonly malformed?: string;
    readonly spec?: unknown;
    readonly unknownFields?: readonly string[];
  }[];
}

const recorded = JSON.parse(readFileSync(new URL('./recorded/validation.json', import.meta.url), 'utf8')) as Recorded;

describe('answers recorded from a real API server', () => {
  const compiled = compileSchema(recorded.schema);

  it.each(recorded.cases.map((entry) => [JSON.stringify(entry.body).slice(0, 120), entry] as const))('%s', (_, entry) => {
    const { body } = entry;
    const object = { apiVersion: 't.example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' }, ...body } as KubeObject;
    const pruned = compiled.pruned(object);
    expect(pruned.unknownFields).toEqual(entry.unknownFields ?? []);
    if (entry.malformed !== undefined) {
      expect(`Widget in version "v1" cannot be handled as a Widget: ${pruned.malformed}`).toBe(entry.malformed);
      return;
    }
    const stored = compiled.defaulted(pruned.value);
    const errors = compiled.validate(stored);
    const causes = invalidError({ group: 't.example.com', kind: 'Widget' }, 'w', errors).details?.causes ?? [];
    expect(causes.map(({ field, reason, message }) => `${field}: ${reason}: ${message}`).sort()).toEqual(entry.causes ?? []);
    if (entry.causes === undefined) expect((stored as unknown as Record<string, unknown>)['spec']).toEqual(entry.spec);
  });

  it('has failing and passing cases', () => {
    expect(recorded.cases.filter(({ causes }) => causes).length).toBeGreaterThan(50);
    expect(recorded.cases.filter(({ spec }) => spec).length).toBeGreaterThan(50);
  });
});
