import { describe, expect, it } from 'vitest';
import { APPLIED_UID, CLUSTER_ROLES, OWNER, leftover, live, object, owned, ref } from '../fixtures.js';
import { mergeOwners } from './owners.js';
import { isOwned } from './policy.js';
import { releaseOf } from './release.js';

const otherWork = { ...OWNER, name: 'hash-other', uid: 'other-applied-work' };
const stranger = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node' };

describe('the release of an object that no work names any more', () => {
  const it_ = object('a');
  const cases = [
    {
      name: 'it was listed before it was made, and a create may still be under way',
      leftover: leftover('a', { state: 'absent', mayCome: true }, { uid: '' }),
      want: { type: 'wait' },
    },
    { name: 'it no longer exists', leftover: leftover('a', { state: 'absent' }), want: { type: 'forget' } },
    { name: 'it was not read yet', leftover: leftover('a', { state: 'unknown' }), want: { type: 'wait' } },
    { name: 'it cannot be read', leftover: leftover('a', { state: 'unreadable', error: 'no' }), want: { type: 'wait' } },
    { name: 'it is not ours', leftover: leftover('a', live(it_)), want: { type: 'forget' } },
    { name: 'it is ours', leftover: leftover('a', owned(it_)), want: { type: 'delete', uid: 'uid-a', resourceVersion: '7' } },
    {
      name: 'it was listed before it was made',
      leftover: leftover('a', owned(it_), { uid: '' }),
      want: { type: 'delete', uid: 'uid-a', resourceVersion: '7' },
    },
    { name: 'it is another object of that name', leftover: leftover('a', owned(it_), { uid: 'old' }), want: { type: 'forget' } },
    { name: 'it is on its way out', leftover: leftover('a', owned(it_, { deletionTimestamp: 'now' })), want: { type: 'wait' } },
    {
      name: 'another work owns it too',
      leftover: leftover('a', live(it_, { ownerReferences: [otherWork, OWNER] })),
      want: { type: 'disown', references: [otherWork], uid: 'uid-a', resourceVersion: '7' },
    },
    {
      name: 'something else owns it too',
      leftover: leftover('a', live(it_, { ownerReferences: [stranger, OWNER] })),
      want: { type: 'delete', uid: 'uid-a', resourceVersion: '7' },
    },
    {
      name: 'it is to be left behind',
      leftover: leftover('a', owned(it_), { isOrphan: true }),
      want: { type: 'disown', references: [], uid: 'uid-a', resourceVersion: '7' },
    },
  ];
  it.each(cases)('$name: $want.type', ({ leftover: left, want }) => expect(releaseOf(left, APPLIED_UID)).toEqual(want));
});

describe('whether an object is deleted with its work', () => {
  const rule = { group: '', resource: 'configmaps', name: 'a', namespace: 'ns' };
  it.each([
    { name: 'no delete option', option: undefined, want: true },
    { name: 'Foreground', option: { propagationPolicy: 'Foreground' }, want: true },
    { name: 'Orphan', option: { propagationPolicy: 'Orphan' }, want: false },
    { name: 'SelectivelyOrphan without a list', option: { propagationPolicy: 'SelectivelyOrphan' }, want: true },
    { name: 'listed', option: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: [rule] } }, want: false },
    {
      name: 'there are no wildcards',
      option: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: [{ ...rule, name: '*' }] } },
      want: true,
    },
    {
      name: 'listed in another namespace',
      option: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: [{ ...rule, namespace: 'x' }] } },
      want: true,
    },
  ] as const)('$name: $want', ({ option, want }) => expect(isOwned(option, ref('a'))).toBe(want));

  it('a cluster-scoped object is listed without a namespace', () => {
    const rules = [{ group: CLUSTER_ROLES.group, resource: 'clusterroles', name: 'r' }];
    const option = { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules: rules } } as const;
    expect(isOwned(option, ref('r', CLUSTER_ROLES))).toBe(false);
  });
});

describe('owners', () => {
  const none = { manifest: [], ours: OWNER, isOwned: true };
  it('are returned unchanged if they are correct', () => {
    const right = [stranger, OWNER];
    expect(mergeOwners(right, none)).toBe(right);
    const free = [stranger];
    expect(mergeOwners(free, { ...none, isOwned: false })).toBe(free);
  });
  it('gain ours, or lose it', () => {
    expect(mergeOwners([stranger], none)).toEqual([stranger, OWNER]);
    expect(mergeOwners([stranger, OWNER], { ...none, isOwned: false })).toEqual([stranger]);
  });
  it('a reference without a uid does not count', () => {
    expect(mergeOwners([], { ...none, manifest: [{ ...stranger, uid: '' }] })).toEqual([OWNER]);
  });
});
