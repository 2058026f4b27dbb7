import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storedForm } from './stored-form.js';
import { workContent, workTreatment } from './written.js';

const named = { name: 'a', namespace: 'n' };
const manifest = (metadata: unknown, rest: object = {}): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...rest });
const digest = (value: unknown): string => workContent([value], 'n');

describe('a manifest and its stored form', () => {
  it.each([
    ['an empty map', manifest({ ...named, labels: {}, annotations: {} }), manifest(named)],
    ['an empty list', manifest({ ...named, ownerReferences: [], finalizers: [] }), manifest(named)],
    ['empty text and zero', manifest({ ...named, generateName: '', generation: 0 }), manifest(named)],
    ['a null', manifest({ ...named, creationTimestamp: null, labels: null }), manifest(named)],
    ['a null label', manifest({ ...named, labels: { a: null } }), manifest({ ...named, labels: { a: '' } })],
    ['an unknown member', manifest({ ...named, clusterName: 'x' }), manifest(named)],
    ['a time in another zone', manifest({ ...named, creationTimestamp: '2020-01-01T02:00:00.5+02:00' }), manifest(named)],
    ['an owner with more', owned({ more: 1, controller: null }), owned({})],
    ['no metadata at all', manifest(null), { apiVersion: 'v1', kind: 'ConfigMap' }],
    ['nulls anywhere', manifest(named, { data: { a: null, b: [null, { c: null }] } }), manifest(named, { data: { b: [{}] } })],
    ['half a surrogate pair', manifest(named, { data: { '\ud800': '\udfff' } }), manifest(named, { data: { '\ufffd': '\ufffd' } })],
  ])('%s makes no difference', (_, ours, theirs) => expect(digest(ours)).toBe(digest(theirs)));

  it.each([
    ['an empty object outside metadata', manifest(named, { spec: { emptyDir: {} } }), manifest(named, { spec: {} })],
    ['an empty list outside metadata', manifest(named, { args: [] }), manifest(named)],
    ['a label', manifest({ ...named, labels: { a: 'b' } }), manifest(named)],
    ['zero and false', manifest(named, { a: 0, b: false }), manifest(named)],
    ['the order of a list', manifest(named, { a: [1, 2] }), manifest(named, { a: [2, 1] })],
    ['a repeated item', manifest(named, { a: [1, 1] }), manifest(named, { a: [1] })],
  ])('%s makes one', (_, ours, theirs) => expect(digest(ours)).not.toBe(digest(theirs)));

  it('is itself if a server changes nothing, so that the digests of earlier managers stay valid', () => {
    const plain = manifest({ ...named, labels: { a: 'b' } }, { spec: { emptyDir: {}, list: [1, 'x', { y: true }] } });
    expect(storedForm(plain)).toBe(plain);
  });

  it('drops every null and nothing else, and copies no value without one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const text = JSON.stringify({ data });
        const expected: unknown = JSON.parse(text, (_, value: unknown): unknown => {
          const items: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
          return items?.filter((item) => item !== null) ?? value ?? undefined;
        });
        const found = storedForm(manifest(named, JSON.parse(text) as object));
        expect(found).toEqual(manifest(named, expected as object));
        const again = storedForm(found);
        expect(again).toBe(found);
      }),
    );
  });
});

function owned(more: object): object {
  return manifest({ ...named, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u', ...more }] });
}

describe('the manifest configs and their stored form', () => {
  const resourceIdentifier = { resource: 'deployments', name: 'a' };
  it.each([
    ['an update strategy', { updateStrategy: {} }, { updateStrategy: { type: 'Update' } }],
    ['apply settings', { serverSideApply: {} }, { serverSideApply: { fieldManager: 'work-agent' } }],
    ['how feedback is read', {}, { feedbackScrapeType: 'Poll' }],
  ])('%s', (_, ours, theirs) => {
    const of = (config: object): string => workTreatment({ manifestConfigs: [{ resourceIdentifier, ...config }] });
    expect(of(theirs)).toBe(of(ours));
    expect(of({ ...ours, updateStrategy: { type: 'ReadOnly' } })).not.toBe(of(ours));
  });
  it('a delete option', () =>
    expect(workTreatment({ deleteOption: { propagationPolicy: 'Foreground' } })).toBe(workTreatment({ deleteOption: {} })));
});
