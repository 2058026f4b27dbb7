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
  /** The administrator's connection. The agents use the same server and CA. */
  readonly connection: ConnectionConfig;
  readonly open: (config: ConnectionConfig) => Link;
  /** Sends the first certificate request of each cluster. The manager must trust the user of this connection as `--bootstrap-user`. */
  readonly admin: Link;
}

/** The number of clusters that request a certificate at the same time. */
const AT_ONCE = 32;
const AGENT = 'agent';
const WATCH_SECONDS = 300;
/**
 * The number of requests per certificate: the certificate request, the watch that waits for its signature, and a read with the certificate.
 */
const REQUESTS_EACH = 3;

/**
 * Gets client certificates for single clusters. For each certificate, an agent creates a request, the manager approves the request, and the
 * hub signs it.
 */
export class Certificates {
  readonly #options: CertificateOptions;
  /** For each cluster, the connection that uses its latest certificate. */
  readonly #links = new Map<number, Link>();
  #made = 0;

  constructor(options: CertificateOptions) {
    this.#options = options;
  }

  /**
   * Gets a certificate for each cluster in a share of the fleet. A cluster that already has a certificate renews the certificate over its
   * current connection.
   */
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
