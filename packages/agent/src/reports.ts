import { type ManagedCluster, type ManagedClusterAddOn, type ManifestWork, nodes as nodeKind } from '@outrigger/api';
import { type JsonObject, type Kind, type KubeObject, createMergePatch } from '@outrigger/core';
import type { Client, Now } from '@outrigger/kube';
import { probe } from './cluster/probe.js';
import { sumNodes } from './cluster/resources-sum.js';
import { type ClusterFacts, clusterStatus } from './cluster/status.js';
import { isHealthOfAgent } from './health/decide.js';
import { nodes } from './resources/nodes.js';
import { ownCluster } from './resources/own-cluster.js';
import { works } from './resources/works.js';
import { DEFAULT_FEEDBACK } from './work/create-work.js';
import { NO_INSPECTIONS } from './work/inspection/inspection.js';
import { treatmentOf } from './work/manifest/config.js';
import { prepare } from './work/manifest/normalize.js';
import { entryOf } from './work/observe.js';
import { refOfManifest } from './work/refs.js';
import type { ManifestState } from './work/state.js';
import { resourceMeta } from './work/status/manifest-status.js';
import { statusPatch } from './work/status/work-status.js';
import type { Verdict } from './work/verdict.js';

export type { ClusterFacts };

/** The object on the cluster that a manifest of a work describes. */
export interface AppliedObject {
  readonly kind: Kind;
  readonly object: KubeObject;
}

const same = <T>(value: T): T => value;
const SETTLED: Verdict = { type: 'settled' };

/**
 * Returns the merge patch with which an agent reports that it applied a work, given the object of each manifest. Returns undefined if the
 * status already reports it. Programs that simulate many clusters use this function, because it applies the agent's own rules.
 */
export function appliedReport(work: ManifestWork, objects: readonly AppliedObject[], now: Now): JsonObject | undefined {
  const projection = works(work.metadata.namespace ?? '').project(work, same);
  const manifests = objects.map(({ kind, object }, ordinal): ManifestState => {
    const manifest = prepare(work.spec.workload?.manifests?.[ordinal] ?? object);
    const ref = refOfManifest(manifest.object, kind);
    return {
      ordinal,
      manifest,
      lookup: { state: 'served', kind },
      ref,
      live: { state: 'present', object },
      isTracked: true,
      treatment: treatmentOf(work.spec.manifestConfigs ?? [], ref),
      isOwned: true,
      before: entryOf(projection.status.resourceStatus?.manifests ?? [], resourceMeta({ ordinal, manifest, ref })),
      duplicateOf: undefined,
      attempt: undefined,
      check: undefined,
      permission: undefined,
      reading: 'allowed',
    };
  });
  const patch = statusPatch(
    {
      work: projection,
      manifests,
      feedback: DEFAULT_FEEDBACK,
      inspections: NO_INSPECTIONS,
      appliedWorkRefusal: undefined,
      leftovers: [],
      releaseProblems: [],
    },
    manifests.map(() => SETTLED),
    now,
  );
  return patch && { status: patch };
}

/** Returns the merge patch with which an agent reports the state of its cluster, or undefined if the status already reports it. */
export function clusterReport(cluster: ManagedCluster, facts: ClusterFacts, now: Now): JsonObject | undefined {
  const projection = ownCluster(cluster.metadata.name ?? '').project(cluster, same);
  const patch = createMergePatch(projection.status, clusterStatus(projection, facts, now)) as JsonObject;
  return Object.keys(patch).length === 0 ? undefined : { status: patch };
}

/** Reads the facts that an agent on this cluster reports. */
export async function readClusterFacts(cluster: Client, signal: AbortSignal): Promise<ClusterFacts> {
  const { items } = await cluster.list(nodeKind, { signal });
  const projections = items.map((node) => nodes.project(node, same));
  return { probe: await probe(cluster, signal, true), ...sumNodes(projections), claims: [], missingKinds: [] };
}

/** Whether an add-on needs an agent for more than its works, that is, for credentials or for its health. */
export function needsAgent({ status = {} }: ManagedClusterAddOn): boolean {
  return (status.registrations ?? []).length > 0 || isHealthOfAgent(status);
}
