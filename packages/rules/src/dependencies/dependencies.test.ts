import { describe, expect, it } from 'vitest';
import { type AddOnDependency, dependencyMessage } from '@outrigger/api';
import type { Condition } from '@outrigger/core';
import { type Prerequisite, degradedCondition, frozenDependencies, unsatisfiedDependencies } from './evaluate.js';

const available: Prerequisite = { isDeleting: false, isAvailable: true, degradedReason: undefined };

const degraded = (
  dependencies: AddOnDependency[],
  installed: Record<string, Prerequisite>,
  cycles: Record<string, string> = {},
  current?: string,
): string => {
  const missing = unsatisfiedDependencies(dependencies, {
    prerequisite: (name) => installed[name],
    cycle: (name) => cycles[name]?.split(' -> '),
  });
  const now = current ? { type: 'Degraded', status: 'True' as const, reason: current, message: '', lastTransitionTime: '' } : undefined;
  const condition = degradedCondition(missing, now);
  return condition ? `${condition.status} ${condition.reason}: ${condition.message}` : 'left alone';
};

describe('dependencies: the Degraded condition', () => {
  const b = { b: available };
  const cases: { name: string; got: string; want: string }[] = [
    { name: 'no dependencies, no condition', got: degraded([], {}), want: 'left alone' },
    { name: 'satisfied from the start, no condition', got: degraded([{ name: 'b' }], b), want: 'left alone' },
    {
      name: 'satisfied after it was not',
      got: degraded([{ name: 'b' }], b, {}, 'RequiredDependencyNotSatisfied'),
      want: 'False DependenciesSatisfied: All dependencies are satisfied.',
    },
    { name: 'a condition of another controller is not changed', got: degraded([{ name: 'b' }], b, {}, 'DiskFull'), want: 'left alone' },
    {
      name: 'ours replaces it when something is missing',
      got: degraded([{ name: 'b' }], {}, {}, 'DiskFull'),
      want: "True RequiredDependencyNotSatisfied: Required addon 'b' is not installed or not available",
    },
    {
      name: 'the message of an optional one is the second sentence (seed 000, example 1)',
      got: degraded(
        [{ name: 'managed-serviceaccount', type: 'Optional', message: 'Token-based access to managed clusters is unavailable' }],
        {},
      ),
      want: "True DependencyNotSatisfied: Optional addon 'managed-serviceaccount' is not installed or not available. Token-based access to managed clusters is unavailable",
    },
    {
      name: 'required is the default (seed 000, example 2)',
      got: degraded([{ name: 'managed-serviceaccount', message: 'This addon cannot function without ManagedServiceAccount API' }], {}),
      want: "True RequiredDependencyNotSatisfied: Required addon 'managed-serviceaccount' is not installed or not available. This addon cannot function without ManagedServiceAccount API",
    },
    {
      name: 'all are listed, required first, then by name',
      got: degraded([{ name: 'a', type: 'Optional', message: 'No a.' }, { name: 'z' }, { name: 'c', message: 'No c' }], {}),
      want: "True RequiredDependencyNotSatisfied: Required addon 'c' is not installed or not available. No c. Required addon 'z' is not installed or not available. Optional addon 'a' is not installed or not available. No a.",
    },
    {
      name: 'one that is being deleted does not count',
      got: degraded([{ name: 'b' }], { b: { ...available, isDeleting: true } }),
      want: "True RequiredDependencyNotSatisfied: Required addon 'b' is not installed or not available",
    },
    {
      name: 'nor one that lacks a required dependency itself',
      got: degraded([{ name: 'b' }], { b: { ...available, degradedReason: 'RequiredDependencyNotSatisfied' } }),
      want: "True RequiredDependencyNotSatisfied: Required addon 'b' is not installed or not available",
    },
    {
      name: 'an edge on a cycle is never satisfied',
      got: degraded([{ name: 'b' }], b, { b: 'a -> b -> a' }),
      want: "True RequiredDependencyNotSatisfied: Required addon 'b' is part of a dependency cycle: a -> b -> a.",
    },
  ];
  it.each(cases)('$name', ({ got, want }) => expect(got).toBe(want));
});

describe('while the cluster is unreachable', () => {
  const dependencies = [{ name: 'b' }, { name: 'c', type: 'Optional' as const }];
  const unknown = { isDeleting: false, isAvailable: false, degradedReason: undefined };
  const lacking = (...names: string[]): Condition => ({
    type: 'Degraded',
    status: 'True',
    reason: 'RequiredDependencyNotSatisfied',
    message: dependencyMessage(names.map((name) => ({ name }))),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const missing = (others: Readonly<Record<string, Prerequisite>>, reported?: Condition): readonly string[] =>
    frozenDependencies(dependencies, { prerequisite: (name) => others[name], cycle: () => undefined }, reported).map(({ name }) => name);

  it.each<{ name: string; others: Readonly<Record<string, Prerequisite>>; reported?: Condition; want: readonly string[] }>([
    { name: 'a dependency that was satisfied and exists stays satisfied', others: { b: unknown, c: unknown }, want: [] },
    {
      name: 'a dependency that was not satisfied and exists stays so, even if it reports Available',
      others: { b: { ...unknown, isAvailable: true }, c: unknown },
      reported: lacking('b'),
      want: ['b'],
    },
    { name: 'one that was deleted is missing', others: { c: unknown }, want: ['b'] },
    { name: 'one that is being deleted is missing', others: { b: { ...unknown, isDeleting: true }, c: unknown }, want: ['b'] },
    { name: 'an optional one that was deleted is missing', others: { b: unknown }, want: ['c'] },
    {
      name: 'one that lacks a dependency itself keeps the verdict it had',
      others: { b: { ...unknown, degradedReason: 'RequiredDependencyNotSatisfied' }, c: unknown },
      want: [],
    },
    {
      name: 'a condition of another controller is not about dependencies',
      others: { b: unknown, c: unknown },
      reported: { ...lacking('b'), reason: 'DiskFull' },
      want: [],
    },
  ])('$name', ({ others, reported, want }) => expect(missing(others, reported)).toEqual(want));
});
