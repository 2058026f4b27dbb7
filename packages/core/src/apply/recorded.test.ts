import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../meta.js';
import { mergePatch } from '../patch/merge-patch.js';
import { compileSchema, type StructuralSchema } from '../schema/index.js';
import { applyObject, trackUpdate } from './apply.js';
import type { ApplyObject } from './values.js';

interface Step {
  readonly verb: 'apply' | 'create' | 'put' | 'patch';
  readonly manager: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly body: Stored;
  readonly object?: Stored;
  readonly managedFields?: Readonly<Record<string, unknown>>;
  readonly conflict?: readonly string[];
  readonly code?: number;
}
interface Stored extends ApplyObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}
type Entries = readonly ManagedFieldsEntry[] | undefined;

const recorded = JSON.parse(readFileSync(new URL('./recorded/histories.json', import.meta.url), 'utf8')) as {
  readonly schema: StructuralSchema;
  readonly histories: readonly (readonly Step[])[];
};
const { schema } = recorded;
const compiled = compileSchema(schema);

describe('histories recorded from a real API server', () => {
  it.each(recorded.histories.map((steps, i) => [i, steps] as const))(
    'history %i gives the same objects, owners and conflicts',
    (_, steps) => {
      let live: Stored | undefined;
      for (const [i, step] of steps.entries()) {
        const outcome = replay(live, step);
        if (step.conflict) {
          expect(outcome, `step ${i}`).toEqual({ conflict: step.conflict, code: step.code });
          continue;
        }
        expect(
          'object' in outcome && { object: visible(outcome.object), managedFields: byManager(outcome.managedFields) },
          `step ${i}`,
        ).toEqual({
          object: step.object,
          managedFields: step.managedFields,
        });
        if ('object' in outcome)
          live = { ...outcome.object, metadata: { ...outcome.object.metadata, uid: 'u', ...held(outcome.managedFields) } };
      }
    },
  );
});

function held(managedFields: Entries): { managedFields?: readonly ManagedFieldsEntry[] } {
  return managedFields === undefined ? {} : { managedFields };
}

type Outcome = { object: Stored; managedFields: Entries } | { conflict: readonly string[]; code: number };

/**
 * Simulates what the API server does before and after an apply or an update. As on the API server, a status request changes only the
 * status, and any other request changes everything else.
 */
function replay(live: Stored | undefined, step: Step): Outcome {
  const isStatus = step.subresource === 'status';
  const options = {
    apiVersion: 't.example.com/v1',
    schema,
    manager: step.manager,
    time: '2026-01-01T00:00:00Z',
    resetFields: [isStatus ? 'spec' : 'status'],
    ...(isStatus ? { subresource: 'status' } : {}),
    ...(live ? { live } : {}),
  };
  if (step.verb === 'apply') {
    const result = applyObject<Stored>({ ...options, applied: step.body, force: step.force ?? false });
    if (result.conflict) return { conflict: result.conflict.message.split('\n').sort(), code: result.conflict.code };
    return { object: stored(live, result.object, isStatus), managedFields: result.managedFields };
  }
  const next = compiled.defaulted(compiled.pruned(written(live, step)).value);
  return { object: stored(live, next, isStatus), managedFields: trackUpdate({ ...options, next }) };
}

function written(live: Stored | undefined, { verb, body, subresource }: Step): Stored {
  if (verb === 'patch') return mergePatch<Stored>(live, body);
  return subresource
    ? { ...live, ...body, metadata: live?.metadata ?? {} }
    : { ...body, metadata: { ...body.metadata, uid: live?.metadata?.uid ?? '' } };
}

function stored(live: Stored | undefined, next: Stored, isStatus: boolean): Stored {
  const { status, ...rest } = compiled.defaulted(compiled.pruned(next).value);
  const { status: liveStatus, ...liveRest } = live ?? {};
  const keptStatus = isStatus ? status : liveStatus;
  return { ...(isStatus ? liveRest : rest), ...(keptStatus === undefined ? {} : { status: keptStatus }) };
}

function visible({ metadata = {}, ...rest }: Stored): unknown {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  return JSON.parse(JSON.stringify({ ...rest, metadata: { labels, annotations, finalizers, ownerReferences } }));
}

function byManager(entries: Entries): Record<string, unknown> {
  return Object.fromEntries((entries ?? []).map((e) => [`${e.manager}|${e.operation}|${e.apiVersion}|${e.subresource ?? ''}`, e.fieldsV1]));
}
