import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  STREAM_ADDRESS,
  type ViewRequest,
  addressOf,
  canBeFollowed,
  encodeFleet,
  parseAddress,
  parseStreamQuery,
  streamAddress,
} from './index.js';
import { applyFleetDelta, decodeFleet, syntheticDeltas, syntheticFleet, syntheticView } from '../testing/index.js';

const name = fc.string({ minLength: 1, maxLength: 40 });
const optional = fc.option(name, { nil: undefined });
const request: fc.Arbitrary<ViewRequest> = fc.oneof(
  fc.constant({ view: 'fleet' } as const),
  fc.constant({ view: 'summary' } as const),
  name.map((addOn) => ({ view: 'add-on', addOn }) as const),
  name.map((addOn) => ({ view: 'rollout', addOn }) as const),
  fc.tuple(name, fc.integer({ min: 1, max: 999_999 })).map(([addOn, revision]) => ({ view: 'plan', addOn, revision }) as const),
  fc.tuple(name, name).map(([addOn, record]) => ({ view: 'replay', addOn, record }) as const),
  name.map((cluster) => ({ view: 'cluster', cluster }) as const),
  fc.tuple(name, name).map(([cluster, addOn]) => ({ view: 'cell', cluster, addOn }) as const),
  fc
    .record({ addOn: optional, cluster: optional, type: optional, before: optional })
    .map((fields) => ({ view: 'activity' as const, ...withoutUndefined(fields) })),
  fc
    .record({ group: fc.constantFrom('', 'apps'), version: name, resource: name, name, namespace: optional })
    .map((fields) => ({ view: 'object', ...withoutUndefined(fields) }) as ViewRequest),
);

function withoutUndefined(fields: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

describe('addresses', () => {
  it('reads back every request from its address, whatever the names contain', () => {
    fc.assert(
      fc.property(request, (one) => {
        expect(parseAddress(addressOf(one))).toEqual(one);
      }),
    );
  });

  it.each([
    '/',
    '/api',
    '/api/',
    '/api/fleet/x',
    '/api/addons/',
    '/api/addons/a/b',
    '/api/addons/a/plan',
    '/api/addons/a/plan?revision=0',
    '/api/clusters/a/addons/',
    '/api/object',
    '/api/addons/%ff',
    'api/fleet',
  ])('finds no view at %s', (address) => expect(parseAddress(address)).toBeUndefined());
});

describe('the address of a stream', () => {
  const followed = fc.record({
    request: request.filter(canBeFollowed),
    since: fc.option(fc.record({ epoch: fc.string({ minLength: 1 }), sequence: fc.nat() }), { nil: undefined }),
  });

  it('reads back every view with its own position', () => {
    fc.assert(
      fc.property(fc.array(followed), (views) => {
        expect(parseStreamQuery(streamAddress(views).slice(STREAM_ADDRESS.length + 1))).toEqual(views);
      }),
    );
  });

  it.each([
    ['view=/api/fleet', undefined],
    ['view=/api/fleet&epoch=e&since=', undefined],
    ['view=/api/fleet&epoch=&since=1', undefined],
    ['view=/api/fleet&epoch=e&since=-1', undefined],
    ['view=/api/fleet&epoch=e&since=1.5', undefined],
    ['view=/api/fleet&epoch=e&since=NaN', undefined],
    ['epoch=e&since=1&view=/api/fleet&view=/api/summary', undefined],
    ['view=/api/fleet&epoch=e&since=1', { epoch: 'e', sequence: 1 }],
  ])('%s has the position %j', (query, since) => {
    for (const view of parseStreamQuery(query) ?? []) expect(view.since).toEqual(since);
    expect(parseStreamQuery(query)?.length).toBeGreaterThan(0);
  });

  it.each(['view=/api/nothing', 'view=/api/fleet&view=/api/addons/a/plan?revision=1', 'view='])('%s is refused', (query) => {
    expect(parseStreamQuery(query)).toBeUndefined();
  });
});

describe('the fleet by columns', () => {
  it('means the same fleet after encoding, also after deltas', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(6), fc.nat(), fc.nat(5), (clusters, addOns, seed, count) => {
        let fleet = syntheticFleet({ clusters, addOns, seed });
        const deltas = syntheticDeltas(fleet, 5, seed);
        for (let done = 0; done < count; done++) fleet = applyFleetDelta(fleet, deltas.next().value) ?? fleet;
        expect(decodeFleet(encodeFleet(fleet))).toEqual(fleet);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a delta after a gap', () => {
    const fleet = syntheticFleet({ clusters: 3, addOns: 2 });
    expect(applyFleetDelta(fleet, { from: 7, sequence: 8, removed: [], rows: [] })).toBeUndefined();
  });

  it('takes at most 2 MB compressed for 10,000 clusters and 20 add-ons', () => {
    const text = JSON.stringify(encodeFleet(syntheticFleet({ clusters: 10_000, addOns: 20 })));
    expect(gzipSync(text).length).toBeLessThan(2_000_000);
  });
});

it('answers every view of a synthetic fleet', () => {
  const fleet = syntheticFleet({ clusters: 10, addOns: 3 });
  const [cluster = ''] = fleet.rows.keys();
  const [addOn = ''] = fleet.rows.get(cluster)?.cells.keys() ?? [];
  const requests: readonly ViewRequest[] = [
    { view: 'fleet' },
    { view: 'summary' },
    { view: 'add-on', addOn },
    { view: 'rollout', addOn },
    { view: 'plan', addOn, revision: 1 },
    { view: 'cluster', cluster },
    { view: 'cell', cluster, addOn },
    { view: 'activity' },
    { view: 'object', group: '', version: 'v1', resource: 'namespaces', name: 'default' },
  ];
  for (const one of requests) expect(syntheticView(fleet, one)).toBeDefined();
});
