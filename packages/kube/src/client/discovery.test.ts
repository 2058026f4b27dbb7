import { ApiError, type ApiResponse } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { createDiscovery } from './discovery.js';
import { manualRuntime } from './fixtures.js';

const coreResources = {
  kind: 'APIResourceList',
  groupVersion: 'v1',
  resources: [
    { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list'], shortNames: ['po'], categories: ['all'] },
    { name: 'pods/status', namespaced: true, kind: 'Pod', verbs: ['get', 'patch'] },
    { name: 'pods/eviction', namespaced: true, kind: 'Eviction', group: 'policy', verbs: ['create'] },
  ],
};
const widgetResources = { kind: 'APIResourceList', resources: [{ name: 'widgets', namespaced: false, kind: 'Widget', verbs: ['get'] }] };

/** A server without aggregated discovery. */
const legacy: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'test.io', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
      { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }], preferredVersion: { version: 'v1beta1' } },
    ],
  },
  '/api/v1': coreResources,
  '/apis/test.io/v1': widgetResources,
  '/apis/test.io/v1beta1': widgetResources,
  '/apis/metrics.k8s.io/v1beta1': new ApiError('ServiceUnavailable', 'its backend is down'),
};

const pods = {
  resource: 'pods',
  singularResource: 'pod',
  responseKind: { group: '', version: '', kind: 'Pod' },
  scope: 'Namespaced',
  verbs: ['get', 'list'],
  shortNames: ['po'],
  categories: ['all'],
  subresources: [{ subresource: 'status' }, { subresource: 'eviction' }],
};
const widgetsResource = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Cluster', verbs: ['get'] };
const aggregated: Record<string, unknown> = {
  '/api': { kind: 'APIGroupDiscoveryList', items: [{ metadata: {}, versions: [{ version: 'v1', resources: [pods] }] }] },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'test.io' },
        versions: [
          { version: 'v1', resources: [widgetsResource] },
          { version: 'v1beta1', resources: [widgetsResource] },
        ],
      },
    ],
  },
};

function setUp(documents: Record<string, unknown>) {
  const runtime = manualRuntime();
  const asked: string[] = [];
  const get = async (path: string): Promise<ApiResponse> => {
    asked.push(path);
    const body = documents[path];
    if (body instanceof Error) throw body;
    return { status: 200, headers: {}, body };
  };
  return { discovery: createDiscovery({ get, clock: runtime.clock }), asked, runtime };
}

describe.each([
  { server: 'an old server', documents: legacy, reads: 6 },
  { server: 'a server with aggregated discovery', documents: aggregated, reads: 2 },
])('discovery of $server', ({ documents, reads }) => {
  it('lists resources with their subresources, preferred versions first', async () => {
    const found = await setUp(documents).discovery.resources();
    expect(found.map((it) => `${it.group}/${it.version} ${it.plural} ${it.subresources.join('+')}`)).toEqual([
      '/v1 pods status+eviction',
      'test.io/v1 widgets ',
      'test.io/v1beta1 widgets ',
    ]);
    expect(found[0]).toMatchObject({
      kind: 'Pod',
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      namespaced: true,
      verbs: ['get', 'list'],
    });
  });

  it('maps a kind to its resource and scope, in the preferred version unless one is named', async () => {
    const { discovery } = setUp(documents);
    expect(await discovery.kindOf({ group: '', kind: 'Pod' })).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
      plural: 'pods',
      namespaced: true,
    });
    expect(await discovery.kindOf({ group: 'test.io', kind: 'Widget' })).toMatchObject({ version: 'v1', namespaced: false });
    expect(await discovery.kindOf({ group: 'test.io', version: 'v1beta1', kind: 'Widget' })).toMatchObject({ version: 'v1beta1' });
    expect(await discovery.kindOf({ group: 'test.io', version: 'v2', kind: 'Widget' })).toBeUndefined();
  });

  it('reads once for many questions', async () => {
    const { discovery, asked } = setUp(documents);
    await Promise.all([
      discovery.serves({ group: '', version: 'v1', kind: 'Pod' }),
      discovery.resources(),
      discovery.kindOf({ group: '', kind: 'Pod' }),
    ]);
    expect(asked).toHaveLength(reads);
  });
});

describe('discovery', () => {
  it('reads again on a miss, but not for every miss', async () => {
    const documents = { ...aggregated };
    const { discovery, asked, runtime } = setUp(documents);
    const gadget = { group: 'test.io', version: 'v1', kind: 'Gadget' };
    expect(await discovery.serves(gadget)).toBe(false);
    expect(await discovery.serves(gadget)).toBe(false);
    expect(asked).toHaveLength(2);
    const gadgets = { resource: 'gadgets', responseKind: { kind: 'Gadget' }, scope: 'Cluster', verbs: [] };
    documents['/apis'] = {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name: 'test.io' }, versions: [{ version: 'v1', resources: [gadgets] }] }],
    };
    await runtime.advance(5_000);
    expect(await discovery.serves(gadget)).toBe(true);
    expect(asked).toHaveLength(4);
  });

  it('reads again for a caller that needs a newer answer', async () => {
    const { discovery, asked, runtime } = setUp(aggregated);
    const pod = { group: '', kind: 'Pod' };
    await discovery.kindOf(pod, 60_000);
    await runtime.advance(59_000);
    await discovery.kindOf(pod, 60_000);
    expect(asked).toHaveLength(2);
    await runtime.advance(1_000);
    await discovery.kindOf(pod);
    expect(asked).toHaveLength(2);
    await discovery.kindOf(pod, 60_000);
    expect(asked).toHaveLength(4);
  });

  it('does not remember a failure', async () => {
    const documents: Record<string, unknown> = { ...aggregated, '/apis': new ApiError('Forbidden', 'no') };
    const { discovery } = setUp(documents);
    await expect(discovery.resources()).rejects.toThrow('no');
    documents['/apis'] = aggregated['/apis'];
    expect(await discovery.resources()).toHaveLength(3);
  });

  it('drops its cache on request', async () => {
    const { discovery, asked } = setUp(aggregated);
    await discovery.resources();
    discovery.invalidate();
    await discovery.resources();
    expect(asked).toHaveLength(4);
  });
});
