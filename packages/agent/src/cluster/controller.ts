import { deepEqual, type ObjectKey } from '@outrigger/core';
import { type CacheView, type Controller, type Resource, defineController, watch } from '@outrigger/kube';
import { CLUSTER } from '../resources/apis.js';
import { claims, properties } from '../resources/claims.js';
import { type NodeRecord, nodes } from '../resources/nodes.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';
import { type ClaimLimits, type Facts, exposedClaims } from './claims.js';
import { type ClusterState, decide } from './decide.js';
import { ProbeMemory, probe } from './probe.js';
import { sumNodes } from './resources-sum.js';

export interface ClusterControllerOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterRecord>;
  readonly claimLimits: ClaimLimits;
  /** Tell ClusterProperties as claims. */
  readonly tellsProperties: boolean;
}

export const CLUSTER_CONTROLLER = 'cluster';

/** Keyed by the one ManagedCluster this agent stands for: how it is, what it has, what it says about itself. */
export function clusterController({
  clusterName,
  ownCluster,
  claimLimits,
  tellsProperties,
}: ClusterControllerOptions): Controller<ClusterState> {
  const memory = new ProbeMemory();
  const own: readonly ObjectKey[] = [{ name: clusterName }];
  return defineController({
    name: CLUSTER_CONTROLLER,
    watches: [
      watch(ownCluster, () => own),
      // Kubelets report every few seconds; only what is summed up here is news.
      watch(nodes, ({ before, after }) => (deepEqual(summed(before), summed(after)) ? [] : own)),
    ],
    observe(view, key) {
      const cluster = view.get(ownCluster, key);
      if (!cluster) return undefined;
      const facts = factsIn(view, tellsProperties);
      const known = facts ? exposedClaims(facts, claimLimits) : (cluster.status.clusterClaims ?? []);
      return { cluster, lastProbe: memory.last, facts: { ...sumNodes(view.list(nodes)), claims: known } };
    },
    decide,
    effects: {
      async probe(_, context) {
        const { clock } = context.runtime;
        const withVersion = memory.isVersionDue(clock.monotonic());
        memory.record(await probe(context.client(CLUSTER), context.signal, withVersion), clock.monotonic());
      },
    },
  });
}

/** Undefined while not all of them were read: what was told before stays. */
function factsIn(view: CacheView, tellsProperties: boolean): Facts | undefined {
  if (!view.isComplete(claims) || (tellsProperties && !view.isComplete(properties))) return undefined;
  return { claims: view.list(claims), properties: tellsProperties ? view.list(properties) : [] };
}

function summed(node: NodeRecord | undefined): unknown {
  return node && [node.isSchedulable, node.capacity, node.allocatable];
}
