import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../meta.js';
import { deepEqual, deepFreeze } from '../patch/equal.js';
import type { StructuralSchema } from '../schema/index.js';
import { type ApplyOptions, type ApplyResult, applyObject, trackUpdate } from './apply.js';
import type { ApplyObject } from './values.js';

interface Thing extends ApplyObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
}

const text: StructuralSchema = { type: 'string' };
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        c: text,
        replicas: { type: 'integer' },
        map: { type: 'object', additionalProperties: text },
        rows: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: text, v: text } },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        atomic: { type: 'array', items: text },
      },
    },
    status: { type: 'object', properties: { n: { type: 'integer' } } },
  },
};
const base = { apiVersion: 'x.io/v1', schema, time: '2026-01-01T00:00:00Z' } as const;
const thing = (spec: Record<string, unknown>): Thing => ({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name: 't' }, spec });

type Options = Partial<ApplyOptions<Thing>>;

function attempt(live: Thing | undefined, manager: string, spec: Record<string, unknown>, options: Options = {}): ApplyResult<Thing> {
  return applyObject<Thing>({ ...base, ...(live ? { live: deepFreeze(live) } : {}), applied: thing(spec), manager, ...options });
}
function applied(live: Thing | undefined, manager: string, spec: Record<string, unknown>, options: Options = {}): Thing {
  const result = attempt(live, manager, spec, options);
  if (result.conflict) throw result.conflict;
  return result.object;
}
/** Withdraws the fields of a field manager by applying an object without fields. */
function withdrawn(live: Thing, manager: string): Thing {
  const { spec: _, ...nothing } = thing({});
  return applied(live, manager, {}, { applied: nothing });
}
function updated(live: Thing | undefined, manager: string, spec: Record<string, unknown>, options: { time?: string } = {}): Thing {
  const next = { ...thing(spec), metadata: { name: 't', uid: 'u' } };
  const managedFields = trackUpdate<Thing>({ ...base, ...options, ...(live ? { live } : {}), next, manager });
  return { ...next, metadata: { ...next.metadata, ...(managedFields ? { managedFields } : {}) } };
}
function owners(object: Thing): Record<string, unknown> {
  const spec = (entry: ManagedFieldsEntry): unknown => Object.keys((entry.fieldsV1?.['f:spec'] as object | undefined) ?? {}).join(' ');
  return Object.fromEntries((object.metadata?.managedFields ?? []).map((entry) => [`${entry.operation} ${entry.manager}`, spec(entry)]));
}

