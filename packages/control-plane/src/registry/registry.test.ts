import { compileSchema } from '@outrigger/core/schema';
import { describe, expect, it } from 'vitest';
import { builtinResources } from './builtin.js';
import { duration } from './columns/common.js';
import type { Draft } from './draft.js';
import { Registry } from './registry.js';
import { byPriority } from './version-priority.js';

describe('versions', () => {
  it('are preferred stable first, then newest first', () => {
    const versions = ['v1alpha1', 'foo1', 'v1', 'v2beta1', 'v11', 'v2', 'v11beta2', 'foo10', 'v10beta3'];
    expect(versions.sort(byPriority)).toEqual(['v11', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v2beta1', 'v1alpha1', 'foo1', 'foo10']);
  });
});

describe('ages', () => {
  const cases = [
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [303, '5m3s'],
    [600, '10m'],
    [3 * 3600, '3h'],
    [5 * 3600 + 60, '5h1m'],
    [47 * 3600, '47h'],
    [2 * 86_400 + 3600, '2d1h'],
    [30 * 86_400, '30d'],
    [800 * 86_400, '2y70d'],
    [9 * 365 * 86_400, '9y'],
  ] as const;
  it.each(cases)('%d seconds are %s', (seconds, want) => expect(duration(seconds * 1000)).toBe(want));
});

describe('built-in resources', () => {
  const resources = builtinResources();

  it.each(resources.map((resource) => [resource.plural, resource] as const))(
    '%s have a row even for nothing',
    (_name, { columns, kind }) => {
      // In a watch of tables, a bookmark contains an object without spec and status, like this one.
      const cells = columns.map(({ value }) => value({ apiVersion: 'v1', kind, metadata: { resourceVersion: '1' } }, 0));
      expect(cells).not.toContain(undefined);
    },
  );

  it.each(resources.map((resource) => [`${resource.group}/${resource.plural}`, resource] as const))(
    '%s have a schema that compiles and defaults that settle',
    (_name, { structural, normalize, strategy, schema, kind, isVirtual }) => {
      expect(() => compileSchema(structural())).not.toThrow();
      if (isVirtual) return;
      const draft: Draft = { apiVersion: 'v1', kind, metadata: { name: 'a' } };
      normalize(draft);
      const once = schema().defaulted(draft);
      strategy.setDefaults?.(once);
      const twice = schema().defaulted(structuredClone(once));
      strategy.setDefaults?.(twice);
      expect(twice).toEqual(once);
    },
  );
});

describe('the registry', () => {
  it('replaces and removes the resources of a definition', () => {
    const [pods] = builtinResources();
    if (!pods) throw new Error('nothing is built in');
    const registry = new Registry([]);
    const serve = (version: string) => ({ ...pods, group: 'example.com', version });
    registry.setCustom('pods.example.com', [serve('v1'), serve('v2')]);
    expect(registry.find('example.com', 'v2', pods.plural)).toBeDefined();
    registry.setCustom('pods.example.com', [serve('v2')]);
    expect(registry.find('example.com', 'v1', pods.plural)).toBeUndefined();
    expect(registry.all()).toHaveLength(1);
    registry.setCustom('pods.example.com', []);
    expect(registry.all()).toEqual([]);
  });
});
