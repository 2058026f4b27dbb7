import { type ApiError, type KubeObject, type OwnerReference } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { CHILDREN } from '../runtime/fixtures.js';
import { adoptionPatch } from './adoption.js';

const owner = (uid: string, controller = true): OwnerReference => ({ apiVersion: 'v1', kind: 'Parent', name: uid, uid, controller });

function child(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { apiVersion: 'toy/v1', kind: 'Child', metadata: { namespace: 'toy', name: 'a', ...metadata } };
}

const wanted = child({ labels: { app: 'x', of: 'us' }, ownerReferences: [owner('me')] });
const existing = { uid: 'u', resourceVersion: '5' };

describe('an existing object with the name of the object to create', () => {
  it.each([
    { name: 'without an owner', metadata: {}, labels: { app: 'x', of: 'us' }, owners: [owner('me')] },
    {
      name: 'that is ours, with a label removed',
      metadata: { labels: { of: 'us', their: 'own' }, ownerReferences: [owner('me')] },
      labels: { app: 'x' },
      owners: [owner('me')],
    },
    {
      name: 'with an owner that does not control it',
      metadata: { labels: { app: 'y' }, ownerReferences: [owner('other', false)] },
      labels: { app: 'x', of: 'us' },
      owners: [owner('other', false), owner('me')],
    },
  ])('$name is given our labels and owner', ({ metadata, labels, owners }) => {
    expect(adoptionPatch(CHILDREN, child({ ...existing, ...metadata }), wanted)).toEqual({
      metadata: { ...existing, labels, ownerReferences: owners },
    });
  });

  it.each([
    { name: 'an object without an owner', ownerReferences: [] },
    { name: 'an object whose owner does not control it', ownerReferences: [owner('other', false)] },
  ])('$name is not adopted if only owned objects may be', ({ ownerReferences }) => {
    const adopt = (): unknown => adoptionPatch(CHILDREN, child({ ...existing, ownerReferences }), wanted, 'owned');
    expect(adopt).toThrow(`${CHILDREN.kind} toy/a stands in the way: it was not created for Parent me. Delete it`);
    expect(adopt).toThrow(expect.objectContaining({ reason: 'AlreadyExists' }) as ApiError);
  });

  it('an object of ours that lost its labels is adopted if only owned objects may be', () => {
    expect(adoptionPatch(CHILDREN, child({ ...existing, ownerReferences: [owner('me')] }), wanted, 'owned')).toEqual({
      metadata: { ...existing, labels: wanted.metadata.labels, ownerReferences: [owner('me')] },
    });
  });

  it.each([
    {
      name: 'that another controller owns is refused by name',
      metadata: { ownerReferences: [owner('other')] },
      want: ['AlreadyExists', `${CHILDREN.kind} toy/a stands in the way: it belongs to Parent other.`],
    },
    {
      name: 'that carries our labels already is one the cache does not show yet',
      metadata: { labels: wanted.metadata.labels ?? {} },
      want: ['Conflict', 'not in the cache yet'],
    },
    { name: 'that is being deleted is waited for', metadata: { deletionTimestamp: 'now' }, want: ['Conflict', 'still being deleted'] },
  ])('$name', ({ metadata, want: [reason, message] }) => {
    const adopt = (): unknown => adoptionPatch(CHILDREN, child({ ...existing, ...metadata }), wanted);
    expect(adopt).toThrow(message);
    expect(adopt).toThrow(expect.objectContaining({ reason }) as ApiError);
  });
});
