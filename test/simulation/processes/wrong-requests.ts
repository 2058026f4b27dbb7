import { KUBE_CLIENT_SIGNER, certificateSigningRequests, defaultSubject } from '@outrigger/api';
import { type Keys, type SeededRandom, apiVersionOf } from '@outrigger/core';
import { createCsr } from '@outrigger/core/x509';
import type { Client } from '@outrigger/kube';

/** An annotation that tells the model that the hub must not approve the request. The hub does not read annotations of requests. */
const WRONG = 'sim.outrigger.dev/wrong';
const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'];

interface WrongRequest {
  readonly wrong: 'requester' | 'subject' | 'usages' | 'add-on';
  /** The cluster whose agent sends the request. The next fields are the cluster and the add-on for which it requests a certificate. */
  readonly sender: string;
  readonly cluster: string;
  readonly addOn: string;
  readonly groups?: readonly string[];
  readonly usages?: readonly string[];
}

/** One request for each rule by which the hub approves requests. Each request breaks only that rule. `alpha` has no registration. */
const REQUESTS: readonly WrongRequest[] = [
  { wrong: 'requester', sender: 'c2', cluster: 'c1', addOn: 'beta' },
  { wrong: 'subject', sender: 'c1', cluster: 'c1', addOn: 'beta', groups: ['admins'] },
  { wrong: 'usages', sender: 'c1', cluster: 'c1', addOn: 'beta', usages: ['digital signature', 'server auth'] },
  { wrong: 'add-on', sender: 'c1', cluster: 'c1', addOn: 'alpha' },
];

/** Sends requests for certificates that no agent may get, with the credentials of real agents. */
export class WrongRequests {
  readonly #encoded: ReadonlyMap<WrongRequest, string>;

  private constructor(encoded: ReadonlyMap<WrongRequest, string>) {
    this.#encoded = encoded;
  }

  static async create(keys: Keys): Promise<WrongRequests> {
    const encoded = new Map<WrongRequest, string>();
    for (const request of REQUESTS) {
      const { user: commonName, groups } = defaultSubject(request.cluster, request.addOn);
      const organizations = [...groups, ...(request.groups ?? [])];
      encoded.set(request, btoa(await createCsr(keys, { keyPair: await keys.generate('P-256'), commonName, organizations })));
    }
    return new WrongRequests(encoded);
  }

  /** Sends one of the requests. `agentOf` returns a client with the credentials of a cluster's agent. */
  async send(random: SeededRandom, name: string, agentOf: (cluster: string) => Client): Promise<void> {
    const request = random.pick(REQUESTS);
    const { wrong, sender, cluster, addOn, usages = CLIENT_USAGES } = request;
    const labels = { 'open-cluster-management.io/cluster-name': cluster, 'open-cluster-management.io/addon-name': addOn };
    await agentOf(sender).create(certificateSigningRequests, {
      apiVersion: apiVersionOf(certificateSigningRequests),
      kind: certificateSigningRequests.kind,
      metadata: { name, labels, annotations: { [WRONG]: wrong } },
      spec: { request: this.#encoded.get(request) ?? '', signerName: KUBE_CLIENT_SIGNER, usages: [...usages] },
    });
  }
}
