import { FLEET_ROLLOUT } from '@outrigger/api';
import type { Attention } from '@outrigger/console-contract';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { attentionOf } from './attention.js';
import { SEES_ALL, type Sight } from './sight.js';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const SINCE = '2026-11-16T03:00:00Z';
const object = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'Any', ...fields }) as KubeObject;
const managed = (field: string): NonNullable<KubeObject['metadata']['managedFields']> => [
  { manager: 'm', time: SINCE, fieldsV1: { 'f:spec': { [`f:${field}`]: {} } } },
];
const rollout = (spec: object, entry: object = {}, status: object = {}, field = 'paused'): KubeObject =>
  object({
    metadata: { name: 'hello', uid: 'u', managedFields: managed(field) },
    spec,
    status: {
      history: [
        { revision: 2, version: 'v2', digest: 'b' },
        { revision: 1, version: 'v1', digest: 'a' },
      ],
      entries: [{ name: 'default/all', targetRevision: 2, startedAt: SINCE, ...entry }],
      ...status,
    },
  });
const cluster = (name: string, spec: object, condition: object): KubeObject =>
  object({ metadata: { name, creationTimestamp: SINCE }, spec, status: { conditions: [{ lastTransitionTime: SINCE, ...condition }] } });
const away = (name: string): KubeObject =>
  cluster(name, { hubAcceptsClient: true }, { type: 'ManagedClusterConditionAvailable', status: 'Unknown', reason: 'Lost' });
const rotated = 'client certificate rotated starting from 2026-11-15 12:30:00 +0000 UTC to 2026-11-16 12:30:00 +0000 UTC';
const wait = { kind: 'Approval', name: 'careful/go', clusters: 2, since: SINCE, message: 'needs 1 approval before the rollout' };

/**
 * For each type of item: the label of the item's button, and the steps that produce the item. The label is undefined if the button opens
 * the page of the cause.
 */
const CASES: readonly [Attention['type'], string | undefined, (state: ConsoleState) => void][] = [
  [
    'halted',
    'Roll back to v1',
    (state) => {
      const timeline = [
        { at: SINCE, to: 2, from: 1, outcome: 'Halted', endedAt: SINCE },
        { at: '2026-11-15T03:00:00Z', to: 1, outcome: 'Completed', endedAt: '2026-11-15T03:00:00Z', completedAt: '2026-11-15T03:00:00Z' },
      ];
      state.setRollout(rollout({}, { state: 'Halted', failed: 2, completedRevision: 1, timeline }), 'hello');
    },
  ],
  [
    'halted',
    'Roll back to v1',
    (state) => {
      // The fleet was paused after the rollout halted, so the state is Paused. Only the timeline shows that the rollout halted.
      const timeline = [
        { at: SINCE, to: 2, from: 1, outcome: 'Halted', endedAt: SINCE },
        { at: '2026-11-15T03:00:00Z', to: 1, outcome: 'Completed', endedAt: '2026-11-15T03:00:00Z', completedAt: '2026-11-15T03:00:00Z' },
      ];
      const paused = { state: 'Paused', failed: 2, completedRevision: 1, timeline };
      state.setRollout(rollout({}, paused, { state: 'Paused' }), 'hello');
    },
  ],
  [
    'fleet-paused',
    'Resume all',
    (state) =>
      state.setRollout(
        { ...rollout({ paused: true }), metadata: { name: FLEET_ROLLOUT, managedFields: managed('paused') } },
        FLEET_ROLLOUT,
      ),
  ],
  ['paused', 'Resume', (state) => state.setRollout(rollout({ paused: true }), 'hello')],
  ['held', 'Follow the declaration', (state) => state.setRollout(rollout({ pinnedRevision: 1 }, {}, {}, 'pinnedRevision'), 'hello')],
  [
    'held',
    'Follow the declaration',
    (state) => state.setRollout(rollout({ pinnedEntries: [{ name: 'default/all', revision: 1 }] }, {}, {}, 'pinnedEntries'), 'hello'),
  ],
  [
    'confirmation',
    'Confirm removal',
    (state) => {
      state.setRollout(rollout({}, {}, { pendingRemoval: { count: 3, of: 3 } }), 'hello');
      const condition = { type: 'TargetsResolved', status: 'False', reason: 'RemovalNeedsConfirmation', lastTransitionTime: SINCE };
      state.setDeclaration(object({ metadata: { name: 'hello' }, spec: {}, status: { conditions: [condition] } }), 'hello');
    },
  ],
  ['approval', 'Approve', (state) => state.setRollout(rollout({}, { waitingFor: [wait] }), 'hello')],
  ['approval', 'Retry', (state) => state.setRollout(rollout({}, { waitingFor: [{ ...wait, message: 'rejected by bob' }] }), 'hello')],
  ['approval', 'Retry', (state) => state.setRollout(rollout({}, { waitingFor: [{ ...wait, message: 'rejected by bob' }, wait] }), 'hello')],
  ['unreachable', undefined, (state) => state.setCluster(away('c1'), 'c1')],
  [
    'unreachable',
    undefined,
    (state) => {
      for (let index = 0; index < 60; index++) state.setCluster(away(`c${index}`), `c${index}`);
    },
  ],
  ['pending-cluster', undefined, (state) => state.setCluster(cluster('c1', { hubAcceptsClient: false }, {}), 'c1')],
  [
    'certificate',
    undefined,
    (state) =>
      state.setCluster(
        cluster(
          'c1',
          { hubAcceptsClient: true },
          { type: 'ClusterCertificateRotated', status: 'True', reason: 'Rotated', message: rotated },
        ),
        'c1',
      ),
  ],
];

describe('an item that needs attention', () => {
  it.each(CASES)('%s says since when, and has one button: %s', (type, label, prepare) => {
    const state = new ConsoleState();
    prepare(state);
    const items = attentionOf(state, SEES_ALL, NOW).filter((item) => item.type === type);
    expect(items).toHaveLength(1);
    expect(items[0]?.since).toMatch(/^2026-11-1[56]T/);
    expect(items[0]?.action?.label).toBe(label);
    // Without an action, the button opens the page of the add-on or cluster, or the fleet page with the clusters of the item.
    if (label === undefined) expect(items[0]?.addOn ?? items[0]?.cluster ?? items[0]?.clusters?.length).toBeTruthy();
    expect(items[0]?.clusters?.length ?? 0).toBeLessThanOrEqual(50);
  });

  it('about a cluster without an agent says whether one has ever joined', () => {
    const state = new ConsoleState();
    state.setCluster(away('c1'), 'c1');
    const joined = { type: 'ManagedClusterJoined', status: 'True', lastTransitionTime: SINCE };
    const lost = away('c2') as KubeObject & { readonly status: { readonly conditions: readonly object[] } };
    state.setCluster(object({ ...lost, status: { conditions: [...lost.status.conditions, joined] } }), 'c2');
    expect(attentionOf(state, SEES_ALL, NOW).map(({ text }) => text)).toEqual(['no agent has joined as c1', 'c2 is not reachable']);
  });

  it.each(CASES)('%s offers no action to a user who may not send it', (type, _, prepare) => {
    const state = new ConsoleState();
    prepare(state);
    const reader: Sight = { ...SEES_ALL, mayChangeRollouts: false, mayDecide: false };
    const items = attentionOf(state, reader, NOW).filter((item) => item.type === type);
    expect(items).toHaveLength(1);
    expect(items[0]).not.toHaveProperty('action');
  });
});
