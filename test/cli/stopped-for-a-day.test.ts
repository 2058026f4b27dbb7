import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HUB_SECRET_NAME } from '@outrigger/agent';
import { AGENT_NAMESPACE, managedClusters, secrets } from '@outrigger/api';
import { startLocalFleet } from '@outrigger/cli';
import { decodeText, encodeText, ifFound, isConditionTrue } from '@outrigger/core';
import { createCertificateAuthority, issueClientCertificate, readCertificate } from '@outrigger/core/x509';
import type { Client } from '@outrigger/kube';
import { createLogger, createRealRuntime } from '@outrigger/kube/node';
import { expect, it } from 'vitest';
import { eventually } from '../world/eventually.js';

const HOUR_MS = 3_600_000;

it.each([
  { name: 'after it has joined', isJoined: true },
  { name: 'before it reported that it has joined', isJoined: false },
])('AT-41 a local fleet that was stopped for longer than a certificate lasts goes on: $name', async ({ isJoined }) => {
  const runtime = createRealRuntime({ log: createLogger({ level: 'fatal' as never }) });
  const dataDir = await mkdtemp(join(tmpdir(), 'outrigger-stopped-'));
  const options = { runtime, dataDir, clusters: 1, port: 0, clusterPorts: 1, readyAfterMs: 50 };
  const key = { namespace: AGENT_NAMESPACE, name: HUB_SECRET_NAME };
  const within = { ...runtime, patience: { everyMs: 100, limitMs: 25_000 } };
  const validCertificate = (cluster: Client): Promise<string> =>
    eventually(within, 'the agent has a valid certificate', async () => {
      const certificate = (await ifFound(cluster.get(secrets, key)))?.data?.['tls.crt'];
      if (!certificate) return undefined;
      const { notAfter } = await readCertificate(runtime.keys, decodeText(certificate));
      return notAfter > runtime.clock.now() ? certificate : undefined;
    });
  const now = runtime.clock.now();
  const serial = runtime.random.bytes(16);
  const past = { notBefore: now - 48 * HOUR_MS, notAfter: now - 24 * HOUR_MS, serial };
  const authority = await createCertificateAuthority(runtime.keys, { commonName: 'of-yesterday', ...past });
  const { certificate: expired } = await issueClientCertificate(runtime.keys, {
    commonName: 'system:open-cluster-management:cluster1:agent',
    organizations: ['system:open-cluster-management:cluster1'],
    ca: authority.certificate,
    caKey: authority.key,
    ...past,
  });

  const first = await startLocalFleet(options);
  const before = await validCertificate(first.cluster('cluster1'));
  if (isJoined)
    await eventually(within, 'the cluster has joined', async () => {
      const { status } = await first.hub.get(managedClusters, { name: 'cluster1' });
      return isConditionTrue(status?.conditions, 'ManagedClusterJoined') ? true : undefined;
    });
  await first.cluster('cluster1').patch(secrets, key, { type: 'merge', patch: { data: { 'tls.crt': encodeText(expired) } } });
  await first.stop();

  const second = await startLocalFleet(options);
  expect(await validCertificate(second.cluster('cluster1'))).not.toBe(before);
  await second.stop();
  runtime.scope.close();
  await rm(dataDir, { recursive: true });
});
