import { describe, expect, it } from 'vitest';
import { parseYaml } from '@outrigger/core/yaml';
import { formatNames, formatObjects, nextDocument } from './format.js';

const object = (kind: string, apiVersion: string, namespace?: string) => ({
  apiVersion,
  kind,
  metadata: { name: 'hello', ...(namespace === undefined ? {} : { namespace }) },
});

describe('-o name', () => {
  it.each([
    ['of several clusters', object('ManagedClusterAddOn', 'a.io/v1', 'c1'), undefined, '-n c1 managedclusteraddon.a.io/hello'],
    ['of the named cluster', object('ManagedClusterAddOn', 'a.io/v1', 'c1'), 'c1', 'managedclusteraddon.a.io/hello'],
    ['elsewhere than in the named cluster', object('Event', 'v1', 'default'), 'c1', '-n default event/hello'],
    ['without a namespace', object('ManagedCluster', 'a.io/v1'), undefined, 'managedcluster.a.io/hello'],
  ])('an object %s', (_, one, named, line) => expect(formatNames([one], named)).toBe(`${line}\n`));
});

it('the output of a watch with -o yaml is a stream of documents', () => {
  const shown = ['c1', 'c2'].map((name) => formatObjects([object('ManifestWork', 'a.io/v1', name)], 'yaml', false));
  const stream = shown.map((text, index) => nextDocument(text, 'yaml', index === 0)).join('');
  expect(parseYaml(stream)).toHaveLength(2);
  expect(nextDocument('{}\n', 'json', false)).toBe('{}\n');
});
