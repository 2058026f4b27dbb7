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
    { name: 'what stands, with its uid', manifest: settledManifest('a'), verdict: SETTLED, want: ['a uid-a'] },
    { name: 'what is about to be made, without one', manifest: manifestState('a'), verdict: WRITE, want: ['a'] },
    { name: 'not what may not be made', manifest: manifestState('a'), verdict: WAITING, want: [] },
    { name: 'what was about to be made when an agent died', manifest: manifestState('a'), verdict: WAITING, before: '', want: ['a'] },
    { name: 'what somebody took away and we make again', manifest: manifestState('a'), verdict: WRITE, before: 'uid-old', want: ['a'] },
    {
      name: 'what nobody has looked at, as it was',
      manifest: manifestState('a', { live: { state: 'unknown' } }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    {
      name: 'what cannot be read, as it was',
      manifest: manifestState('a', { live: { state: 'unreadable', error: 'x' } }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    { name: 'nothing that is only read', manifest: { ...settledManifest('a'), treatment: readOnly }, verdict: SETTLED, want: [] },
    { name: 'nothing twice', manifest: { ...settledManifest('a'), duplicateOf: 0 }, verdict: SETTLED, want: [] },
    {
      name: 'what an unserved kind may stand for',
      manifest: manifestState('a', { ref: undefined }),
      verdict: WAITING,
      before: 'u',
      want: ['a u'],
    },
    {
      name: 'not what it cannot stand for',
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

  it('keeps what is on its way out until it is gone', () => {
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
