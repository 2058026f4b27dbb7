import { describe, expect, it } from 'vitest';
import { CLUSTER_ROLES, given, leftover, listed, manifestState, object, owned, ref, settledManifest } from '../fixtures.js';
import type { Verdict } from '../verdict.js';
import { prepare } from '../manifest/normalize.js';
import type { ManifestState } from '../state.js';
import { appliedResources } from './applied-resources.js';

const WAITING: Verdict = { type: 'waiting' };
const WRITE: Verdict = { type: 'write', write: { type: 'create', object: object('a') }, content: 'c', isDoubtful: false };
const SETTLED: Verdict = { type: 'settled' };
const readOnly = { strategy: { type: 'ReadOnly' }, feedbackRules: [], conditionRules: [] } as const;

describe('the list of a work', () => {
  const cases: readonly { name: string; manifest: ManifestState; verdict: Verdict; before?: string; want: readonly string[] }[] = [
    { name: 'existing objects, with their uid', manifest: settledManifest('a'), verdict: SETTLED, want: ['a uid-a'] },
    { name: 'objects about to be created, without a uid', manifest: manifestState('a'), verdict: WRITE, want: ['a'] },
    { name: 'no objects that may not be created', manifest: manifestState('a'), verdict: WAITING, want: [] },
    {
      name: 'objects that an agent was about to create when it died',
      manifest: manifestState('a'),
      verdict: WAITING,
      before: '',
      want: ['a'],
    },
    {
      name: 'objects that were deleted and are created again',
      manifest: manifestState('a'),
      verdict: WRITE,
      before: 'uid-old',
      want: ['a'],
    },
    {
      name: 'objects that were not read yet, unchanged',
      manifest: manifestState('a', { live: { state: 'unknown' } }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    {
      name: 'objects that cannot be read, unchanged',
      manifest: manifestState('a', { live: { state: 'unreadable', error: 'x' } }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    { name: 'nothing that is only read', manifest: { ...settledManifest('a'), treatment: readOnly }, verdict: SETTLED, want: [] },
    { name: 'nothing twice', manifest: { ...settledManifest('a'), duplicateOf: 0 }, verdict: SETTLED, want: [] },
    {
      name: 'objects that may belong to a manifest of an unserved kind',
      manifest: manifestState('a', { ref: undefined }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    {
      name: 'no objects that cannot belong to it',
      manifest: manifestState('a', { ref: undefined, manifest: prepare({ ...object('a'), apiVersion: 'example.com/v1' }) }),
      verdict: WAITING,
      before: 'u',
      want: [],
    },
  ];
  it.each(cases)('$name', ({ manifest, verdict, before, want }) => {
    const state = given({ manifests: [manifest], listed: before === undefined ? [] : [listed('a', before)] });
    expect(appliedResources(state, [verdict]).map(({ name, uid }) => [name, uid].filter(Boolean).join(' '))).toEqual(want);
  });

  it('keeps objects that are being deleted until they no longer exist', () => {
    const leaving = leftover('old', owned(object('old'), { deletionTimestamp: 'now' }));
    expect(appliedResources(given({ leftovers: [leaving], listed: [listed('old')] }), [])).toEqual([listed('old')]);
    expect(appliedResources(given({ leftovers: [{ ...leaving, live: { state: 'absent' } }], listed: [listed('old')] }), [])).toEqual([]);
  });

  it('is sorted by group, version, resource, namespace and name', () => {
    const role = manifestState('r', { ref: ref('r', CLUSTER_ROLES), live: owned(object('r')) });
    const state = given({ manifests: [role, settledManifest('b'), settledManifest('a')] });
    expect(appliedResources(state, [SETTLED, SETTLED, SETTLED]).map(({ resource, name }) => `${resource} ${name}`)).toEqual([
      'configmaps a',
      'configmaps b',
      'clusterroles r',
    ]);
  });
});
