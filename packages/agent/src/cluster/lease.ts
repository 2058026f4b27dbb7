import { AGENT_VERSION_ANNOTATION, CLUSTER_LEASE_NAME, type Lease, leases } from '@outrigger/api';
import { isApiError, isConditionTrue, toMicroTime } from '@outrigger/core';
import { type Controller, type EffectContext, type Resource, defineController, watch } from '@outrigger/kube';
import { HUB } from '../resources/apis.js';
import type { OwnClusterRecord } from '../resources/own-cluster.js';

export interface LeaseState {
  readonly cluster: OwnClusterRecord;
  readonly nextAt: number | undefined;
}

export interface LeaseControllerOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterRecord>;
  /** The version of this agent, which the Lease shows. */
  readonly version?: string | undefined;
}

/** Renewals are spread over a quarter of the period, so that clusters that joined together do not all renew at the same time. */
const JITTER = 0.25;

/** Keyed by the agent's ManagedCluster: renews its lease on the hub while the hub accepts the cluster. */
export function leaseController({ clusterName, ownCluster, version }: LeaseControllerOptions): Controller<LeaseState> {
  const renewal = new Renewal(clusterName, version);
  return defineController({
    name: 'cluster-lease',
    watches: [
      watch(ownCluster, ({ before, after }) => {
        const isSame =
          before && after && before.leaseDurationSeconds === after.leaseDurationSeconds && isAccepted(before) === isAccepted(after);
        return isSame ? [] : [{ name: clusterName }];
      }),
    ],
    observe(view, key) {
      const cluster = view.get(ownCluster, key);
      return cluster && { cluster, nextAt: renewal.nextAt(cluster.leaseDurationSeconds) };
    },
    decide({ cluster, nextAt }, now) {
      if (!isAccepted(cluster)) return { stages: [] };
      if (nextAt !== undefined && now.monotonic < nextAt) return { stages: [], requeueAfterMs: nextAt - now.monotonic };
      return {
        stages: [[{ type: 'effect', effect: 'renew', id: 'renew', input: undefined }]],
        requeueAfterMs: cluster.leaseDurationSeconds * 1000,
      };
    },
    effects: { renew: (_, context) => renewal.renew(context) },
  });
}

function isAccepted({ status }: OwnClusterRecord): boolean {
  return isConditionTrue(status.conditions, 'HubAcceptedManagedCluster');
}

/**
 * Renews the lease with one replace request, unless another client wrote it meanwhile. The hub created the lease and grants no right to
 * patch it.
 */
class Renewal {
  readonly #key: { readonly namespace: string; readonly name: string };
  #lease: Lease | undefined;
  #renewedAt: number | undefined;
  #share = 0;
  readonly #annotations: Readonly<Record<string, string>>;

  constructor(clusterName: string, version: string | undefined) {
    this.#annotations = version === undefined ? {} : { [AGENT_VERSION_ANNOTATION]: version };
    this.#key = { namespace: clusterName, name: CLUSTER_LEASE_NAME };
  }

  /** Undefined before the first renewal. A changed duration applies from the last renewal on. */
  nextAt(durationSeconds: number): number | undefined {
    return this.#renewedAt === undefined ? undefined : this.#renewedAt + durationSeconds * 1000 * (1 + this.#share);
  }

  async renew(context: EffectContext): Promise<void> {
    const { runtime, signal } = context;
    const hub = context.client(HUB);
    const known = this.#lease ?? (await hub.get<Lease>(leases, this.#key, { signal }));
    const metadata = { ...known.metadata, annotations: { ...known.metadata.annotations, ...this.#annotations } };
    const renewed: Lease = { ...known, metadata, spec: { ...known.spec, renewTime: toMicroTime(runtime.clock.now()) } };
    try {
      this.#lease = await hub.replace<Lease>(leases, renewed, { signal });
    } catch (error) {
      // Read the lease again at the next attempt, which follows soon by the back-off of the failed pass.
      if (isApiError(error)) this.#lease = undefined;
      throw error;
    }
    this.#renewedAt = runtime.clock.monotonic();
    this.#share = runtime.random.next() * JITTER;
  }
}
