import { ADDON_NAME_LABEL, DEFAULT_INSTALL_NAMESPACE } from '@outrigger/api';
import { briefly } from '@outrigger/kube/testing';
import { describe, expect, it } from 'vitest';
import type { ClusterAddOnProjection } from '../resources/add-ons.js';
import type { WorkProjection } from '../resources/works.js';
import { decide } from './decide.js';

function clusterAddOn(name: string, namespace?: string, isDeleting = false): ClusterAddOnProjection {
  const status = namespace === undefined ? {} : { namespace };
  return {
    key: { namespace: 'c1', name },
    uid: name,
    resourceVersion: '1',
    generation: 1,
    createdAt: undefined,
    isDeleting,
    installNamespace: undefined,
    status,
  };
}

function work(addOnName: string, ...manifests: readonly object[]): WorkProjection {
  const spec = { workload: { manifests: manifests as never } };
  const labels = { [ADDON_NAME_LABEL]: addOnName };
  return {
    key: { namespace: 'c1', name: `w-${addOnName}` },
    uid: 'w',
    resourceVersion: '1',
    generation: 1,
    isDeleting: false,
    finalizers: [],
    labels,
    spec,
    status: {},
    isRendered: true,
  };
}

const configIn = (namespace: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace } });
const namespaceObject = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const create = (name: string): string => `effect ensure namespace/${name}`;
const THERE = new Set([DEFAULT_INSTALL_NAMESPACE]);

describe('install namespaces', () => {
  const cases: readonly {
    name: string;
    clusterAddOns?: ClusterAddOnProjection[];
    works?: WorkProjection[];
    existing?: ReadonlySet<string>;
    want: string[];
  }[] = [
    { name: 'the default one is created without any add-on', existing: new Set(), want: [create(DEFAULT_INSTALL_NAMESPACE)] },
    { name: 'nothing is done if the namespace exists', want: [] },
    {
      name: 'one that a manifest is in is created',
      clusterAddOns: [clusterAddOn('a', 'shop')],
      works: [work('a', configIn('shop'))],
      want: [create('shop')],
    },
    {
      name: 'one that the work creates is left to the work',
      clusterAddOns: [clusterAddOn('a', 'shop')],
      works: [work('a', namespaceObject('shop'), configIn('shop'))],
      want: [],
    },
    {
      name: 'one that no manifest is in is not created',
      clusterAddOns: [clusterAddOn('a', 'shop')],
      works: [work('a', configIn('other'))],
      want: [],
    },
    {
      name: 'one without works is not created',
      clusterAddOns: [clusterAddOn('a', 'shop')],
      works: [work('b', configIn('shop'))],
      want: [],
    },
    {
      name: 'one of an add-on that is deleted is not created',
      clusterAddOns: [clusterAddOn('a', 'shop', true)],
      works: [work('a', configIn('shop'))],
      want: [],
    },
    {
      name: 'one that two add-ons share is created once',
      clusterAddOns: [clusterAddOn('a', 'shop'), clusterAddOn('b', 'shop')],
      works: [work('a', configIn('shop')), work('b', configIn('shop'))],
      want: [create('shop')],
    },
  ];
  it.each(cases)('$name', ({ clusterAddOns = [], works = [], existing = THERE, want }) =>
    expect(briefly(decide({ clusterAddOns, works, existing }))).toEqual(want),
  );
});
