import { type CertificateSigningRequest, certificateSigningRequests } from '@outrigger/api';
import { createClient } from '@outrigger/kube';
import { CALM, connect, createMemoryApi, createVirtualRuntime, type Faults, Simulator } from '@outrigger/kube/testing';
import { expect, it } from 'vitest';
import { requests } from '../resources/requests.js';
import { NamedRequests } from './own-requests.js';

const NAME = 'c1-request';
const request: CertificateSigningRequest = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: NAME },
  spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
};

it.each<[string, Partial<Faults>]>([
  ['while its watch is open', {}],
  ['while the hub cannot be reached', { breakWatch: 1, dropBefore: 1 }],
])('a joining agent notices that its request was deleted %s', async (_, outage) => {
  const simulator = new Simulator({ seed: 1 });
  const runtime = createVirtualRuntime(simulator, 'agent');
  const faults: Faults = { ...CALM };
  const api = createMemoryApi({ runtime: createVirtualRuntime(simulator, 'server') });
  const admin = createClient({ transport: api.transport, runtime });
  const hub = createClient({ transport: connect(simulator, api.transport, { client: runtime, faults }), runtime });
  const { project } = requests('c1');
  const own = new NamedRequests({ hub, runtime, project: (object) => project(object, (value) => value), key: { name: 'c1' } });
  const follow = async (): Promise<void> => {
    await admin.create(certificateSigningRequests, request);
    await own.follow(NAME);
  };
  const following = follow();
  await simulator.advance(1_000);
  await following;
  expect(own.list()).toHaveLength(1);

  Object.assign(faults, outage);
  const deleted = admin.delete(certificateSigningRequests, { name: NAME });
  await simulator.advance(60_000);
  await deleted;
  Object.assign(faults, CALM);
  await simulator.advance(60_000);
  expect(own.list()).toEqual([]);
});
