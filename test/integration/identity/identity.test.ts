import { readCertificate } from '@outrigger/core/x509';
import { resolveKubeconfig, parseKubeconfig } from '@outrigger/kube';
import { clusterManagementAddOns, secrets } from '@outrigger/api';
import { describe, expect, it } from 'vitest';
import { acceptCluster } from './bootstrap-rights.js';
import {
  ADDON,
  AUTHORITY_SECRET,
  CLUSTER,
  HELLO_RIGHTS,
  SIGNER,
  addOnConditionIs,
  announced,
  clusterConditionIs,
  createAddOn,
  credential,
  giveBootstrap,
  installHello,
  joined,
  renewLease,
  rightsOf,
  sayLeaseMode,
  secretsOf,
  tellsAboutItself,
} from './scenario.js';
import { VirtualWorld } from './world.js';

describe('a cluster and its add-ons, from joining to leaving', () => {
  it('joins, registers an add-on whose credential does what its template allows, and cleans up after it', async () => {
    const world = await VirtualWorld.start(1);
    world.startManager();
    const story = await world.story();
    await world.run(
      (async () => {
        await giveBootstrap(story, { token: 'joiner' });
        await world.startAgent();
        await announced(story);
        await acceptCluster(world.hub, CLUSTER);

        const own = await joined(story);
        expect(Object.keys(own.data ?? {}).sort()).toEqual(['agent-name', 'cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
        const joinedCondition = await clusterConditionIs(story, 'ManagedClusterJoined', 'True');
        expect(joinedCondition.message).toBe('Managed cluster joined');
        await clusterConditionIs(story, 'ManagedClusterConditionAvailable', 'True');
        await clusterConditionIs(story, 'ClusterCertificateRotated', 'True');
        const facts = await tellsAboutItself(story, 'color', 'blue');
        expect(facts.version?.kubernetes).toMatch(/^v1\./);
        expect(Object.keys(facts.allocatable ?? {})).toContain('cpu');

        const { person } = world;
        await installHello(story);

        const kube = await credential(story, `${ADDON}-hub-kubeconfig`);
        expect(Object.keys(kube).sort()).toEqual(['cluster-name', 'kubeconfig', 'tls.crt', 'tls.key']);
        const config = parseKubeconfig(kube['kubeconfig'] ?? '', 'kubeconfig');
        expect(resolveKubeconfig(config, {}).connection).toMatchObject({
          server: 'https://hub.example:6443',
          clientCertificate: { file: 'tls.crt' },
          clientKey: { file: 'tls.key' },
        });
        const client = story.connect({
          server: 'https://hub.example:6443',
          clientCertificate: { data: kube['tls.crt'] ?? '' },
          clientKey: { data: kube['tls.key'] ?? '' },
        });
        expect(await rightsOf(client)).toEqual(HELLO_RIGHTS);

        const signed = await credential(story, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
        expect(Object.keys(signed).sort()).toEqual(['cluster-name', 'tls.crt', 'tls.key']);
        const certificate = await readCertificate(person.keys, signed['tls.crt'] ?? '');
        expect(certificate.subject).toEqual({ commonName: 'hello', organizations: ['g1'], organizationalUnits: ['u1'] });
        expect(certificate.usages).toEqual(['client auth']);
        expect(certificate.isCA).toBe(false);
        await addOnConditionIs(story, ADDON, 'ClusterCertificateRotated', 'True');

        await world.hub.delete(clusterManagementAddOns, { name: ADDON });
        await story.eventually('the Secrets are gone', async () => ((await secretsOf(story, ADDON)).length === 0 ? true : undefined));
      })(),
    );
  });

  it('reports in RegistrationApplied why a certificate cannot be signed, and clears the report when it can', async () => {
    const world = await VirtualWorld.start(3);
    world.startManager();
    await world.run(
      (async () => {
        const { story } = await world.join();
        const authority = await installHello(story, { certificate: 'no certificate' });
        const failed = await addOnConditionIs(story, ADDON, 'RegistrationApplied', 'False');
        expect(failed.reason).toBe('SetPermissionFailed');
        expect(failed.message).toMatch(
          /^Failed to set permission for hub agent: certificate request addon-cluster1-hello-\S+ could not be signed: Secret default\/hello-ca: /,
        );
        const data = { 'ca.crt': btoa(authority.certificate) };
        await world.hub.patch(secrets, { namespace: 'default', name: AUTHORITY_SECRET }, { type: 'merge', patch: { data } });
        await addOnConditionIs(story, ADDON, 'RegistrationApplied', 'True');
        await credential(story, `${ADDON}-${SIGNER.replace('/', '-')}-client-cert`);
      })(),
    );
  });

  it('follows the lease of an add-on: available while it is renewed, and again after a pause', async () => {
    const world = await VirtualWorld.start(2);
    world.startManager();
    await world.run(
      (async () => {
        const { story } = await world.join();
        await createAddOn(story, 'leased', {});
        await sayLeaseMode(story, 'leased');
        expect(await addOnConditionIs(story, 'leased', 'Available', 'Unknown')).toMatchObject({
          reason: 'ManagedClusterAddOnLeaseNotFound',
        });
        await renewLease(story, 'leased');
        expect(await addOnConditionIs(story, 'leased', 'Available', 'True')).toMatchObject({ reason: 'ManagedClusterAddOnLeaseUpdated' });
        const renewedAt = world.simulator.now;
        const stopped = await addOnConditionIs(story, 'leased', 'Available', 'False');
        expect(stopped).toMatchObject({ reason: 'ManagedClusterAddOnLeaseUpdateStopped' });
        expect((world.simulator.now - renewedAt) / 1000).toBeCloseTo(300, -1);
        await renewLease(story, 'leased');
        await addOnConditionIs(story, 'leased', 'Available', 'True');
      })(),
    );
  });
});
