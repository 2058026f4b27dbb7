import type { ResourceAttributes } from '@outrigger/api';
import type { KubeObject } from '@outrigger/core';
import type { Client } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { ConsoleState } from '../state/state.js';
import { fleetTable } from '../views/fleet.js';
import { MOST_NAMESPACES, checkSight } from './rights.js';

const OWNER = { user: 'owner', uid: '', groups: ['team'], extra: {} };
const binding = (namespace: string, subject: object): KubeObject =>
  ({ apiVersion: 'v1', kind: 'RoleBinding', metadata: { namespace, name: 'b' }, subjects: [subject] }) as KubeObject;

/** An API server that answers access reviews with the given function and records them. */
function reviewer(allows: (asked: ResourceAttributes) => boolean): { readonly client: Client; readonly asked: ResourceAttributes[] } {
  const asked: ResourceAttributes[] = [];
  const create = async (
    _kind: unknown,
    review: { readonly spec: { readonly resourceAttributes: ResourceAttributes } },
  ): Promise<unknown> => {
    asked.push(review.spec.resourceAttributes);
    return { ...review, status: { allowed: allows(review.spec.resourceAttributes) } };
  };
  return { client: { create } as unknown as Client, asked };
}

function stateWith(clusters: number, subject: object): ConsoleState {
  const state = new ConsoleState();
  for (let index = 0; index < clusters; index++) {
    const name = `c${String(index).padStart(4, '0')}`;
    state.setCluster(
      { apiVersion: 'v1', kind: 'ManagedCluster', metadata: { name }, spec: { hubAcceptsClient: true } } as KubeObject,
      name,
    );
    state.setAddOn(
      { apiVersion: 'v1', kind: 'ManagedClusterAddOn', metadata: { namespace: name, name: 'hello' }, spec: {} } as KubeObject,
      name,
      'hello',
    );
    state.setBinding(binding(name, subject), `${name}/b`);
  }
  return state;
}

const perNamespace = ({ namespace, name }: ResourceAttributes): boolean => namespace !== undefined || name !== undefined;

describe('what a user sees', () => {
  it('asks about the whole fleet first, and about no namespace if that is allowed', async () => {
    const { client, asked } = reviewer(() => true);
    const sight = await checkSight(client, OWNER, stateWith(700, { kind: 'User', name: 'owner' }));
    expect(asked.every(({ namespace, name }) => namespace === undefined && name === undefined)).toBe(true);
    expect([sight.isTruncated, sight.seesAddOns('c0699'), sight.mayChangeRollouts, sight.mayDecide]).toEqual([false, true, true, true]);
  });

  it('asks about at most 500 namespaces, and says that the fleet is incomplete', async () => {
    const { client, asked } = reviewer(perNamespace);
    const state = stateWith(MOST_NAMESPACES + 1, { kind: 'Group', name: 'team' });
    const sight = await checkSight(client, OWNER, state);
    expect(asked.filter(({ namespace }) => namespace !== undefined)).toHaveLength(MOST_NAMESPACES);
    expect(asked.filter(({ name }) => name !== undefined)).toHaveLength(MOST_NAMESPACES);
    const table = fleetTable(state, sight, { epoch: 'e', sequence: 1, now: 0 });
    expect([table.isTruncated, table.rows.size]).toEqual([true, MOST_NAMESPACES]);
  });

  it('has another fingerprint if the fleet is incomplete, because users with equal fingerprints share views', async () => {
    const [some, more] = await Promise.all(
      [0, 1].map((further) =>
        checkSight(reviewer(perNamespace).client, OWNER, stateWith(MOST_NAMESPACES + further, { kind: 'User', name: 'owner' })),
      ),
    );
    expect([some?.isTruncated, more?.isTruncated]).toEqual([false, true]);
    expect(some?.fingerprint).not.toBe(more?.fingerprint);
  });

  it('is complete with exactly 500 namespaces', async () => {
    const sight = await checkSight(reviewer(perNamespace).client, OWNER, stateWith(MOST_NAMESPACES, { kind: 'User', name: 'owner' }));
    expect([sight.isTruncated, sight.seesAddOns('c0499')]).toEqual([false, true]);
  });

  it.each([
    [{ kind: 'User', name: 'owner' }, 3],
    [{ kind: 'Group', name: 'team' }, 3],
    [{ kind: 'User', name: 'team' }, 0],
    [{ kind: 'Group', name: 'owner' }, 0],
    [{ kind: 'ServiceAccount', namespace: 'x', name: 'owner' }, 0],
  ])('candidates are the namespaces with a RoleBinding of %j: %i', async (subject, count) => {
    const { client, asked } = reviewer(perNamespace);
    await checkSight(client, OWNER, stateWith(3, subject));
    expect(asked.filter(({ namespace }) => namespace !== undefined)).toHaveLength(count);
  });

  it('a binding alone shows nothing: the API server confirms each namespace', async () => {
    const state = stateWith(3, { kind: 'User', name: 'owner' });
    const sight = await checkSight(reviewer(({ namespace }) => namespace === 'c0001').client, OWNER, state);
    expect([...fleetTable(state, sight, { epoch: 'e', sequence: 1, now: 0 }).rows.keys()]).toEqual(['c0001']);
  });
});
