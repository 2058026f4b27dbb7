import { ALL_CLUSTER_AGENTS_GROUP, clusterAgentGroup, clusterAgentUser, defaultSubject } from '@outrigger/api';
import { toTime } from '@outrigger/core';
import { createCertificateAuthority, createCsr, decodePem, encodePem, issueClientCertificate } from '@outrigger/core/x509';
import { SIMULATED_KEYS, namedKeyPair, sha256Bytes } from '../engine/index.js';
import { CLUSTERS, type ClusterName } from './objects.js';

/** The machines that may use the name of a cluster. */
export const MACHINES = ['first', 'second'] as const;
export type MachineName = (typeof MACHINES)[number];
/** A machine renews its certificate with another key than the last one, so each machine needs two keys. */
export type KeyNumber = 0 | 1;

/** A certificate request, and a certificate for it. Each use of the certificate replaces its serial number and its expiry. */
export interface Paper {
  /** The PEM of the request in base64, as in the API. */
  readonly request: string;
  readonly der: Uint8Array;
}

export interface Certificate {
  /** The PEM in base64, as in the API. */
  readonly certificate: string;
  /** The credential id that the API server reports for the holder of the certificate. */
  readonly credentialId: string;
}

const AUTHORITY_STARTS = 1_700_000_000_000;
/** The latest time that DER encodes as UTCTime: 2049-12-31T23:59:59Z. */
const LAST_END = 2_524_607_999_000;
const SERIAL_BYTE = 0x55;
const SERIAL_BYTES = 16;

/** All requests that machines send in a run, and their certificates. Prepared once for all runs. */
export class Credentials {
  readonly #papers: ReadonlyMap<string, Paper>;

  private constructor(papers: ReadonlyMap<string, Paper>) {
    this.#papers = papers;
  }

  static async create(): Promise<Credentials> {
    const validity = { notBefore: AUTHORITY_STARTS, notAfter: LAST_END, serial: new Uint8Array(SERIAL_BYTES).fill(SERIAL_BYTE) };
    const keyPair = namedKeyPair('authority');
    const authority = await createCertificateAuthority(SIMULATED_KEYS, { commonName: 'authority', keyPair, ...validity });
    const papers = new Map<string, Paper>();
    const add = async (id: string, key: string, commonName: string, organizations: readonly string[]): Promise<void> => {
      const asked = { keyPair: namedKeyPair(key), commonName, organizations };
      const issued = await issueClientCertificate(SIMULATED_KEYS, {
        ...asked,
        ...validity,
        ca: authority.certificate,
        caKey: authority.key,
      });
      const der = decodePem(issued.certificate)[0]?.bytes ?? new Uint8Array();
      papers.set(id, { request: btoa(await createCsr(SIMULATED_KEYS, asked)), der });
    };
    for (const cluster of CLUSTERS) {
      for (const machine of MACHINES) {
        const groups = [clusterAgentGroup(cluster), ALL_CLUSTER_AGENTS_GROUP];
        for (const key of [0, 1] as const) {
          const id = clusterId(cluster, machine, key);
          await add(id, id, agentUser(cluster, machine), groups);
        }
        for (const addOn of ['alpha', 'beta']) {
          const { user, groups: own } = defaultSubject(cluster, addOn);
          const id = addOnId(cluster, machine, addOn);
          await add(id, id, user, own);
          await add(`${id} wrong`, id, user, [...own, 'admins']);
        }
      }
    }
    return new Credentials(papers);
  }

  /** The request of a machine for the certificate of its cluster. */
  ofCluster(cluster: ClusterName, machine: MachineName, key: KeyNumber): Paper {
    return this.#paper(clusterId(cluster, machine, key));
  }

  /** The request of a machine for the certificate of an add-on, or the same request with a further group. */
  ofAddOn(cluster: ClusterName, machine: MachineName, addOn: string, hasMoreGroups: boolean): Paper {
    return this.#paper(addOnId(cluster, machine, addOn) + (hasMoreGroups ? ' wrong' : ''));
  }

  #paper(id: string): Paper {
    const paper = this.#papers.get(id);
    if (paper) return paper;
    throw new Error(`no request is prepared for ${id}`);
  }
}

/** The user name of a machine's agent. */
export function agentUser(cluster: string, machine: MachineName): string {
  return clusterAgentUser(cluster, machine);
}

function clusterId(cluster: string, machine: string, key: number): string {
  return `${cluster} ${machine} ${key}`;
}

function addOnId(cluster: string, machine: string, addOn: string): string {
  return `${cluster} ${machine} ${addOn}`;
}

/** Returns the certificate of a prepared request with this serial number and expiry. The authority does not sign it again. */
export function issue({ der }: Paper, serial: number, endsAt: number): Certificate {
  const bytes = Uint8Array.from(der);
  const text = new TextEncoder();
  const serialBytes = new Uint8Array(SERIAL_BYTES).fill(SERIAL_BYTE);
  const fresh = Uint8Array.from(serialBytes);
  new DataView(fresh.buffer).setUint32(SERIAL_BYTES - 4, serial);
  overwrite(bytes, serialBytes, fresh);
  overwrite(bytes, text.encode(timeInDer(LAST_END)), text.encode(timeInDer(endsAt)));
  const digest = Array.from(sha256Bytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { certificate: btoa(encodePem('CERTIFICATE', bytes)), credentialId: `X509SHA256=${digest}` };
}

function timeInDer(epochMs: number): string {
  return toTime(epochMs).slice(2).replaceAll(/[-:T]/g, '');
}

/** Replaces the only occurrence of some bytes by others of the same length. */
function overwrite(bytes: Uint8Array, old: Uint8Array, fresh: Uint8Array): void {
  for (let at = 0; at + old.length <= bytes.length; at++) {
    if (!old.every((byte, i) => bytes[at + i] === byte)) continue;
    bytes.set(fresh, at);
    return;
  }
  throw new Error('the prepared certificate has another form');
}
