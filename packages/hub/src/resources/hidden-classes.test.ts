import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import type { KubeObject } from '@outrigger/core';
import { describe, expect, it } from 'vitest';
import { addOns } from './add-ons.js';
import { permissionBindings } from './bindings.js';
import { clusterLeases } from './cluster-leases.js';
import { clusterAddOns, clusterWorks } from './cluster-leftovers.js';
import { clusterLifecycles } from './cluster-lifecycle.js';
import { clusterNamespaces, agentClusterBindings, agentRoles, agentBindings } from './cluster-rights.js';
import { clusters } from './clusters.js';
import { finishedWorks } from './finished-works.js';
import { replicaSetWorks } from './replica-set-works.js';
import { schedulingClusters } from './scheduling-clusters.js';
import { tokenAccounts } from './token-objects.js';
import { works } from './works.js';

// V8 parses `%HaveSameMap` only with this flag. "Map" is V8's name for the hidden class of an object.
setFlagsFromString('--allow-natives-syntax');
const haveSameClass = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: unknown, b: unknown) => boolean;

/** The resources with a projection for each cluster, or for each add-on on each cluster. */
const MANY = [
  addOns,
  clusterAddOns,
  clusterLeases,
  clusterLifecycles,
  clusterNamespaces,
  agentClusterBindings,
  agentRoles,
  clusterWorks,
  clusters,
  finishedWorks,
  permissionBindings,
  replicaSetWorks,
  agentBindings,
  schedulingClusters,
  tokenAccounts,
  works,
];

describe('projections of which a fleet has many', () => {
  it.each(MANY.map((resource) => [resource.name, resource] as const))(
    '%s: all projections share one hidden class',
    (_, { kind, project }) => {
      const projections = Array.from({ length: 20 }, (_none, index) => project(objectOf(kind.kind, index), (value) => value));
      const [first, ...others] = projections.slice(1);
      expect(others.filter((projection) => !haveSameClass(projection, first))).toHaveLength(0);
    },
  );
});

function objectOf(kind: string, index: number): KubeObject {
  const metadata = {
    name: `name${index}`,
    namespace: `c${index}`,
    uid: `uid${index}`,
    resourceVersion: String(index),
    labels: { 'open-cluster-management.io/cluster-name': `c${index}`, 'open-cluster-management.io/addon-name': 'hello' },
  };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
  return { apiVersion: 'v1', kind, metadata, spec: {}, status: {}, roleRef } as KubeObject;
}
