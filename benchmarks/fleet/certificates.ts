import {
  ALL_CLUSTER_AGENTS_GROUP,
  CLIENT_CERTIFICATE_USAGES,
  CLUSTER_LEASE_NAME,
  CLUSTER_NAME_LABEL,
  type CertificateSigningRequest,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  leases,
} from '@outrigger/api';
import { type Runtime, isApiError } from '@outrigger/core';
import { createCsr, exportPrivateKey } from '@outrigger/core/x509';
import type { ConnectionConfig } from '@outrigger/kube';
import type { Link } from './leases.js';
import { percentile } from './report.js';
import { isSelected } from './selection.js';
import type { CertificateStats } from './swarm.js';

interface CertificateOptions {
  readonly runtime: Runtime;
  /** The connection of the administrator, whose server and CA the agents use. */
  readonly connection: ConnectionConfig;
  readonly open: (config: ConnectionConfig) => Link;
  /** Sends the first request of each cluster, which has no certificate yet. The manager must trust its user as `--bootstrap-user`. */
  readonly admin: Link;
}

/** How many clusters request a certificate at the same time. */
const AT_ONCE = 32;
const AGENT = 'agent';
const WATCH_SECONDS = 300;
/**
 * The number of requests per certificate: the certificate request, the watch that waits for its signature, and a read with the certificate.
 */
const REQUESTS_EACH = 3;

/** The certificates of single clusters. Each comes from the hub: a request, its approval by the manager, and the signature. */
export class Certificates {
  readonly #options: CertificateOptions;
  /** The connections with the last certificate of each cluster. */
  readonly #links = new Map<number, Link>();
  #made = 0;

  constructor(options: CertificateOptions) {
    this.#options = options;
  }

  /** Gets a certificate for a share of the clusters. A cluster that has one renews it over the connection that uses it. */
  async certify(clusters: number, share: number): Promise<CertificateStats> {
    const waiting = Array.from({ length: clusters }, (_, index) => index).filter((index) => isSelected(index, share));
    const certificates = waiting.length;
    const times: number[] = [];
    const worker = async (): Promise<void> => {
      for (let cluster = waiting.shift(); cluster !== undefined; cluster = waiting.shift()) {
        const startedAt = performance.now();
        await this.#certify(cluster);
        times.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const requests = certificates * REQUESTS_EACH;
    return { certificates, requests, p50Ms: percentile(times, 0.5) ?? 0, p99Ms: percentile(times, 0.99) ?? 0 };
  }

  /** Resolves when a request with the new certificate has been answered. */
  async #certify(cluster: number): Promise<void> {
    const { connection, open, admin, runtime } = this.#options;
    const name = `c${cluster}`;
    const old = this.#links.get(cluster);
    const keyPair = await runtime.keys.generate('P-256');
    const request = await requestOf(runtime, keyPair, name, `${name}-bench-${this.#made++}`);
    const certificate = await certified((old ?? admin).client, request);
    const { server, ca } = connection;
    const link = open({
      server,
      ...(ca === undefined ? {} : { ca }),
      clientCertificate: { data: certificate },
      clientKey: { data: await exportPrivateKey(runtime.keys, keyPair.privateKey) },
    });
    this.#links.set(cluster, link);
    await old?.close();
    await link.client.get(leases, { namespace: name, name: CLUSTER_LEASE_NAME }).catch((error: unknown) => {
      if (!isApiError(error, 'NotFound')) throw error;
    });
  }
}

async function requestOf({ keys }: Runtime, keyPair: CryptoKeyPair, cluster: string, name: string): Promise<CertificateSigningRequest> {
  const organizations = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
  const csr = await createCsr(keys, { keyPair, commonName: clusterAgentUser(cluster, AGENT), organizations });
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name, labels: { [CLUSTER_NAME_LABEL]: cluster } },
    spec: { request: btoa(csr), signerName: KUBE_CLIENT_SIGNER, usages: [...CLIENT_CERTIFICATE_USAGES] },
  };
}

/** Creates the CertificateSigningRequest and watches it until the hub has signed it. Returns the certificate in PEM. */
async function certified(client: Link['client'], request: CertificateSigningRequest): Promise<string> {
  const { metadata } = await client.create(certificateSigningRequests, request);
  const selection = { fieldSelector: `metadata.name=${metadata.name}`, timeoutSeconds: WATCH_SECONDS };
  const following = new AbortController();
  try {
    for await (const { object } of client.watch(certificateSigningRequests, { ...selection, signal: following.signal })) {
      const { status } = object;
      const denied = status?.conditions?.find(({ type }) => type === 'Denied');
      if (denied) throw new Error(`the hub denied ${metadata.name}: ${denied.message}`);
      if (status?.certificate) return atob(status.certificate);
    }
  } finally {
    following.abort();
  }
  throw new Error(`the hub did not sign ${metadata.name} within ${WATCH_SECONDS} seconds`);
}
