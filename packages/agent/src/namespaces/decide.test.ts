import type { ManagedClusterStatus, ManagedNamespace } from '@outrigger/api';
import { briefly, nowAt, outcomesOf } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ManagedNamespaceProjection } from '../resources/managed-namespaces.js';
import { type NamespacesState, decide } from './decide.js';

const NOW = nowAt(Date.parse('2026-06-01T00:00:00Z'));
const ACCEPTED = { type: 'HubAcceptedManagedCluster', status: 'True', reason: 'r', message: '', lastTransitionTime: NOW.time } as const;

interface Given {
  readonly asked?: readonly ManagedNamespace[];
  readonly labelled?: Readonly<Record<string, 'true' | 'false'>>;
  readonly refused?: string;
  readonly isDeleting?: boolean;
  readonly isAccepted?: boolean;
}

function given({ asked = [], labelled = {}, refused, isDeleting = false, isAccepted = true }: Given): NamespacesState {
  const status: ManagedClusterStatus = { conditions: isAccepted ? [ACCEPTED] : [], managedNamespaces: asked };
  const projections = Object.entries(labelled).map(([name, value]): [string, ManagedNamespaceProjection] => [
    name,
    { key: { name }, uid: `uid-${name}`, resourceVersion: '1', isManaged: value === 'true', isDeleting: false },
  ]);
  return {
    cluster: { key: { name: 'c1' }, uid: 'u', resourceVersion: '1', generation: 1, leaseDurationSeconds: 60, isDeleting, status },
    label: 'clusterset.open-cluster-management.io/hash',
    labelled: new Map(projections),
    outcomes: outcomesOf(refused === undefined ? [] : [{ id: 'namespace/apps', reason: 'Forbidden', message: refused }]),
  };
}

const APPS: ManagedNamespace = { name: 'apps', clusterSet: 'default' };

/** Returns the condition of the first namespace in the status after the pass. */
function reported(state: NamespacesState): string | undefined {
  const action = decide(state, NOW)
    .stages.flat()
    .find(({ id }) => id === 'status');
  const status = action?.type === 'patch' ? (action.patch['status'] as unknown as { managedNamespaces: ManagedNamespace[] }) : undefined;
  const [condition] = status?.managedNamespaces[0]?.conditions ?? [];
  return condition && `${condition.type} ${condition.status} ${condition.reason}: ${condition.message}`;
}

describe('namespaces that a hub requests', () => {
  const REPORT = 'patch ManagedCluster/status c1';
  const cases: readonly { name: string; state: NamespacesState; want: readonly string[] }[] = [
    { name: 'are created or labelled', state: given({ asked: [APPS] }), want: ['effect manage namespace/apps'] },
    { name: 'are reported once they exist', state: given({ asked: [APPS], labelled: { apps: 'true' } }), want: [REPORT] },
    {
      name: 'are labelled again after the label was removed',
      state: given({ asked: [APPS], labelled: { apps: 'false' } }),
      want: ['effect manage namespace/apps'],
    },
    {
      name: 'are created once for two sets',
      state: given({ asked: [APPS, { ...APPS, clusterSet: 'b' }] }),
      want: ['effect manage namespace/apps'],
    },
    { name: 'lose the label when no set requests them', state: given({ labelled: { apps: 'true' } }), want: ['patch Namespace apps'] },
    {
      name: 'lose the label with the cluster',
      state: given({ asked: [APPS], labelled: { apps: 'true' }, isDeleting: true }),
      want: ['patch Namespace apps'],
    },
    { name: 'lose the label once', state: given({ labelled: { apps: 'false' } }), want: [] },
    { name: 'are none before the cluster is accepted', state: given({ asked: [APPS], isAccepted: false }), want: [] },
    {
      name: 'that are refused are reported and tried again',
      state: given({ asked: [APPS], refused: 'no' }),
      want: [REPORT, ';', 'effect manage namespace/apps'],
    },
  ];
  it.each(cases)('$name', ({ state, want }) => expect(briefly(decide(state, NOW))).toEqual(want));

  it('are reported with upstream’s messages', () => {
    expect(reported(given({ asked: [APPS], labelled: { apps: 'true' } }))).toBe(
      'NamespaceAvailable True NamespaceApplied: Namespace successfully applied and managed',
    );
    expect(reported(given({ asked: [APPS], refused: 'no' }))).toBe(
      'NamespaceAvailable False NamespaceApplyFailed: Failed to apply namespace: no',
    );
  });

  it('need no write once all are reported', () => {
    const state = given({ asked: [APPS], labelled: { apps: 'true' } });
    const action = decide(state, NOW).stages.flat()[0];
    const status = action?.type === 'patch' ? (action.patch['status'] as unknown as { managedNamespaces: ManagedNamespace[] }) : undefined;
    expect(decide(given({ asked: status?.managedNamespaces ?? [], labelled: { apps: 'true' } }), NOW)).toEqual({ stages: [] });
  });
});