describe('applyObject', () => {
  it('creates an object its applier owns', () => {
    const object = applied(undefined, 'm', { a: '1', map: { k: 'v' } });
    expect(object.spec).toEqual({ a: '1', map: { k: 'v' } });
    expect(object.metadata?.managedFields).toEqual([
      {
        manager: 'm',
        operation: 'Apply',
        apiVersion: 'x.io/v1',
        time: base.time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:a': {}, 'f:map': { 'f:k': {} } } },
      },
    ]);
  });

  it('refuses to take a field of another manager, and names the manager', () => {
    const live = updated(undefined, 'kubectl-client-side-apply', { replicas: 1 });
    const { conflict } = attempt(live, 'm', { replicas: 2 });
    expect(conflict?.message).toBe('Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using x.io/v1: .spec.replicas');
    expect(conflict?.toStatus()).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: {
        causes: [
          { reason: 'FieldManagerConflict', message: 'conflict with "kubectl-client-side-apply" using x.io/v1', field: '.spec.replicas' },
        ],
      },
    });
  });

  it('lists several conflicts by manager', () => {
    const live = applied(applied(undefined, 'one', { a: '1', rows: [{ k: 'x', v: '1' }] }), 'two', { b: '1' });
    expect(attempt(live, 'm', { a: '2', b: '2', rows: [{ k: 'x', v: '2' }] }).conflict?.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "one":\n- .spec.a\n- .spec.rows[k="x"].v\nconflicts with "two":\n- .spec.b',
    );
  });

  it('takes fields over by force', () => {
    const live = applied(applied(undefined, 'one', { a: '1', b: '1' }), 'two', { a: '2' }, { force: true });
    expect(live.spec).toEqual({ a: '2', b: '1' });
    expect(owners(live)).toEqual({ 'Apply one': 'f:b', 'Apply two': 'f:a' });
  });

  it('shares fields applied with the same value; they are removed with the last owner', () => {
    const shared = applied(applied(undefined, 'one', { a: '1' }), 'two', { a: '1' });
    expect(owners(shared)).toEqual({ 'Apply one': 'f:a', 'Apply two': 'f:a' });
    const oneLeft = withdrawn(shared, 'one');
    expect(oneLeft.spec).toEqual({ a: '1' });
    expect(withdrawn(oneLeft, 'two')).not.toHaveProperty('spec');
  });

  it('removes the fields that it no longer applies, down to list items and map keys, and none of other managers', () => {
    const first = applied(undefined, 'one', { a: '1', map: { k: 'v' }, rows: [{ k: 'x' }, { k: 'y' }], set: ['p', 'q'], atomic: ['1'] });
    const second = applied(first, 'two', { map: { other: 'v' }, rows: [{ k: 'z', v: '1' }], set: ['r'] });
    expect(applied(second, 'one', { rows: [{ k: 'x' }], set: ['q'] }).spec).toEqual({
      map: { other: 'v' },
      rows: [{ k: 'x' }, { k: 'z', v: '1' }],
      set: ['q', 'r'],
    });
  });

  it('everything of an untracked object belongs to before-first-apply', () => {
    const live: Thing = { ...thing({ a: '1', b: '1' }), metadata: { name: 't', uid: 'u' } };
    expect(owners(applied(live, 'm', { a: '1' }))).toEqual({ 'Apply m': 'f:a', 'Update before-first-apply': '. f:a f:b' });
    expect(attempt(live, 'm', { a: '2' }).conflict?.message).toContain('conflict with "before-first-apply" using x.io/v1: .spec.a');
  });

  it('an apply that changes nothing reports so and changes no timestamp', () => {
    const live = applied(undefined, 'm', { a: '1' });
    const again = attempt(live, 'm', { a: '1' }, { time: '2030-01-01T00:00:00Z' });
    expect(again).toMatchObject({ changed: false });
    expect(again.conflict ? [] : again.managedFields).toEqual(live.metadata?.managedFields);
    expect(attempt(live, 'n', { a: '1' })).toMatchObject({ changed: true });
  });

  it('does not own or conflict over fields the endpoint resets', () => {
    const object = applyObject<Thing>({
      ...base,
      manager: 'm',
      resetFields: ['status'],
      applied: { ...thing({ a: '1' }), status: { n: 1 } } as Thing,
    });
    expect(object.conflict ? {} : object.managedFields[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:a': {} } });
  });

  const refused: [string, Options, string][] = [
    [
      'an undeclared field',
      { applied: thing({ zz: 1 }) },
      'failed to create typed patch object (/t; x.io/v1, Kind=Thing): .spec.zz: field not declared in schema',
    ],
    [
      'duplicates',
      { applied: thing({ set: ['a', 'a'] }) },
      'failed to create typed patch object (/t; x.io/v1, Kind=Thing): .spec.set: duplicate entries for key [="a"]',
    ],
    [
      'a wrong type',
      { applied: thing({ replicas: 'x' }) },
      'failed to create typed patch object (/t; x.io/v1, Kind=Thing): .spec.replicas: expected numeric (int or float), got string',
    ],
    ['another version', { applied: { ...thing({}), apiVersion: 'x.io/v2' } }, 'invalid object type: x.io/v2, Kind=Thing'],
    ['managedFields', { applied: { ...thing({}), metadata: { managedFields: [] } } }, 'metadata.managedFields must be nil'],
    [
      'broken bookkeeping of the live object',
      {
        live: {
          ...thing({}),
          metadata: { managedFields: [{ operation: 'Apply', apiVersion: 'x.io/v1', fieldsType: 'FieldsV1', fieldsV1: { bad: {} } }] },
        },
      },
      'failed to decode managed fields: missing colon: bad',
    ],
  ];
  it.each(refused)('refuses %s', (_, options, message) => expect(() => attempt(undefined, 'm', {}, options)).toThrow(message));

  it('treats members named __proto__ as data', () => {
    const free: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const body = JSON.parse('{"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"t"},"__proto__":{"polluted":1}}') as Thing;
    const result = applyObject<Thing>({ ...base, schema: free, manager: 'm', applied: body });
    expect(Object.hasOwn(result.conflict ? {} : result.object, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('trackUpdate', () => {
  it('gives changed fields to the writer, drops removed ones, and drops managers without fields', () => {
    const created = updated(undefined, 'one', { a: '1', b: '1' });
    expect(owners(created)).toEqual({ 'Update one': '. f:a f:b' });
    const moved = updated(created, 'two', { a: '2', c: '1' });
    expect(owners(moved)).toEqual({ 'Update one': '', 'Update two': 'f:a f:c' });
  });

  it('a write that changes nothing changes no entry', () => {
    const created = updated(undefined, 'one', { a: '1' });
    expect(updated(created, 'two', { a: '1' }, { time: '2030-01-01T00:00:00Z' }).metadata?.managedFields).toEqual(
      created.metadata?.managedFields,
    );
  });

  it('never tracks the bookkeeping of the server', () => {
    const metadata = {
      name: 't',
      namespace: 'n',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: base.time,
      labels: { l: 'v' },
    };
    const entries = trackUpdate<Thing>({ ...base, manager: 'm', next: { apiVersion: 'x.io/v1', kind: 'Thing', metadata } });
    expect(entries?.map(({ fieldsV1 }) => fieldsV1)).toEqual([{ 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } }]);
  });

  it('an object stored untracked stays so; an empty list resets', () => {
    const untracked: Thing = { ...thing({ a: '1' }), metadata: { name: 't', uid: 'u' } };
    expect(trackUpdate<Thing>({ ...base, manager: 'm', live: untracked, next: thing({ a: '2' }) })).toBeUndefined();
    const tracked = updated(undefined, 'one', { a: '1' });
    const reset = { ...tracked, metadata: { name: 't', uid: 'u', managedFields: [{}] } };
    expect(trackUpdate<Thing>({ ...base, manager: 'm', live: tracked, next: reset })).toBeUndefined();
  });

  it('keeps ten updaters and merges the oldest into ancient-changes', () => {
    let live: Thing | undefined;
    for (let i = 0; i < 13; i++) {
      const map = Object.fromEntries(Array.from({ length: i + 1 }, (_, k) => [`k${k}`, 'v']));
      live = updated(live, `m${i}`, { map }, { time: `2026-01-01T00:00:${String(i).padStart(2, '0')}Z` });
    }
    const entries = live?.metadata?.managedFields ?? [];
    expect(entries.map(({ manager }) => manager)).toEqual(['ancient-changes', ...Array.from({ length: 9 }, (_, i) => `m${i + 4}`)]);
    const ancient = entries[0]?.fieldsV1?.['f:spec'] as Record<string, object> | undefined;
    expect(Object.keys(ancient?.['f:map'] ?? {})).toEqual(['.', 'f:k0', 'f:k1', 'f:k2', 'f:k3']);
  });
});

describe('two versions', () => {
  /** In version v2, the field `a` is named `alpha`. */
  const v2: StructuralSchema = { type: 'object', properties: { spec: { type: 'object', properties: { alpha: text, b: text } } } };
  const versions = {
    schema: (apiVersion: string): StructuralSchema | undefined => ({ 'x.io/v1': schema, 'x.io/v2': v2 })[apiVersion],
    convert<T extends ApplyObject>(object: T, apiVersion: string): T {
      const { a, alpha, ...rest } = ((object as Thing).spec ?? {}) as Record<string, unknown>;
      const value = a ?? alpha;
      const named = value === undefined ? {} : apiVersion === 'x.io/v2' ? { alpha: value } : { a: value };
      return { ...object, apiVersion, spec: { ...rest, ...named } };
    },
  };
  const inV2 = (live: Thing, manager: string, spec: Record<string, unknown>, force = false): ApplyResult<Thing> =>
    applyObject<Thing>({
      ...base,
      apiVersion: 'x.io/v2',
      schema: v2,
      versions,
      live: versions.convert(live, 'x.io/v2'),
      applied: { ...thing(spec), apiVersion: 'x.io/v2' },
      manager,
      force,
    });

  it('a conflict is seen across versions, in the words of the owner', () => {
    const live = applied(undefined, 'one', { a: '1' });
    expect(inV2(live, 'two', { alpha: '2' }).conflict?.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.a');
  });

  it('fields that were applied in one version are removed through another', () => {
    const live = applied(undefined, 'one', { a: '1', b: '1' });
    const result = inV2(live, 'one', { b: '1' });
    expect(result.conflict ? {} : result.object.spec).toEqual({ b: '1' });
    expect(result.conflict ? [] : result.managedFields.map(({ apiVersion }) => apiVersion)).toEqual(['x.io/v2']);
  });

  it('managers at a version that is no longer served are dropped', () => {
    const live = applied(undefined, 'one', { a: '1' });
    const stale = {
      ...live,
      metadata: {
        ...live.metadata,
        managedFields: live.metadata?.managedFields?.map((entry) => ({ ...entry, apiVersion: 'x.io/v0' })) ?? [],
      },
    };
    expect(owners(applied(stale, 'two', { a: '2' }, { versions }))).toEqual({ 'Apply two': 'f:a' });
  });
});

describe('moving from client-side apply', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const clientSide = (): Thing => {
    const next = {
      ...thing({ a: '1', b: '1' }),
      metadata: { name: 't', uid: 'u', annotations: { [annotation]: JSON.stringify(thing({ a: '1', b: '1' })) } },
    };
    const managedFields = trackUpdate<Thing>({ ...base, next, manager: 'kubectl-client-side-apply' }) ?? [];
    return { ...next, metadata: { ...next.metadata, managedFields } };
  };

  it('kubectl takes over the fields of its last client-side apply, and updates the annotation', () => {
    const object = applied(clientSide(), 'kubectl', { a: '2' });
    expect(object.spec).toMatchObject({ a: '2' });
    expect(JSON.parse(object.metadata?.annotations?.[annotation] ?? '')).toMatchObject({ spec: { a: '2' } });
  });

  it('other managers do not, and kubectl does not if another manager changed the value since', () => {
    expect(attempt(clientSide(), 'other', { a: '2' }).conflict).toBeDefined();
    const changed = { ...clientSide(), spec: { a: '9', b: '1' } };
    expect(attempt(changed, 'kubectl', { a: '2' }).conflict?.message).toContain('.spec.a');
  });
});

describe('laws of apply', () => {
  const value = fc.constantFrom('x', 'y');
  const part = (prefix: string): fc.Arbitrary<Record<string, unknown>> =>
    fc.record(
      {
        [prefix]: value,
        map: fc.dictionary(fc.constantFrom(`${prefix}1`, `${prefix}2`), value, { minKeys: 1 }),
        rows: fc.uniqueArray(fc.record({ k: fc.constantFrom(`${prefix}1`, `${prefix}2`), v: value }), {
          selector: ({ k }) => k,
          minLength: 1,
        }),
        set: fc.uniqueArray(fc.constantFrom(`${prefix}1`, `${prefix}2`), { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
  const sorted = (spec: Thing['spec']): unknown => {
    const { rows = [], set = [], ...rest } = (spec ?? {}) as { rows?: { k: string }[]; set?: string[] };
    return { ...rest, rows: [...rows].sort((a, b) => (a.k < b.k ? -1 : 1)), set: [...set].sort() };
  };

  it('applying twice is applying once', () => {
    fc.assert(
      fc.property(part('a'), part('b'), (mine, theirs) => {
        const once = applied(applied(undefined, 'two', theirs), 'one', mine);
        return deepEqual(applied(once, 'one', mine), once);
      }),
      { numRuns: 60 },
    );
  });

  it('applying fields and then applying none restores the object', () => {
    fc.assert(
      fc.property(part('a'), part('b'), (mine, theirs) => {
        const before = applied(undefined, 'two', theirs);
        const after = withdrawn(applied(before, 'one', mine), 'one');
        return deepEqual(sorted(after.spec), sorted(before.spec)) && deepEqual(owners(after), owners(before));
      }),
      { numRuns: 60 },
    );
  });

  it('managers of different fields commute', () => {
    fc.assert(
      fc.property(part('a'), part('b'), (mine, theirs) => {
        const left = applied(applied(undefined, 'one', mine), 'two', theirs);
        const right = applied(applied(undefined, 'two', theirs), 'one', mine);
        return deepEqual(sorted(left.spec), sorted(right.spec)) && deepEqual(owners(left), owners(right));
      }),
      { numRuns: 60 },
    );
  });
});
