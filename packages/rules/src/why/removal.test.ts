import { describe, it } from 'vitest';
import { type Case, check, addOn, conditions, deleting, installed, marked, rollout, work, c1, well } from './fixtures.js';

const reported = work('hello', 'c1', [{ name: 'ConfigMap default/kept' }]);
const withoutOwner = { ...reported, metadata: { ...reported.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

const cases: readonly Case[] = [
  {
    name: 'an add-on that is deleted while a finalizer keeps its objects',
    given: {
      managementAddOns: [addOn('other')],
      clusters: [c1],
      installed: [],
      works: [withoutOwner],
    },
    verdict: 'removing',
    cause: /removes its objects since 2026-01-01T00:00:00Z: ConfigMap default\/kept\. An object with a finalizer stays/,
    hint: /^on c1: kubectl get configmaps kept -n default -o yaml$/,
  },
  {
    name: 'a removal that waits for a confirmation, since when, with the command',
    given: {
      managementAddOns: [
        {
          ...addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } }),
          status: { conditions: conditions('TargetsResolved False RemovalNeedsConfirmation would remove 10 of 10 add-ons') },
        },
      ],
      clusters: [c1],
      installed: [marked(installed('hello', 'c1', ...well))],
      rollouts: [rollout('hello', {}, { pendingRemoval: { count: 10, of: 10 } })],
    },
    verdict: 'available',
    cause: /its removal waits for a confirmation since 2026-01-01T00:00:00Z \(10 of 10 add-ons would be removed\)/,
    hint: /^outrigger rollout confirm hello$/,
  },
  {
    name: 'a removal that follows by itself',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
      installed: [marked(installed('hello', 'c1', ...well))],
    },
    verdict: 'available',
    cause: /no entry of the strategy selects it here: the manager removes it about 10 seconds after that/,
  },
  {
    name: 'an add-on that a person installed and no entry selects stays',
    given: {
      managementAddOns: [addOn('hello', { type: 'ClusterLabelSelector', labelSelector: { matchLabels: { env: 'dev' } } })],
      clusters: [c1],
      installed: [installed('hello', 'c1', ...well)],
    },
    verdict: 'available',
  },
  {
    name: 'a removal that waits for its hook, with the time at which it stops waiting',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [
        deleting(installed('hello', 'c1', 'HookManifestCompleted False HookManifestIsNotCompleted hook manifestWork w is not completed.')),
      ],
    },
    verdict: 'removing',
    cause: /since 2026-01-01T00:00:00Z: hook manifestWork w is not completed\. It is removed without that at 2026-01-01T00:10:00Z/,
  },
  {
    name: 'a removal that waits for the agent',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [deleting(installed('hello', 'c1'))],
      works: [work('hello', 'c1', [])],
    },
    verdict: 'removing',
    cause: /since 2026-01-01T00:00:00Z: the agent still removes the objects of addon-hello-deploy-0/,
  },
  {
    name: 'being removed',
    given: {
      managementAddOns: [addOn('hello')],
      clusters: [c1],
      installed: [{ ...installed('hello', 'c1'), metadata: { name: 'hello', namespace: 'c1', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    },
    verdict: 'removing',
    cause: /being removed/,
  },
];

describe('why: removal', () => {
  it.each(cases)('$name', check);
});
