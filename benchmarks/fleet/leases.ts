import { CLUSTER_LEASE_NAME, leases, managedClusters } from '@outrigger/api';
import { type Json, type Runtime, isApiError, isConditionTrue, setCondition, toMicroTime, toTime } from '@outrigger/core';
import { type Client, isConnectionError } from '@outrigger/kube';

/** A connection of an agent to the hub. */
export interface Link {
  readonly client: Client;
  close(): Promise<void>;
}

/** The number of connections that the swarm opens at the same time. */
const OPENING = 50;

/** Opens connections, each with its own TLS handshake and one request. */
export async function openLinks(count: number, open: () => Link): Promise<readonly Link[]> {
  const links: Link[] = [];
  const worker = async (): Promise<void> => {
    while (links.length < count) {
      const link = open();
      const index = links.push(link) - 1;
      await readLease(link.client, `c${index}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(OPENING, count) }, worker));
  return links;
}

async function readLease(client: Client, namespace: string): Promise<void> {
  await client.get(leases, { namespace, name: CLUSTER_LEASE_NAME }).catch((error: unknown) => {
    if (!isApiError(error, 'NotFound')) throw error;
  });
}

const AVAILABLE = {
  type: 'ManagedClusterConditionAvailable',
  status: 'True',
  reason: 'ManagedClusterAvailable',
  message: 'Managed cluster is available',
} as const;

/** Renews the lease of each cluster once per period. The renewals are spread evenly over the period. */
export class LeaseRenewals {
  readonly #runtime: Runtime;
  readonly #clusters: number;
  readonly #linkOf: (cluster: number) => Link;
  readonly #inFlight = new Set<Promise<void>>();
  #run = 0;

  constructor(runtime: Runtime, clusters: number, linkOf: (cluster: number) => Link) {
    this.#runtime = runtime;
    this.#clusters = clusters;
    this.#linkOf = linkOf;
  }

  /**
   * Stops the renewals of the previous call and waits for their answers. Resolves when each cluster has a lease and is reported as
   * available; renewals then continue until the next call.
   */
  async start(everySeconds: number): Promise<void> {
    const run = ++this.#run;
    await Promise.all(this.#inFlight);
    if (everySeconds === 0) return;
    for (let at = 0; at < this.#clusters; at += OPENING) {
      const count = Math.min(OPENING, this.#clusters - at);
      await Promise.all(Array.from({ length: count }, (_, index) => this.#begin(at + index)));
    }
    void this.#loop(run, (everySeconds * 1_000) / this.#clusters);
  }

  async #loop(run: number, gapMs: number): Promise<void> {
    const { clock, timers } = this.#runtime;
    const startedAt = clock.monotonic();
    for (let sent = 0; run === this.#run; sent++) {
      const wait = startedAt + sent * gapMs - clock.monotonic();
      // If several renewals are due within 5 ms, send them without a timer between them.
      if (wait > 5) await timers.sleep(wait);
      if (run !== this.#run) return;
      const renewal = this.#renew(sent % this.#clusters).finally(() => this.#inFlight.delete(renewal));
      this.#inFlight.add(renewal);
    }
  }

  /** Renews the lease and reports the cluster as available, as an agent does when it has joined. */
  async #begin(cluster: number): Promise<void> {
    await this.#renew(cluster);
    const { client } = this.#linkOf(cluster);
    const name = `c${cluster}`;
    const { metadata, status } = await client.get(managedClusters, { name });
    if (isConditionTrue(status?.conditions, AVAILABLE.type)) return;
    const at = { generation: metadata.generation ?? 1, now: toTime(this.#runtime.clock.now()) };
    const conditions = setCondition(status?.conditions ?? [], AVAILABLE, at);
    await client.patch(
      managedClusters,
      { name },
      { type: 'merge', patch: { status: { conditions: conditions as unknown as Json } } },
      { subresource: 'status' },
    );
  }

  async #renew(cluster: number): Promise<void> {
    const { client } = this.#linkOf(cluster);
    const key = { namespace: `c${cluster}`, name: CLUSTER_LEASE_NAME };
    const renewTime = toMicroTime(this.#runtime.clock.now());
    try {
      await client.patch(leases, key, { type: 'merge', patch: { spec: { renewTime } } });
    } catch (error) {
      if (isConnectionError(error)) {
        // Do not retry: like an agent, renew this lease again only when its next renewal is due. The printed line reports the failure.
        process.stderr.write(`the renewal of the lease of ${key.namespace} failed: ${error.message}\n`);
        return;
      }
      if (!isApiError(error, 'NotFound')) throw error;
      const spec = { leaseDurationSeconds: 60, renewTime };
      await client.create(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key, spec });
    }
  }
}
