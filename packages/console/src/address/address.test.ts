import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Address, formatAddress, type Page, parseAddress } from './address.js';

const open = (address: string): Address => {
  const at = address.indexOf('?');
  return at < 0 ? parseAddress(address, '') : parseAddress(address.slice(0, at), address.slice(at));
};

describe('addresses', () => {
  test.each<[string, Page]>([
    ['/', { page: 'fleet' }],
    ['/addons/metrics', { page: 'addon', addon: 'metrics' }],
    ['/addons/metrics/', { page: 'addon', addon: 'metrics' }],
    ['/addons/metrics/rollout', { page: 'rollout', addon: 'metrics' }],
    ['/clusters/c1', { page: 'cluster', cluster: 'c1' }],
    ['/clusters/c1/addons/metrics', { page: 'cell', cluster: 'c1', addon: 'metrics' }],
    ['/activity', { page: 'activity' }],
    [
      '/objects/apps/v1/deployments/ns/x',
      { page: 'object', object: { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'ns', name: 'x' } },
    ],
    ['/objects/core/v1/nodes/x', { page: 'object', object: { group: '', version: 'v1', resource: 'nodes', name: 'x' } }],
    ['/objects/core/v1/nodes', { page: 'unknown', path: '/objects/core/v1/nodes' }],
    ['/addons', { page: 'unknown', path: '/addons' }],
    ['/addons/a/b', { page: 'unknown', path: '/addons/a/b' }],
    ['/clusters/%E0%A4%A', { page: 'unknown', path: '/clusters/%E0%A4%A' }],
  ])('%s', (path, page) => {
    expect(open(path)).toEqual({ page, choices: {} });
  });

  test('an address shows the same page and choices to the next person', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
    const page = fc.oneof<fc.Arbitrary<Page>[]>(
      fc.constant({ page: 'fleet' }),
      fc.record({ page: fc.constant('addon'), addon: name }),
      fc.record({ page: fc.constant('rollout'), addon: name }),
      fc.record({ page: fc.constant('cell'), cluster: name, addon: name }),
      fc.record({
        page: fc.constant('object'),
        object: fc.record({ group: fc.constantFrom('', 'apps'), version: name, resource: name, namespace: name, name }),
      }),
    );
    const choices = fc.dictionary(fc.constantFrom('q', 'group', 'sort', 'at'), name, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.record({ page, choices }), (address) => {
        expect(open(formatAddress(address))).toEqual(address);
      }),
    );
  });

  test('leaves out empty choices', () => {
    expect(formatAddress({ page: { page: 'fleet' }, choices: { q: '', group: 'region' } })).toBe('/?group=region');
  });
});
