import type { KubeObject, ObjectMeta, OwnerReference } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { decideGarbage, type GarbageDecision, type OwnerState } from './decide.js';

const object = (metadata: ObjectMeta): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
const owner = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });
const deleting = (...finalizers: string[]): ObjectMeta => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });

interface Case {
  readonly name: string;
  readonly metadata: ObjectMeta;
  readonly owners?: Readonly<Record<string, OwnerState>>;
  readonly dependents?: readonly string[];
  readonly blocking?: readonly string[];
  readonly foreground?: readonly string[];
  readonly want: GarbageDecision;
}

describe('garbage collection: decide', () => {
  const owned = (...uids: string[]): ObjectMeta => ({ ownerReferences: uids.map(owner) });
  const cases: Case[] = [
    { name: 'an object without owners stays', metadata: {}, want: { type: 'keep' } },
    { name: 'an object with a living owner stays', metadata: owned('a'), owners: { a: 'solid' }, want: { type: 'keep' } },
    { name: 'an orphan is deleted', metadata: owned('a'), owners: { a: 'absent' }, want: background() },
    { name: 'an orphan of several owners is deleted', metadata: owned('a', 'b'), owners: { a: 'absent', b: 'absent' }, want: background() },
    {
      name: 'an object with one owner left forgets the others',
      metadata: owned('a', 'b', 'c'),
      owners: { a: 'absent', b: 'solid', c: 'waitingForDependents' },
      want: { type: 'dropOwners', uids: ['a', 'c'] },
    },
    {
      name: 'an owner of an unknown kind decides nothing',
      metadata: owned('a', 'b'),
      owners: { a: 'absent', b: 'unresolvable' },
      want: { type: 'wait' },
    },
    {
      name: 'a namespaced owner of a cluster-scoped object decides nothing',
      metadata: owned('a'),
      owners: { a: 'misplaced' },
      want: { type: 'keep' },
    },
    {
      name: 'a leaf is deleted if its owner is deleted in the foreground',
      metadata: owned('a'),
      owners: { a: 'waitingForDependents' },
      want: background(),
    },
    {
      name: 'a branch is deleted in the foreground if its owner is',
      metadata: owned('a'),
      owners: { a: 'waitingForDependents' },
      dependents: ['x'],
      want: { type: 'delete', propagation: 'Foreground', unblockFirst: false },
    },
    {
      name: 'a circle of foreground deletions is cut',
      metadata: owned('a'),
      owners: { a: 'waitingForDependents' },
      dependents: ['x'],
      foreground: ['x'],
      want: { type: 'delete', propagation: 'Foreground', unblockFirst: true },
    },
    {
      name: 'an orphan with the policy Orphan releases its own dependents',
      metadata: { ...owned('a'), finalizers: ['orphan'] },
      owners: { a: 'absent' },
      want: { type: 'delete', propagation: 'Orphan', unblockFirst: false },
    },
    {
      name: 'an object that is being deleted is left to its finalizers',
      metadata: { ...deleting('x/y'), ...owned('a') },
      owners: { a: 'absent' },
      want: { type: 'keep' },
    },
    {
      name: 'foreground deletion ends when nothing blocks it',
      metadata: deleting('foregroundDeletion'),
      dependents: ['free'],
      want: { type: 'removeFinalizer', finalizer: 'foregroundDeletion' },
    },
    {
      name: 'foreground deletion deletes all dependents while some block it',
      metadata: deleting('foregroundDeletion'),
      dependents: ['free', 'x', 'y'],
      blocking: ['x', 'y'],
      foreground: ['y'],
      want: { type: 'collectDependents', keys: ['free', 'x'] },
    },
    {
      name: 'foreground deletion waits for dependents that are on their way',
      metadata: deleting('foregroundDeletion'),
      dependents: ['x'],
      blocking: ['x'],
      foreground: ['x'],
      want: { type: 'keep' },
    },
    {
      name: 'orphaning deletion releases the dependents first',
      metadata: deleting('orphan'),
      dependents: ['x', 'y'],
      want: { type: 'orphanDependents', keys: ['x', 'y'] },
    },
    {
      name: 'orphaning deletion ends when no dependent is left to release',
      metadata: deleting('orphan'),
      want: { type: 'removeFinalizer', finalizer: 'orphan' },
    },
  ];

  it.each(cases)('$name', ({ metadata, owners = {}, dependents = [], blocking = [], foreground = [], want }) => {
    const decision = decideGarbage({
      object: object(metadata),
      ownerState: ({ uid }) => owners[uid] ?? 'absent',
      dependents,
      blockingDependents: blocking,
      isDeletingForeground: (key) => foreground.includes(key),
    });
    expect(decision).toEqual(want);
  });
});

function background(): GarbageDecision {
  return { type: 'delete', propagation: 'Background', unblockFirst: false };
}
