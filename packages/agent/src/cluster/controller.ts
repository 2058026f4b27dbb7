import { deepEqual, type ObjectKey } from '@outrigger/core';
import { type CacheView, type Change, type Controller, type Resource, defineController, optionalWatches, watch } from '@outrigger/kube';
import type { MissingKinds } from '../missing-kinds.js';
import { CLUSTER } from '../resources/apis.js';
import { claims, properties } from '../resources/claims.js';
import { type NodeRecord, nodes } from '../resources/nodes.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';
import { type ClaimLimits, type Facts, exposedClaims } from './claims.js';
import { type ClusterEffects, type ClusterState, decide } from './decide.js';
import { type LastProbe, probe, recordProbe } from './probe.js';
import { sumNodes } from './resources-sum.js';

export interface ClusterControllerOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterRecord>;
  readonly claimLimits: ClaimLimits;
  /** Report ClusterProperties as claims. */
  readonly reportsProperties: boolean;
  /** Kinds that cannot be read. */
  readonly missing: MissingKinds;
}

/** Keyed by this agent's ManagedCluster: reports the cluster's health, resources and claims. */
export function clusterController({
  clusterName,
  ownCluster,
  claimLimits,
  reportsProperties,
  missing,
}: ClusterControllerOptions): Controller<ClusterState, LastProbe, ClusterEffects> {
  const own: readonly ObjectKey[] = [{ name: clusterName }];
  // Watched as optional kinds: a cluster can join even if its nodes cannot be read.
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
      // Wait for the nodes before the first report, unless they cannot be read, to save a write.
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

/** The claims and properties; undefined until all of them were read. Until then the previously reported claims are kept. */
function factsIn(view: CacheView, reportsProperties: boolean): Facts | undefined {
  if (!view.isComplete(claims) || (reportsProperties && !view.isComplete(properties))) return undefined;
  return { claims: view.list(claims), properties: reportsProperties ? view.list(properties) : [] };
}

/** The previously reported sums, used if nodes cannot be read now. */
function knownSums({ status }: OwnClusterRecord): Pick<ClusterState['facts'], 'capacity' | 'allocatable'> {
  return { capacity: status.capacity ?? {}, allocatable: status.allocatable ?? {} } as Pick<
    ClusterState['facts'],
    'capacity' | 'allocatable'
  >;
}

/** Kubelets update nodes every few seconds; only changes of the summed fields are relevant. */
function isSumChanged({ before, after }: Change<NodeRecord>): boolean {
  return !deepEqual(summed(before), summed(after));
}

function summed(node: NodeRecord | undefined): unknown {
  return node && [node.isSchedulable, node.capacity, node.allocatable];
}
