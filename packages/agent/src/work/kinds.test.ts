import type { Kind } from '@outrigger/core';
import type { Client, Discovery } from '@outrigger/kube';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from './fixtures.js';
import { ClusterKinds } from './kinds.js';

const WIDGETS: Kind = { group: 'example.com', version: 'v2', kind: 'Widget', plural: 'widgets', namespaced: true };

function discovering(served: Kind[]): { kinds: ClusterKinds; at: (ms: number) => void; asked: () => number } {
  let now = 0;
  let asked = 0;
  const discovery: Partial<Discovery> = {
    invalidate: () => undefined,
    async kindOf({ group, version, kind }) {
      asked++;
      return served.find((it) => it.group === group && it.kind === kind && it.version === version);
    },
    resources: async () => served as never,
  };
  const kinds = new ClusterKinds({ discovery } as Client, { now: () => now, monotonic: () => now });
  return { kinds, at: (ms) => void (now = ms), asked: () => asked };
}

describe('the kinds of the cluster', () => {
  it('are unknown until asked for, and asked for once', async () => {
    const { kinds, asked } = discovering([CONFIG_MAPS]);
    expect(kinds.lookup('v1', 'ConfigMap')).toEqual({ state: 'unknown' });
    await kinds.resolve('v1', 'ConfigMap');
    await kinds.resolve('v1', 'ConfigMap');
    expect(kinds.lookup('v1', 'ConfigMap')).toEqual({ state: 'served', kind: CONFIG_MAPS });
    expect(asked()).toBe(1);
  });

  it('that are not served are asked for again, ever more rarely, until they are', async () => {
    const served: Kind[] = [];
    const { kinds, at, asked } = discovering(served);
    const waits: number[] = [];
    for (let now = 0, i = 0; i < 4; i++) {
      const lookup = await kinds.resolve('example.com/v2', 'Widget');
      if (lookup.state !== 'unserved') throw new Error(lookup.state);
      waits.push(lookup.askAgainAt - now);
      await kinds.resolve('example.com/v2', 'Widget');
      now = lookup.askAgainAt;
      at(now);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
    expect(asked()).toBe(4);
    served.push(WIDGETS);
    expect((await kinds.resolve('example.com/v2', 'Widget')).state).toBe('served');
  });

  it('are asked for again once the server has lost them', async () => {
    const { kinds } = discovering([WIDGETS]);
    await kinds.resolve('example.com/v2', 'Widget');
    kinds.forget(WIDGETS);
    expect(kinds.lookup('example.com/v2', 'Widget').state).toBe('unknown');
  });

  it('of listed resources are read in a version that is served', async () => {
    const { kinds } = discovering([WIDGETS]);
    const old = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'ns' };
    expect(kinds.resource(old)).toMatchObject({ version: 'v1', plural: 'widgets', namespaced: true });
    expect(await kinds.resolveResource(old)).toBe(true);
    expect(kinds.resource(old)).toEqual(WIDGETS);
    expect(await kinds.resolveResource({ ...old, resource: 'gone' })).toBe(false);
  });
});
