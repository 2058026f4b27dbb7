import {
  AGENT_IDENTITY_ANNOTATION,
  ALL_CLUSTER_AGENTS_GROUP,
  CLIENT_CERTIFICATE_USAGES,
  type CertificateSigningRequest,
  CLUSTER_NAME_LABEL,
  KUBE_CLIENT_SIGNER,
  certificateSigningRequests,
  clusterAgentGroup,
  clusterAgentUser,
  managedClusters,
  namespaces,
} from '@outrigger/api';
import { createCsr, exportPrivateKey, readCertificate } from '@outrigger/core/x509';
import { createJoinToken } from '@outrigger/hub';
import type { Client } from '@outrigger/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerOf, found } from './scenario.js';
import { type ServerTypes, type TwoServers, startTwoServers } from './two-servers.js';

const NAME = 'reused';

/** A machine that requests certificates as `reused`, and a client with its latest certificate. */
interface Machine {
  readonly client: Client;
  readonly fingerprint: string;
}

/**
 * Defines the tests of a second machine that joins under the name of a detached cluster. They run on any API server that reports credential
 * ids.
 */
export function describeNameReuse(types: ServerTypes): void {
  describe(`AT-51 a name that is used again, hub ${types.hub}`, { timeout: 120_000 }, () => {
    let world: TwoServers;
    let first: Machine;

    beforeAll(async () => {
      world = await startTwoServers(types);
      await world.startManager();
    }, 240_000);
    afterAll(() => world?.stop());

    /** Creates a request with a new key. Returns `Approved` with the certificate, or `Denied` with the reason. */
    async function ask(by: Client): Promise<{ readonly answer: string; readonly machine?: Machine }> {
      const { runtime, hub } = world;
      const keyPair = await runtime.keys.generate('P-256');
      const commonName = clusterAgentUser(NAME, 'agent');
      const csr = await createCsr(runtime.keys, {
        keyPair,
        commonName,
        organizations: [clusterAgentGroup(NAME), ALL_CLUSTER_AGENTS_GROUP],
      });
      const request: CertificateSigningRequest = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { generateName: `${NAME}-`, labels: { [CLUSTER_NAME_LABEL]: NAME } },
        spec: { signerName: KUBE_CLIENT_SIGNER, request: btoa(csr), usages: CLIENT_CERTIFICATE_USAGES, expirationSeconds: 3600 },
      };
      const { metadata } = await world.eventually('the requester may ask', async () => {
        const attempt = by.create(certificateSigningRequests, request);
        return (await answerOf(attempt)) === 'allowed' ? await attempt : undefined;
      });
      const decided = await world.eventually('the request is decided', async () => {
        const { status } = await hub.get(certificateSigningRequests, { name: metadata.name ?? '' });
        const denied = status?.conditions?.find(({ type }) => type === 'Denied');
        if (denied) return { denied: `Denied: ${denied.message ?? ''}` };
        return status?.certificate ? { certificate: atob(status.certificate) } : undefined;
      });
      if (decided.certificate === undefined) return { answer: decided.denied };
      const key = await exportPrivateKey(runtime.keys, keyPair.privateKey);
      const client = world.connect({
        server: world.hubServer,
        ca: { data: world.hubCa },
        clientCertificate: { data: decided.certificate },
        clientKey: { data: key },
      });
      const { fingerprint } = await readCertificate(runtime.keys, decided.certificate);
      return { answer: 'Approved', machine: { client, fingerprint } };
    }

    async function join(reuseName: boolean): Promise<Machine> {
      const { token } = await createJoinToken({ client: world.hub, runtime: world.runtime, cluster: NAME, reuseName });
      const { answer, machine } = await ask(world.connect({ server: world.hubServer, ca: { data: world.hubCa }, token }));
      expect(answer).toBe('Approved');
      return machine as Machine;
    }

    const record = async (): Promise<string> =>
      (await world.hub.get(namespaces, { name: NAME })).metadata.annotations?.[AGENT_IDENTITY_ANNOTATION] ?? '';

    const recorded = ({ fingerprint }: Machine): Promise<true> =>
      world.eventually('the certificate is recorded', async () => ((await record()).includes(fingerprint) ? true : undefined));

    it('a machine joins and renews', async () => {
      const joined = await join(false);
      await recorded(joined);
      const renewal = await ask(joined.client);
      expect(renewal.answer).toBe('Approved');
      first = renewal.machine as Machine;
      await recorded(first);
    });

    it('the name is not free while its certificates are valid', async () => {
      await world.hub.delete(managedClusters, { name: NAME });
      await world.eventually('the cluster is gone', async () =>
        (await found(world.hub.get(managedClusters, { name: NAME }))) ? undefined : true,
      );
      expect(JSON.parse(await record())).toHaveProperty('detached');
      await expect(createJoinToken({ client: world.hub, runtime: world.runtime, cluster: NAME })).rejects.toThrow(/not free before 20/);
      expect(await found(world.hub.get(managedClusters, { name: NAME }))).toBeUndefined();
    });

    it('the old machine gains nothing when the name is used again', async () => {
      const second = await join(true);
      expect((await ask(first.client)).answer).toMatch(/^Denied: the requester's certificate was not issued to the cluster that is called/);
      await recorded(second);
      expect((await ask(first.client)).answer).toMatch(/^Denied/);
      const renewal = await ask(second.client);
      expect(renewal.answer).toBe('Approved');
      await recorded(renewal.machine as Machine);
      expect((await ask(first.client)).answer).toMatch(/^Denied/);
    });
  });
}
