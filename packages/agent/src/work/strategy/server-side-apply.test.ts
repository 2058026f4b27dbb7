import type { ServerSideApplySettings } from '@outrigger/api';
import type { Json, JsonObject, KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { type Fields, OWNER, live, object, situation } from '../fixtures.js';
import { isApplied } from './applied-fields.js';
import { fingerprint } from './fingerprint.js';
import { stepServerSideApply } from './server-side-apply.js';
import type { Situation, Step } from './situation.js';

const HASH = 'open-cluster-management.io/config-spec-hash';
const otherWork = { ...OWNER, name: 'hash-other', uid: 'other-applied-work' };

function managed(fields: JsonObject, manager = 'work-agent'): Fields {
  return { managedFields: [{ manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: fields }] };
}

function step(manifest: KubeObject, over: Partial<Situation> = {}, settings: ServerSideApplySettings = {}): Step {
  return stepServerSideApply(settings, situation(manifest, over));
}

function appliedObject(result: Step): KubeObject & Fields {
  if (result.type !== 'write' || result.write.type !== 'apply') throw new Error(`expected an apply, got ${JSON.stringify(result)}`);
  return result.write.object as KubeObject & Fields;
}

describe('ServerSideApply', () => {
  const manifest = object('a', { data: { a: '1' } });
  const ourFields = { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:ownerReferences': {} } };
  const existing = live(manifest, { ownerReferences: [OWNER], ...managed(ourFields) });

  it('sends the manifest and its owner in one apply, as work-agent and by default without force', () => {
    const applied = { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [OWNER] } };
    expect(step(manifest)).toEqual({ type: 'write', write: { type: 'apply', object: applied, fieldManager: 'work-agent', force: false } });
    expect(step(manifest, {}, { force: true, fieldManager: 'work-agent-2' })).toMatchObject({
      write: { force: true, fieldManager: 'work-agent-2' },
    });
  });

  it('needs nothing while every field is still ours', () => {
    expect(step(manifest, { live: existing, isWritten: true })).toEqual({ type: 'settled' });
  });

  it('is sent once for a manifest that was never sent, also if everything matches', () => {
    expect(step(manifest, { live: existing }).type).toBe('write');
  });

  it('is sent again when another manager took or changed a field', () => {
    const taken = live(manifest, { ownerReferences: [OWNER], ...managed({ 'f:metadata': {} }) });
    expect(step(manifest, { live: taken, isWritten: true }).type).toBe('write');
    const gone = live(manifest, { ownerReferences: [OWNER] });
    expect(step(manifest, { live: gone, isWritten: true }).type).toBe('write');
  });

  it('keeps values that the server normalised, as long as our manager owns the fields', () => {
    const normalised = live(object('a', { data: { a: 'one' } }), { ownerReferences: [OWNER], ...managed(ourFields) });
    const after = fingerprint({ type: 'ServerSideApply' }, normalised.object, manifest);
    expect(step(manifest, { live: normalised, isWritten: true, after })).toEqual({ type: 'settled' });
  });

  it('keeps the marks of other works, which apply under the same name', () => {
    const shared = live(manifest, { ownerReferences: [otherWork, { ...OWNER, kind: 'Node', apiVersion: 'v1', uid: 'node' }] });
    expect(appliedObject(step(manifest, { live: shared })).metadata.ownerReferences).toEqual([otherWork, OWNER]);
    expect(appliedObject(step(manifest, { live: shared, isOwned: false })).metadata.ownerReferences).toEqual([otherWork]);
  });
});

describe('ServerSideApply with ignored fields', () => {
  const manifest = object('a', { spec: { replicas: 2, image: 'i' } });
  const ignoring: ServerSideApplySettings = { ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths: ['.spec.replicas'] }] };
  const hashOf = (it: KubeObject): string => it.metadata.annotations?.[HASH] ?? '';
  const digest = hashOf(appliedObject(step(manifest, {}, ignoring)));

  it('sends all fields to make the object', () => {
    expect(appliedObject(step(manifest, {}, ignoring))['spec']).toEqual({ replicas: 2, image: 'i' });
  });
  it('leaves the object alone while the manifest is the same, whatever its state', () => {
    const drifted = live(object('a', { spec: { replicas: 9, image: 'drifted' } }), {
      ownerReferences: [OWNER],
      annotations: { [HASH]: digest },
    });
    expect(step(manifest, { live: drifted }, ignoring)).toEqual({ type: 'settled' });
  });
  it('sends the rest when the manifest changed', () => {
    const stale = live(object('a', { spec: { replicas: 9 } }), { annotations: { [HASH]: 'old' } });
    const sent = appliedObject(step(manifest, { live: stale }, ignoring));
    expect(sent['spec']).toEqual({ image: 'i' });
    expect(sent.metadata.resourceVersion).toBeUndefined();
    expect(hashOf(sent)).toBe(digest);
  });
  it('keeps the value of an ignored field that only we own, because leaving it out would remove it', () => {
    const ours = live(object('a', { spec: { replicas: 4, image: 'i' } }), managed({ 'f:spec': { 'f:replicas': {}, 'f:image': {} } }));
    const sent = appliedObject(step(manifest, { live: ours }, ignoring));
    expect(sent['spec']).toEqual({ image: 'i', replicas: 4 });
    expect(sent.metadata.resourceVersion).toBe('7');
  });
  describe('keeps the current values of ignored fields of list elements that only we own', () => {
    const items = (owned: JsonObject): JsonObject => ({ 'f:spec': { 'f:items': owned } });
    const keyed = items({ 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:image': {} } });
    const defaulted = items({ 'k:{"name":"a","protocol":"TCP"}': { 'f:image': {} } });
    const a = { name: 'a', image: 'live' };
    const cases: { name: string; path: string; owned?: JsonObject; there?: Json[]; wanted?: Json[]; want?: Json[] }[] = [
      { name: 'by index', path: '.spec.items[0].image' },
      { name: 'of all elements', path: '.spec.items[*].image' },
      { name: 'by a member', path: '.spec.items[?(@.name=="a")].image' },
      { name: 'in another order', path: '.spec.items[*].image', there: [{ name: 'x' }, a] },
      { name: 'if the whole element is ignored', path: '.spec.items[0]' },
      { name: 'of an atomic list', path: '.spec.items[0].image', owned: items({}) },
      { name: 'with a key that the server gave', path: '.spec.items[0].image', owned: defaulted },
      { name: 'of a set', path: '.spec.items[0]', owned: items({ 'v:"a"': {} }), there: ['b', 'a'], wanted: ['a'], want: ['a'] },
      { name: 'but not of another manager', path: '.spec.items[0].image', owned: { 'f:metadata': {} }, want: [{ name: 'a' }] },
      { name: 'but not of an element that no longer exists', path: '.spec.items[0].image', there: [], want: [{ name: 'a' }] },
      { name: 'but not by keys that cannot be read', path: '.spec.items[0].image', owned: items({ 'k:{': {} }), want: [{ name: 'a' }] },
    ];
    it.each(cases)('$name', ({ path, owned = keyed, there = [a], wanted = [{ name: 'a', image: 'ours' }], want = [a] }) => {
      const settings: ServerSideApplySettings = { ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths: [path] }] };
      const current = live(object('a', { spec: { items: there } }), managed(owned));
      expect(appliedObject(step(object('a', { spec: { items: wanted } }), { live: current }, settings))['spec']).toEqual({ items: want });
    });
  });
  it('counts OnSpokeChange fields as part of the manifest', () => {
    const changing: ServerSideApplySettings = { ignoreFields: [{ condition: 'OnSpokeChange', jsonPaths: ['.spec.replicas'] }] };
    const first = hashOf(appliedObject(step(manifest, {}, changing)));
    const second = hashOf(appliedObject(step(object('a', { spec: { replicas: 3, image: 'i' } }), {}, changing)));
    expect(second).not.toBe(first);
    const third = hashOf(appliedObject(step(object('a', { spec: { replicas: 3, image: 'i' } }), {}, ignoring)));
    expect(third).toBe(digest);
  });
});

