import { AGENT_VERSION_ANNOTATION, CLUSTER_LEASE_NAME, type Lease, leases } from '@outrigger/api';
import { conditionStatus, isApiError, isConditionTrue, toMicroTime } from '@outrigger/core';
import { type Controller, type EffectContext, type Resource, defineController, watch } from '@outrigger/kube';
import { HUB } from '../resources/apis.js';
import type { OwnClusterProjection } from '../resources/own-cluster.js';

export interface LeaseState {
  readonly cluster: OwnClusterProjection;
  readonly renewal: Renewal | undefined;
}

/** The last renewal of the lease that this process made. */
interface Renewal {
  /** The lease in the hub's response; undefined if another client may have written the lease since. */
  readonly lease: Lease | undefined;
  /** The monotonic time of the renewal; undefined before the first renewal. */
  readonly renewedAt: number | undefined;
  /** The share of the lease's duration that is added to the wait before the next renewal. */
  readonly share: number;
}

interface RenewInput {
  readonly key: { readonly namespace: string; readonly name: string };
  readonly known: Lease | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

type LeaseEffects = { readonly renew: RenewInput };

export interface LeaseControllerOptions {
  readonly clusterName: string;
  readonly ownCluster: Resource<OwnClusterProjection>;
  /** The version of this agent, which it writes to the Lease. */
  readonly version?: string | undefined;
}

/** Renewals are spread over a quarter of the renewal period, so that clusters that joined together do not all renew at the same time. */
const JITTER = 0.25;
/** The interval between renewals while the hub reports that the agent has stopped renewing the lease. */
const MISSED_EVERY_MS = 5_000;

/** Renews the cluster's lease on the hub while the hub accepts the cluster. The controller's only key is the agent's ManagedCluster. */
export function leaseController({
  clusterName,
  ownCluster,
  version,
}: LeaseControllerOptions): Controller<LeaseState, Renewal, LeaseEffects> {
  const annotations = version === undefined ? {} : { [AGENT_VERSION_ANNOTATION]: version };
  return defineController<LeaseState, Renewal, LeaseEffects>({
    name: 'cluster-lease',
    watches: [
      watch(ownCluster, ({ before, after }) => {
        const isSame =
          before &&
          after &&
          before.leaseDurationSeconds === after.leaseDurationSeconds &&
          isAccepted(before) === isAccepted(after) &&
          isMissed(before) === isMissed(after);
        return isSame ? [] : [{ name: clusterName }];
      }),
    ],
    observe(view, key, { remembered: renewal }) {
      const cluster = view.get(ownCluster, key);
      return cluster && { cluster, renewal };
    },
    decide({ cluster, renewal }, now) {
      if (!isAccepted(cluster)) return { stages: [] };
      const periodMs = isMissed(cluster) ? MISSED_EVERY_MS : cluster.leaseDurationSeconds * 1000;
      const dueInMs = nextAt(periodMs, renewal) - now.monotonic;
      if (dueInMs > 0) return { stages: [], requeueAfterMs: dueInMs };
      const input = { key: { namespace: clusterName, name: CLUSTER_LEASE_NAME }, known: renewal?.lease, annotations };
      // Without this requeue time, the back-off of failed renewals could exceed the period of the lease.
      return { stages: [[{ type: 'effect', effect: 'renew', id: 'renew', input }]], requeueAfterMs: cluster.leaseDurationSeconds * 1000 };
    },
    effects: { renew },
  });
}

/** Returns the time of the next renewal. If the period changes, the new period counts from the last renewal. */
function nextAt(periodMs: number, renewal: Renewal | undefined): number {
  const { renewedAt, share = 0 } = renewal ?? {};
  return renewedAt === undefined ? Number.NEGATIVE_INFINITY : renewedAt + periodMs * (1 + share);
}

/**
 * Whether the hub reports that the agent has stopped renewing the lease. If the agent can read this report, it can reach the hub again, so
 * it renews the lease immediately. Until the renewal, the hub overwrites each report of the agent with Unknown.
 */
function isMissed({ status }: OwnClusterProjection): boolean {
  return conditionStatus(status.conditions, 'ManagedClusterConditionAvailable') === 'Unknown';
}

function isAccepted({ status }: OwnClusterProjection): boolean {
  return isConditionTrue(status.conditions, 'HubAcceptedManagedCluster');
}

/**
 * Renews the lease with one replace request, unless another client has written the lease meanwhile. The hub created the lease and grants no
 * permission to patch it.
 */
async function renew(
  { key, known, annotations }: RenewInput,
  { runtime, client, signal, remember }: EffectContext<Renewal>,
): Promise<void> {
  const hub = client(HUB);
  const lease = known ?? (await hub.get<Lease>(leases, key, { signal }));
  const metadata = { ...lease.metadata, annotations: { ...lease.metadata.annotations, ...annotations } };
  const renewed: Lease = { ...lease, metadata, spec: { ...lease.spec, renewTime: toMicroTime(runtime.clock.now()) } };
  try {
    const answer = await hub.replace<Lease>(leases, renewed, { signal });
    remember(() => ({ lease: answer, renewedAt: runtime.clock.monotonic(), share: runtime.random.next() * JITTER }));
  } catch (error) {
    // The runtime retries a failed pass after a short back-off, and the retry reads the lease again.
    if (isApiError(error)) remember((before) => ({ share: 0, renewedAt: undefined, ...before, lease: undefined }));
    throw error;
  }
}
