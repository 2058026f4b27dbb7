import type { ClusterManagementAddOn } from '@outrigger/api';
import { type Json, jsonPatch } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { entriesWithOwnVersion, versionOperations } from './declared-version.js';

const TEMPLATES = { group: 'addon.open-cluster-management.io', resource: 'addontemplates' };
const CONFIG = { group: '', resource: 'configmaps', name: 'c', namespace: 'default' };
const V2 = { version: 'v2', template: 'hello-2' };

const place = (name: string, rest: object = {}): object => ({ namespace: 'default', name, ...rest });
const template = (name: string): object => ({ ...TEMPLATES, name });

function declaration(installStrategy: object): ClusterManagementAddOn {
  return {
    apiVersion: 'addon.open-cluster-management.io/v1alpha1',
    kind: 'ClusterManagementAddOn',
    metadata: { name: 'hello' },
    spec: { installStrategy },
  };
}

function after(installStrategy: object, placement?: string, to: typeof V2 | undefined = V2): ClusterManagementAddOn['spec'] {
  const before = declaration(installStrategy);
  const patched: unknown = jsonPatch(before as unknown as Json, versionOperations(before, placement, to));
  return (patched as ClusterManagementAddOn).spec;
}

const placements = (...entries: readonly object[]): object => ({ type: 'Placements', placements: entries });

describe('the version of the fleet', () => {
  const selector = { type: 'ClusterLabelSelector', labelSelector: {} };
  it.each([
    ['no entry', { type: 'Manual' }, { type: 'Manual' }],
    ['one Placement without a version', placements(place('a')), placements(place('a'))],
    [
      'one Placement with a version',
      placements(place('a', { addonTemplate: { installVersion: 'v1', installNamespace: 'n' } })),
      placements(place('a', { addonTemplate: { installVersion: 'v2', installNamespace: 'n' } })),
    ],
    [
      'one Placement with a template',
      placements(place('a', { configs: [CONFIG, template('hello-1')] })),
      placements(place('a', { configs: [CONFIG, template('hello-2')] })),
    ],
    [
      'one Placement with a template and its version',
      placements(place('a', { addonTemplate: { installVersion: 'v1' }, configs: [template('hello-1')] })),
      placements(place('a', { addonTemplate: { installVersion: 'v2' }, configs: [template('hello-2')] })),
    ],
    [
      'a label selector with a version',
      { ...selector, addonTemplate: { installVersion: 'v1' } },
      { ...selector, addonTemplate: { installVersion: 'v2' } },
    ],
    [
      'a label selector with a template for its add-ons',
      { ...selector, addonTemplate: { configs: [template('hello-1'), CONFIG] } },
      { ...selector, addonTemplate: { configs: [template('hello-2'), CONFIG] } },
    ],
    ['a label selector without a version', selector, selector],
    [
      'two Placements, one with a version',
      placements(place('a'), place('b', { addonTemplate: { installVersion: 'v1' } })),
      placements(place('a'), place('b', { addonTemplate: { installVersion: 'v1' } })),
    ],
  ])('%s', (_, before, strategy) => {
    expect(after(before)).toEqual({
      supportedConfigs: [{ ...TEMPLATES, defaultConfig: { name: 'hello-2' } }],
      installStrategy: strategy,
    });
  });
});

describe('the version of one Placement', () => {
  it.each([
    ['gets an installVersion', place('b'), place('b', { addonTemplate: { installVersion: 'v2' } })],
    ['replaces its template', place('b', { configs: [template('hello-1')] }), place('b', { configs: [template('hello-2')] })],
    [
      'replaces the template of its add-ons',
      place('b', { addonTemplate: { configs: [template('hello-1')] } }),
      place('b', { addonTemplate: { configs: [template('hello-2')] } }),
    ],
  ])('%s', (_, before, want) => {
    expect(after(placements(place('a'), before), 'default/b')).toEqual({ installStrategy: placements(place('a'), want) });
  });

  it('is removed if the Placement follows the fleet again', () => {
    const before = placements(place('a', { addonTemplate: { installVersion: 'v1', installNamespace: 'n' } }));
    const operations = versionOperations(declaration(before), 'default/a', undefined);
    expect(operations).toEqual([{ op: 'remove', path: '/spec/installStrategy/placements/0/addonTemplate/installVersion' }]);
    expect(versionOperations(declaration(placements(place('a'))), 'default/a', undefined)).toEqual([]);
  });

  it.each([
    ['another Placement', placements(place('a')), 'default/x'],
    ['a strategy that ignores its Placements', { ...placements(place('a')), type: 'Manual' }, 'default/a'],
    ['a label selector', { type: 'ClusterLabelSelector', labelSelector: {} }, 'labelSelector'],
  ])('needs a Placement of the strategy: %s', (_, strategy, placement) => {
    expect(() => versionOperations(declaration(strategy), placement, V2)).toThrow(`has no Placement "${placement}"`);
  });
});

describe('entries that do not follow the version of the fleet', () => {
  const own = (name: string, installVersion: string): object => place(name, { addonTemplate: { installVersion } });
  it.each([
    ['none without versions', placements(place('a'), place('b')), [], false],
    ['none if the only entry moves too', placements(own('a', 'v1')), [], false],
    ['one of two', placements(place('a'), own('b', 'v1')), [{ name: 'default/b', version: 'v1' }], false],
    ['none at the version already', placements(place('a'), own('b', 'v2')), [], false],
    ['one, and the other is there already', placements(own('a', 'v1'), own('b', 'v2')), [{ name: 'default/a', version: 'v1' }], true],
    [
      'both, one by its template',
      placements(own('a', 'v1'), place('b', { configs: [template('hello-1')] })),
      [
        { name: 'default/a', version: 'v1' },
        { name: 'default/b', version: 'template hello-1' },
      ],
      true,
    ],
    ['none by the template of the version', placements(place('a'), place('b', { configs: [template('hello-2')] })), [], false],
  ])('%s', (_, strategy, others, isAll) => {
    expect(entriesWithOwnVersion(declaration(strategy), V2)).toEqual({ others, isAll });
  });
});