describe('whether everything applied is still ours', () => {
  const containers = { 'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:image': {} } } } };
  const ports = { 'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } } };
  it.each([
    { name: 'an element by its keys', wanted: { spec: { containers: [{ name: 'a', image: 'i' }] } }, owned: containers, want: true },
    {
      name: 'beside those of others',
      wanted: { spec: { containers: [{ name: 'a', image: 'i' }] } },
      actual: { spec: { containers: [{ name: 'x' }, { name: 'a', image: 'i' }] } },
      owned: containers,
      want: true,
    },
    {
      name: 'an element with another value',
      wanted: { spec: { containers: [{ name: 'a', image: 'i' }] } },
      actual: { spec: { containers: [{ name: 'a', image: 'j' }] } },
      owned: containers,
      want: false,
    },
    {
      name: 'an element that no longer exists',
      wanted: { spec: { containers: [{ name: 'a', image: 'i' }] } },
      actual: { spec: { containers: [] } },
      owned: containers,
      want: false,
    },
    {
      name: 'a key the server gave',
      wanted: { spec: { ports: [{ port: 80 }] } },
      actual: { spec: { ports: [{ port: 80, protocol: 'TCP' }] } },
      owned: ports,
      want: true,
    },
    {
      name: 'an element of a set',
      wanted: { spec: { set: ['x'] } },
      actual: { spec: { set: ['y', 'x'] } },
      owned: { 'f:spec': { 'f:set': { 'v:"x"': {} } } },
      want: true,
    },
    { name: 'an atomic list', wanted: { spec: { list: [1, 2] } }, owned: { 'f:spec': { 'f:list': {} } }, want: true },
    { name: 'a field that no entry lists as ours', wanted: { spec: { x: 1 } }, owned: { 'f:spec': { 'f:y': {} } }, want: false },
    { name: 'a null, which is no field', wanted: { spec: { x: null } }, owned: { 'f:spec': { 'f:y': {} } }, want: true },
  ])('$name: $want', ({ wanted, actual = wanted, owned, want }) =>
    expect(isApplied(object('a', wanted), object('a', actual), owned)).toBe(want),
  );
});
