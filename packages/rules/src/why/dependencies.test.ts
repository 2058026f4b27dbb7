import { describe, expect, it } from 'vitest';
import { EMPTY } from './snapshot.js';
import { type Case, check, addOn, installed, c1, well } from './fixtures.js';
import { explain } from './why.js';

const withoutBase = installed(
  'hello',
  'c1',
  "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is not installed or not available",
  'Progressing False Succeed x',
);

const cases: readonly Case[] = [
  {
    name: 'a required dependency that is absent, down to the cause',
    given: {
      managementAddOns: [
        addOn('hello', undefined, [{ name: 'base' }]),
        addOn('base', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } }),
      ],
      clusters: [c1],
      installed: [withoutBase],
    },
    verdict: 'blocked',
    cause: /^base: the label selector does not match cluster c1: env must be "dev"/,
    hint: /^kubectl label managedcluster c1 env=dev --overwrite$/,
  },
  {
    name: 'a required dependency that is not installed on the cluster, with the command',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', { type: 'Manual' })],
      clusters: [c1],
      installed: [withoutBase],
    },
    verdict: 'blocked',
    cause: /^base: strategy Manual: people install it cluster by cluster/,
    hint: /^outrigger enable base --cluster c1$/,
  },
  {
    name: 'a required dependency that is being installed needs no user action',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base')],
      clusters: [c1],
      installed: [withoutBase, installed('base', 'c1', 'Progressing True Installing Installing addon version v1.')],
    },
    verdict: 'waiting',
    cause: /^base: Installing: Installing addon version v1\.$/,
  },
  {
    name: 'a required dependency whose workload is stuck, without the right to read works',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base')],
      clusters: [c1],
      installed: [
        withoutBase,
        installed(
          'base',
          'c1',
          'Progressing False Failed deployments ns/web exceeded its progress deadline: container a: CrashLoopBackOff',
        ),
      ],
    },
    verdict: 'blocked',
    cause: /^base: Progressing is False \(Failed\): deployments ns\/web exceeded/,
    hint: /^on c1: kubectl describe deployments web -n ns$/,
  },
  {
    name: 'a dependency that is not declared',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }])],
      clusters: [c1],
      installed: [installed('hello', 'c1', "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is missing")],
    },
    verdict: 'blocked',
    cause: /there is no add-on "base"/,
  },
  {
    name: 'a cycle ends where it began',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', undefined, [{ name: 'hello' }])],
      clusters: [c1],
      installed: [
        installed(
          'hello',
          'c1',
          "Degraded True RequiredDependencyNotSatisfied Required addon 'base' is part of a dependency cycle: hello -> base -> hello.",
        ),
        installed(
          'base',
          'c1',
          "Degraded True RequiredDependencyNotSatisfied Required addon 'hello' is part of a dependency cycle: base -> hello -> base.",
        ),
      ],
    },
    verdict: 'blocked',
    cause: /dependency cycle: hello -> base -> hello/,
  },
  {
    name: 'an optional dependency that is missing does not stop it',
    given: {
      managementAddOns: [addOn('hello', undefined, [{ name: 'base', type: 'Optional' }])],
      clusters: [c1],
      installed: [
        installed('hello', 'c1', "Degraded True DependencyNotSatisfied Optional addon 'base' is not installed or not available", ...well),
      ],
    },
    verdict: 'available',
  },
];

describe('why: dependencies', () => {
  it.each(cases)('$name', check);

  it('names each dependency once, whatever its state', () => {
    const missing = (name: string): string => `Degraded True RequiredDependencyNotSatisfied Required addon '${name}' is missing`;
    const chain = explain(
      {
        ...EMPTY,
        managementAddOns: [addOn('hello', undefined, [{ name: 'base' }]), addOn('base', undefined, [{ name: 'store' }]), addOn('store')],
        clusters: [c1],
        installed: [
          installed('hello', 'c1', missing('base')),
          installed('base', 'c1', missing('store')),
          installed('store', 'c1', 'Progressing True Installing Installing addon version v1.'),
        ],
      },
      'hello',
      'c1',
    );
    expect(chain.links.slice(-2).map(({ text }) => text)).toEqual([
      "base: a required add-on is missing: Required addon 'store' is missing",
      'store: Installing: Installing addon version v1.',
    ]);
  });

  it('survives a dependency chain of any length and shape', () => {
    const names = Array.from({ length: 50 }, (_, i) => `a${i}`);
    const managementAddOns = names.map((name, i) =>
      addOn(name, undefined, [{ name: names[(i + 1) % 50] ?? '' }, { name: names[(i + 2) % 50] ?? '' }]),
    );
    const all = names.map((name) => installed(name, 'c1', 'Degraded True RequiredDependencyNotSatisfied missing'));
    const chain = explain({ ...EMPTY, managementAddOns, clusters: [c1], installed: all }, 'a0', 'c1');
    expect(chain.verdict).toBe('blocked');
  });
});
