import { deepEqual, type ObjectKey } from '@outrigger/core';
import { type CacheView, type Change, type Controller, type Resource, defineController, optionalWatches, watch } from '@outrigger/kube';
import type { MissingKinds } from '../missing-kinds.js';
import { CLUSTER } from '../resources/apis.js';
import { claims, properties } from '../resources/claims.js';
import { type NodeProjection, nodes } from '../resources/nodes.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';
import { type ClaimLimits, type Facts, exposedClaims } from './claims.js';
import { type ClusterEffects, type ClusterState, decide } from './decide.js';
import { type LastProbe, probe, recordProbe } from './probe.js';
import { sumNodes } from './resources-sum.js';

export interface ClusterControllerOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterProjection>;
  readonly claimLimits: ClaimLimits;
  /** Whether to report ClusterProperties as claims. */
  readonly reportsProperties: boolean;
  /** The kinds that the agent cannot read. */
  readonly missing: MissingKinds;
}

/** Reports the cluster's health, resources and claims. The controller's only key is the agent's ManagedCluster. */
export function clusterController({
  clusterName,
  ownCluster,
  claimLimits,
  reportsProperties,
  missing,
}: ClusterControllerOptions): Controller<ClusterState, LastProbe, ClusterEffects> {
  const own: readonly ObjectKey[] = [{ name: clusterName }];
  // Nodes, claims and properties are optional, because a cluster can join even if the agent cannot read them.
  const optional = [
    watch(nodes, (change) => (isSumChanged(change) ? own : [])),
    ...(reportsProperties ? [claims, properties] : [claims]).map((facts) => watch(facts, () => own)),
  ];

  return defineController<ClusterState, LastProbe, ClusterEffects>({
    name: 'cluster',
    watches: [watch(ownCluster, () => own)],
    sources: [missing, optionalWatches({ name: clusterName }, optional)],
    observe(view, key, { remembered: lastProbe }) {
      const cluster = view.get(ownCluster, key);
      const isNodesKnown = view.isComplete(nodes);
      // To save a write, the first report waits for the nodes, unless they cannot be read.
      if (!cluster || (!isNodesKnown && !missing.has(nodes.name))) return undefined;
      const facts = factsIn(view, reportsProperties);
      const known = facts ? exposedClaims(facts, claimLimits) : (cluster.status.clusterClaims ?? []);
      const sums = isNodesKnown ? sumNodes(view.list(nodes)) : knownSums(cluster);
      return { cluster, lastProbe, facts: { ...sums, claims: known, missingKinds: missing.list() } };
    },
    decide,
    effects: {
      async probe({ withVersion }, { runtime, client, signal, remember }) {
        const result = await probe(client(CLUSTER), signal, withVersion);
        remember((before) => recordProbe(before, result, runtime.clock.monotonic()));
      },
    },
  });
}

/** Returns the claims and properties, or undefined until all of them have been read. Until then the previously reported claims are kept. */
function factsIn(view: CacheView, reportsProperties: boolean): Facts | undefined {
  if (!view.isComplete(claims) || (reportsProperties && !view.isComplete(properties))) return undefined;
  return { claims: view.list(claims), properties: reportsProperties ? view.list(properties) : [] };
}

/** Returns the previously reported capacity and allocatable resources, which are used while nodes cannot be read. */
function knownSums({ status }: OwnClusterProjection): Pick<ClusterState['facts'], 'capacity' | 'allocatable'> {
  return { capacity: status.capacity ?? {}, allocatable: status.allocatable ?? {} } as Pick<
    ClusterState['facts'],
    'capacity' | 'allocatable'
  >;
}

/** Whether a field of the node that `sumNodes` uses has changed. Kubelets update other fields of nodes every few seconds. */
function isSumChanged({ before, after }: Change<NodeProjection>): boolean {
  return !deepEqual(summed(before), summed(after));
}

function summed(node: NodeProjection | undefined): unknown {
  return node && [node.isSchedulable, node.capacity, node.allocatable];
}
